package recipe

import "slices"

// Every update has the rate, which is negative, of its step and the sign of its gradient, and most a weight decay.
func numbers(more ...string) []string { return slices.Concat([]string{"rate", "sign", "decay"}, more) }

var updates = []Update{
	{
		Op: "AMSGradStep", Name: "amsgrad", State: []string{"mean", "square", "most"},
		Doc:     "p·shrink + rate·mean/(√most/root + ε), mean and square running means of g and g², most the largest square",
		Numbers: numbers("shrink", "part", "share", "rest", "root", "eps"),
		Step: func(u updating) {
			mean, square := u.blended("mean", u.g, u.of("part")), u.averaged("square", u.g)
			most := u.larger(u.old("most"), square)
			u.move(u.Mul(u.p, u.of("shrink")), u.Mul(u.of("rate"), u.Div(mean, u.Add(u.Div(u.Sqrt(most), u.of("root")), u.of("eps")))))
			u.keep("mean", mean)
			u.keep("square", square)
			u.keep("most", most)
		},
	},
	{
		Op: "AdamaxStep", Name: "adamax", State: []string{"mean", "norm"},
		Doc:     "p + rate·mean/norm, mean the running mean of g, norm = max(share·norm, |g| + ε)",
		Numbers: numbers("part", "share", "eps"),
		Step: func(u updating) {
			mean := u.blended("mean", u.g, u.of("part"))
			size := u.If(u.Less(u.g, u.Const(0)), u.Neg(u.g), u.g)
			norm := u.larger(u.Mul(u.old("norm"), u.of("share")), u.Add(size, u.of("eps")))
			u.move(u.p, u.Mul(u.of("rate"), u.Div(mean, norm)))
			u.keep("mean", mean)
			u.keep("norm", norm)
		},
	},
	{
		Op: "NAdamStep", Name: "nadam", State: []string{"mean", "square"},
		Doc:     "p·shrink + rate·g/d + ahead·mean/d, d = √(square/root) + ε, mean and square running means of g and g²",
		Numbers: numbers("shrink", "part", "share", "rest", "root", "eps", "ahead"),
		Step: func(u updating) {
			mean, square := u.blended("mean", u.g, u.of("part")), u.averaged("square", u.g)
			divisor := u.Add(u.Sqrt(u.Div(square, u.of("root"))), u.of("eps"))
			p := u.Add(u.Mul(u.p, u.of("shrink")), u.Mul(u.of("rate"), u.Div(u.g, divisor)))
			u.move(p, u.Mul(u.of("ahead"), u.Div(mean, divisor)))
			u.keep("mean", mean)
			u.keep("square", square)
		},
	},
	{
		Op: "RAdamStep", Name: "radam", State: []string{"mean", "square"},
		Doc:     "p·shrink + rate·mean/(√square + ε), without the divisor unless rectified; mean and square running means of g and g²",
		Numbers: numbers("shrink", "part", "share", "rest", "eps", "rectified"),
		Step: func(u updating) {
			mean, square := u.blended("mean", u.g, u.of("part")), u.averaged("square", u.g)
			plain := u.Equal(u.of("rectified"), u.Const(0))
			divisor := u.If(plain, u.Const(1), u.Add(u.Sqrt(square), u.of("eps")))
			u.move(u.Mul(u.p, u.of("shrink")), u.Mul(u.of("rate"), u.Div(mean, divisor)))
			u.keep("mean", mean)
			u.keep("square", square)
		},
	},
	rmsprop("RMSpropStep", "rmsprop", false, false), rmsprop("RMSpropMomentumStep", "rmsprop_momentum", false, true),
	rmsprop("RMSpropCenteredStep", "rmsprop_centered", true, false),
	rmsprop("RMSpropCenteredMomentumStep", "rmsprop_centered_momentum", true, true),
	{
		Op: "AdagradStep", Name: "adagrad", State: []string{"sum"},
		Doc:     "p + rate·g/(√sum + ε), sum = sum + g²",
		Numbers: numbers("eps"),
		Step: func(u updating) {
			sum := u.Add(u.old("sum"), u.Mul(u.g, u.g))
			u.move(u.p, u.Mul(u.of("rate"), u.Div(u.g, u.Add(u.Sqrt(sum), u.of("eps")))))
			u.keep("sum", sum)
		},
	},
	{
		Op: "AdadeltaStep", Name: "adadelta", State: []string{"square", "deltas"},
		Doc:     "p + rate·δ, δ = √(deltas + ε)/√(square + ε)·g, square and deltas running means of g² and δ²",
		Numbers: numbers("share", "rest", "eps"),
		Step: func(u updating) {
			square := u.averaged("square", u.g)
			root := func(x float) float { return u.Sqrt(u.Add(x, u.of("eps"))) }
			delta := u.Mul(u.Div(root(u.old("deltas")), root(square)), u.g)
			u.move(u.p, u.Mul(u.of("rate"), delta))
			u.keep("square", square)
			u.keep("deltas", u.averaged("deltas", delta))
		},
	},
	{
		Op: "RpropStep", Name: "rprop", State: []string{"before", "size"},
		Doc:     "p - sign(g)·size, size longer by plus where the sign is that of before, shorter by minus where it is not, and g 0 there",
		Numbers: []string{"sign", "minus", "plus", "low", "high"},
		Step: func(u updating) {
			product, zero := u.Mul(u.g, u.old("before")), u.Const(0)
			turned := u.Less(product, zero)
			factor := u.If(turned, u.of("minus"), u.If(u.Less(zero, product), u.of("plus"), u.Const(1)))
			size := u.Mul(u.old("size"), factor)
			size = u.If(u.Less(size, u.of("low")), u.of("low"), size)
			size = u.If(u.Less(u.of("high"), size), u.of("high"), size)
			g := u.If(turned, zero, u.g)
			back := u.If(u.Less(zero, g), u.Const(-1), u.If(u.Less(g, zero), u.Const(1), zero))
			u.move(u.p, u.Mul(back, size))
			u.keep("before", g)
			u.keep("size", size)
		},
	},
	{
		Op: "ASGDStep", Name: "asgd", State: []string{"average"},
		Doc:     "p·shrink + rate·g, average moved towards it by part, which 1 makes it",
		Numbers: numbers("shrink", "part"),
		Step: func(u updating) {
			p := u.Add(u.Mul(u.p, u.of("shrink")), u.Mul(u.of("rate"), u.g))
			u.write("p", Own, Ref(p))
			u.keep("average", u.If(u.Equal(u.of("part"), u.Const(1)), p, u.blended("average", p, u.of("part"))))
		},
	},
}

// rmsprop is a row for each set of what RMSprop may keep besides the squares.
func rmsprop(op, name string, centered, momentum bool) Update {
	r := Update{
		Op: op, Name: name, State: []string{"square"}, Doc: "p + rate·g/(√square + ε), square the running mean of g²",
		Numbers: numbers("share", "rest", "eps"),
	}
	if centered {
		r.State, r.Doc = append(r.State, "mean"), r.Doc+", less the square of the mean of g"
	}
	if momentum {
		r.State, r.Numbers, r.Doc = append(r.State, "velocity"), append(r.Numbers, "momentum"), r.Doc+"; of momentum a share of each step stays for the next"
	}
	r.Step = func(u updating) {
		square := u.averaged("square", u.g)
		spread := square
		var mean, velocity float
		if centered {
			mean = u.blended("mean", u.g, u.of("rest"))
			spread = u.Sub(square, u.Mul(mean, mean))
		}
		direction := u.Div(u.g, u.Add(u.Sqrt(spread), u.of("eps")))
		if momentum {
			velocity = u.Add(u.Mul(u.old("velocity"), u.of("momentum")), direction)
			direction = velocity
		}
		u.move(u.p, u.Mul(u.of("rate"), direction))
		u.keep("square", square)
		if centered {
			u.keep("mean", mean)
		}
		if momentum {
			u.keep("velocity", velocity)
		}
	}
	return r
}
