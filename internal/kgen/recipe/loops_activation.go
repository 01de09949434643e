package recipe

import "math"

// activations are the loops of internal/kern/activation.go. Those that need an elementary function are for float32 alone.
func activations() []*Loop {
	return []*Loop{
		unary("ReLU", "max(a, 0), NaN where a is", func(b *builder, x float) float {
			return b.If(b.Less(x, b.Const(0)), b.Const(0), x)
		}),
		leakyReLU(),
		softplusScaled(),
		grad("ReLUGrad", "dy where y > 0, else 0", floats, "y", func(b *builder, dy, y float) float {
			return b.If(b.LessEqual(y, b.Const(0)), b.Const(0), dy)
		}),
		grad("TanhGrad", "dy·(1 - y²)", floats, "y", func(b *builder, dy, y float) float {
			return b.Mul(dy, b.Sub(b.Const(1), b.Mul(y, y)))
		}),
		grad("SigmoidGrad", "dy·(1 - y)·y", floats, "y", func(b *builder, dy, y float) float {
			return b.Mul(b.Mul(dy, b.Sub(b.Const(1), y)), y)
		}),
		leakyReLUGrad(),
		grad("GELUGrad", "dy·(Φ(x) + x·φ(x))", single, "x", geluGrad),
		grad("GELUTanhGrad", "dy times the derivative of x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", single, "x", geluTanhGrad),
		grad("SiLUGrad", "dy·s·(1 + x·(1 - s)) with s = 1/(1 + e**-x)", single, "x", siluGrad),
		softplusGrad(),
	}
}

// grad is a loop over an activation's gradient and its operand x or its result y.
func grad(name, doc string, elems []Elem, saved string, f func(b *builder, dy, saved float) float) *Loop {
	d := describe(name, doc, elems, "dy", saved)
	return d.dst(f(d.builder, d.Param(0), d.Param(1)))
}

func leakyReLU() *Loop {
	d := describe("LeakyReLU", "a where a > 0, else a·slope", floats, "a")
	x := d.Param(0)
	return d.dst(d.If(d.Less(d.Const(0), x), x, d.Mul(x, d.scalar("slope"))))
}

func leakyReLUGrad() *Loop {
	d := describe("LeakyReLUGrad", "dy where x > 0, else dy·slope", floats, "dy", "x")
	dy, x := d.Param(0), d.Param(1)
	return d.dst(d.If(d.Less(d.Const(0), x), dy, d.Mul(dy, d.scalar("slope"))))
}

func softplusScaled() *Loop {
	d := describe("SoftplusScaled", "log(1 + e**(beta·a)) / beta, a itself where beta·a > threshold", single, "a")
	x, beta, threshold := d.Param(0), d.scalar("beta"), d.scalar("threshold")
	scaled := d.Mul(x, beta)
	return d.dst(d.If(d.Less(threshold, scaled), x, d.Div(d.Apply(Softplus(), scaled), beta)))
}

func softplusGrad() *Loop {
	d := describe("SoftplusGrad", "dy/(1 + e**-(beta·x)), dy itself where beta·x > threshold", single, "dy", "x")
	dy, x, beta, threshold := d.Param(0), d.Param(1), d.scalar("beta"), d.scalar("threshold")
	scaled := d.Mul(x, beta)
	return d.dst(d.If(d.Less(threshold, scaled), dy, d.Mul(dy, d.Apply(Sigmoid(), scaled))))
}

func geluGrad(b *builder, dy, x float) float {
	half := b.Const(0.5)
	cdf := b.Mul(b.Add(b.Const(1), b.Apply(Erf(), b.Mul(x, b.Rounded(1/math.Sqrt2)))), half)
	pdf := b.Mul(b.Apply(Exp(), b.Mul(b.Mul(x, x), b.Const(-0.5))), b.Rounded(1/(math.Sqrt2*math.SqrtPi)))
	return b.Mul(dy, b.Add(cdf, b.Mul(x, pdf)))
}

func geluTanhGrad(b *builder, dy, x float) float {
	const cubic = 0.044715
	scale, one, half := b.Rounded(math.Sqrt2*math.SqrtPi/math.Pi), b.Const(1), b.Const(0.5)
	square := b.Mul(x, x)
	t := b.Apply(Tanh(), b.Mul(scale, b.Add(x, b.Mul(b.Rounded(cubic), b.Mul(square, x)))))
	du := b.Mul(scale, b.Add(one, b.Mul(b.Rounded(3*cubic), square)))
	left := b.Mul(b.Add(one, t), half)
	right := b.Mul(b.Mul(b.Mul(half, x), b.Sub(one, b.Mul(t, t))), du)
	return b.Mul(dy, b.Add(left, right))
}

func siluGrad(b *builder, dy, x float) float {
	s, one := b.Apply(Sigmoid(), x), b.Const(1)
	return b.Mul(b.Mul(dy, s), b.Add(one, b.Mul(x, b.Sub(one, s))))
}

// losses are the loops of internal/kern/loss.go.
func losses() []*Loop {
	return []*Loop{
		binary("SquaredError", "(a - b)²", func(b *builder, x, y float) float {
			d := b.Sub(x, y)
			return b.Mul(d, d)
		}),
		squaredErrorGrad(),
		bce(),
		bceGrad(),
	}
}

func squaredErrorGrad() *Loop {
	d := describe("SquaredErrorGrad", "scale·(a - b)·dy", floats, "dy", "a", "b")
	return d.dst(d.Mul(d.Mul(d.scalar("scale"), d.Sub(d.Param(1), d.Param(2))), d.Param(0)))
}

func bce() *Loop {
	d := describe("BCE", "(1-t)·x + (1 + (p-1)·t)·log(1 + e**-x)", single, "x", "t", "p")
	x, t, p, one := d.Param(0), d.Param(1), d.Param(2), d.Const(1)
	weight := d.Add(one, d.Mul(d.Sub(p, one), t))
	return d.dst(d.Add(d.Mul(d.Sub(one, t), x), d.Mul(weight, d.Apply(Softplus(), d.Neg(x)))))
}

func bceGrad() *Loop {
	d := describe("BCEGrad", "(1 + (p-1)·t)·σ(x) - p·t", single, "x", "t", "p")
	x, t, p := d.Param(0), d.Param(1), d.Param(2)
	positive := d.Mul(p, t)
	return d.dst(d.Sub(d.Mul(d.Sub(d.Add(positive, d.Const(1)), t), d.Apply(Sigmoid(), x)), positive))
}
