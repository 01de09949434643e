package recipe

// optimizers are the loops of internal/kern/optimizer.go, one for each way through it. The gradient's sign is -1 where
// it is climbed.
func optimizers() []*Loop {
	return []*Loop{
		sgd("SGD", false), sgd("SGDDecay", true),
		momentum("SGDMomentum", false, false), momentum("SGDMomentumDecay", true, false),
		momentum("SGDNesterov", false, true), momentum("SGDNesterovDecay", true, true),
		adam("Adam", ""), adam("AdamDecay", "decay"), adam("AdamShrink", "shrink"),
	}
}

// sgdScalars are the parameters of every form of SGD, in the order of its scalars.
type sgdScalars struct{ minusLR, sign, decay, momentum, keep float }

func (d description) sgdScalars() sgdScalars {
	return sgdScalars{d.scalar("minusLR"), d.scalar("sign"), d.scalar("decay"), d.scalar("momentum"), d.scalar("keep")}
}

func sgd(name string, decays bool) *Loop {
	d := describe(name, "p - lr·g, g the gradient with decay", floats, "p", "grad")
	s, p := d.sgdScalars(), d.Param(0)
	g := d.gradient(decays, s.sign, s.decay)
	d.write("p", Own, Ref(d.Add(p, d.Mul(s.minusLR, g))))
	return d.end(d.builder)
}

func momentum(name string, decays, nesterov bool) *Loop {
	d := describe(name, "p - lr·buf, buf = momentum·buf + (1-dampening)·g; Nesterov's: p - lr·(g + momentum·buf)", floats, "p", "grad", "buf")
	s, p := d.sgdScalars(), d.Param(0)
	g := d.gradient(decays, s.sign, s.decay)
	buf := d.Add(d.Mul(s.momentum, d.Param(2)), d.Mul(s.keep, g))
	step := buf
	if nesterov {
		step = d.Add(g, d.Mul(s.momentum, buf))
	}
	d.write("p", Own, Ref(d.Add(p, d.Mul(s.minusLR, step))))
	d.write("buf", Own, Ref(buf))
	return d.end(d.builder)
}

// gradient is operand 1 with its sign and, where it decays, with a share of operand 0.
func (d description) gradient(decays bool, sign, decay float) float {
	g := d.Mul(sign, d.Param(1))
	if decays {
		g = d.Add(g, d.Mul(decay, d.Param(0)))
	}
	return g
}

// adam decays the gradient by a share of the parameter, shrinks the parameter itself, or neither.
func adam(name, decay string) *Loop {
	d := describe(name, "p - step·m / (√v/root + ε), m and v the running means of the gradient and of its square", floats, "p", "grad", "m", "v")
	minusStep, sign, share, shrink := d.scalar("minusStep"), d.scalar("sign"), d.scalar("decay"), d.scalar("shrink")
	weight1, beta2, weight2 := d.scalar("weight1"), d.scalar("beta2"), d.scalar("weight2")
	root, inverse, eps := d.scalar("root"), d.scalar("inverse"), d.scalar("eps")
	p, m, v := d.Param(0), d.Param(2), d.Param(3)
	g := d.gradient(decay == "decay", sign, share)
	if decay == "shrink" {
		p = d.Mul(p, shrink)
	}
	m = d.Add(m, d.Mul(weight1, d.Sub(g, m)))
	v = d.Add(d.Mul(v, beta2), d.Mul(d.Mul(weight2, g), g))
	d.write("p", Own, Ref(d.Add(p, d.Div(d.Mul(minusStep, m), d.Add(d.quotient(d.Sqrt(v), root, inverse), eps)))))
	d.write("m", Own, Ref(m))
	d.write("v", Own, Ref(v))
	return d.end(d.builder)
}

// quotient is a / divisor, correctly rounded, where inverse is 1 / divisor, correctly rounded, and neither is far from 1: of
// the first quotient, which is at most a unit off, what remains is exact (Markstein, 1990). Divisions by registers are what
// Adam waits for. Infinity leaves NaN, and is itself the quotient.
func (b *builder) quotient(a, divisor, inverse float) float {
	first := b.Mul(a, inverse)
	rest := b.FMA(b.Neg(first), divisor, a)
	return b.If(b.IsNaN(rest), first, b.FMA(rest, inverse, first))
}
