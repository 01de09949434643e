package recipe

// specialOps are the special functions.
var specialOps = []Elementwise{
	{Op: "Erfc", Name: "erfc", GradFn: "ErfcBackward0", Doc: "1 less the error function of a", Float: function(Erfc), Plain: seldom},
	{Op: "Erfinv", Name: "erfinv", GradFn: "ErfinvBackward0", Doc: "the inverse of the error function of a", Float: function(Erfinv), Plain: seldom},
	{Op: "Lgamma", Name: "lgamma", Kernel: "lgamma_vml_cpu", GradFn: "LgammaBackward0", Doc: "log|Γ(a)|", Float: function(Lgamma), Plain: seldom},
	{Op: "Digamma", Name: "digamma", Kernel: "digamma", GradFn: "DigammaBackward0", Doc: "the slope of log|Γ(a)|", Float: function(Digamma), Plain: seldom},
	{Op: "Trigamma", Name: "polygamma", Kernel: "trigamma", GradFn: "PolygammaBackward0", Doc: "the slope of digamma", Float: function(Trigamma), Plain: seldom},
	{
		Op: "Logit", Name: "logit", GradFn: "LogitBackward0", Doc: "log(c/(1 - c)) for c, a between eps and 1 - eps", Plain: seldom,
		Params: []string{"eps"}, Try: []float64{0.25},
		Float: func(b *builder, a, eps float) float {
			one := b.Const(1)
			high := b.Sub(one, eps)
			c := b.If(b.Less(a, eps), eps, b.If(b.Less(high, a), high, a))
			return b.Apply(Log, b.Div(c, b.Sub(one, c)))
		},
		Grad: &Gradient{Doc: "dy/(x·(1 - x)) where eps ≤ x ≤ 1 - eps, else 0; NaN outside [0, 1] where eps < 0", Float: logitGrad},
	},
}

// logitGrad is the gradient of Logit. The product of its denominator is not negative there, so that x = -0 is no other case than 0.
func logitGrad(b *builder, dy, x, eps float) float {
	zero, one := b.Const(0), b.Const(1)
	outside := b.Either(b.Less(x, eps), b.Less(b.Sub(one, eps), x))
	undefined := b.Either(b.Less(x, zero), b.Less(one, x))
	inside := b.Div(dy, b.Abs(b.Mul(x, b.Sub(one, x))))
	return b.If(outside, zero, b.If(undefined, b.NaN(), inside))
}
