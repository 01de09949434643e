package recipe

import "math"

// activationOps are the activations of layers.
var activationOps = []Elementwise{
	{
		Op: "Tanh", Name: "tanh", GradFn: "TanhBackward0", Doc: "the hyperbolic tangent of a",
		Float: function(Tanh),
		Grad: &Gradient{
			Doc: "dy·(1 - y²)", OfResult: true, Halves: true,
			Float: func(b *builder, dy, y float) float { return b.Mul(dy, b.Sub(b.Const(1), b.Mul(y, y))) },
		},
	},
	{
		Op: "Sigmoid", Name: "sigmoid", GradFn: "SigmoidBackward0", Doc: "1/(1 + e**-a)",
		Float: function(Sigmoid),
		Grad: &Gradient{
			Doc: "dy·(1 - y)·y", OfResult: true, Halves: true,
			Float: func(b *builder, dy, y float) float { return b.Mul(b.Mul(dy, b.Sub(b.Const(1), y)), y) },
		},
	},
	{
		Op: "ReLU", Name: "relu", GradFn: "ReluBackward0", Doc: "max(a, 0), NaN where a is", Halves: true,
		Float: func(b *builder, a float) float { return b.If(b.Less(a, b.Const(0)), b.Const(0), a) },
		Int:   func(b *builder, a integ) integ { return b.IfInt(b.ILess(a, b.Int(0)), b.Int(0), a) },
		Grad: &Gradient{
			Name: "threshold_backward", Doc: "dy where y > 0, else 0", OfResult: true, Halves: true,
			Float: func(b *builder, dy, y float) float { return b.If(b.LessEqual(y, b.Const(0)), b.Const(0), dy) },
		},
	},
	{
		Op: "LeakyReLU", Name: "leaky_relu", Kernel: "leaky_relu_cpu", GradFn: "LeakyReluBackward0", Doc: "a where a > 0, else a·slope", Halves: true,
		Params: []string{"slope"}, Try: []float64{0.01},
		Float: func(b *builder, a, slope float) float { return b.If(b.Less(b.Const(0), a), a, b.Mul(a, slope)) },
		Grad: &Gradient{
			Doc: "dy where x > 0, else dy·slope", Halves: true,
			Float: func(b *builder, dy, x, slope float) float { return b.If(b.Less(b.Const(0), x), dy, b.Mul(dy, slope)) },
		},
	},
	{
		Op: "ELU", Name: "elu", Kernel: "elu_cpu", GradFn: "EluBackward0", Doc: "a where a > 0, else alpha·(e**a - 1)",
		Params: []string{"alpha"}, Try: []float64{1.5},
		Float: func(b *builder, a, alpha float) float {
			return b.If(b.Less(b.Const(0), a), a, b.Mul(alpha, b.Apply(Expm1, a)))
		},
		Grad: &Gradient{
			Doc: "dy where x > 0, else dy·alpha·e**x",
			Float: func(b *builder, dy, x, alpha float) float {
				return b.If(b.Less(b.Const(0), x), dy, b.Mul(b.Mul(dy, alpha), b.Apply(Exp, x)))
			},
		},
	},
	{
		Op: "GELU", Name: "gelu", Kernel: "GeluKernelImpl", GradFn: "GeluBackward0", Doc: "a·Φ(a), with the normal distribution Φ",
		Float: function(GELU),
		Grad: &Gradient{
			Doc:   "dy·(Φ(x) + x·φ(x)), with the normal distribution Φ and its density φ",
			Float: func(b *builder, dy, x float) float { return b.Mul(dy, b.Apply(GELUSlope, x)) },
		},
	},
	{
		Op: "GELUTanh", Name: "gelu_tanh", Kernel: "GeluKernelImpl", GradFn: "GeluBackward0", Doc: "a/2·(1 + tanh(√(2/π)·(a + 0.044715·a³)))",
		Float: function(GELUTanh),
		Grad:  &Gradient{Doc: "dy times the derivative of x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", Float: geluTanhDerivative},
	},
	{
		Op: "SiLU", Name: "silu", Kernel: "silu_cpu", GradFn: "SiluBackward0", Doc: "a/(1 + e**-a)",
		Float: function(SiLU),
		Grad: &Gradient{
			Doc: "dy·s·(1 + x·(1 - s)) with s = 1/(1 + e**-x)",
			Float: func(b *builder, dy, x float) float {
				s, one := b.Apply(Sigmoid, x), b.Const(1)
				return b.Mul(b.Mul(dy, s), b.Add(one, b.Mul(x, b.Sub(one, s))))
			},
		},
	},
	{
		Op: "Softplus", Name: "softplus", Kernel: "softplus_cpu", GradFn: "SoftplusBackward0",
		Doc:    "log(1 + e**(beta·a)) / beta, a itself where beta·a > threshold",
		Params: []string{"beta", "threshold"}, Try: []float64{1.5, 5},
		Float: func(b *builder, a, beta, threshold float) float {
			scaled := b.Mul(a, beta)
			return b.If(b.Less(threshold, scaled), a, b.Div(b.Apply(Softplus, scaled), beta))
		},
		Grad: &Gradient{
			Doc: "dy/(1 + e**-(beta·x)), dy itself where beta·x > threshold",
			Float: func(b *builder, dy, x, beta, threshold float) float {
				scaled := b.Mul(x, beta)
				return b.If(b.Less(threshold, scaled), dy, b.Mul(dy, b.Apply(Sigmoid, scaled)))
			},
		},
	},
}

func geluTanhDerivative(b *builder, dy, x float) float {
	const cubic = 0.044715
	scale, one, half := b.Rounded(math.Sqrt2*math.SqrtPi/math.Pi), b.Const(1), b.Const(0.5)
	square := b.Mul(x, x)
	t := tanhQuotient(b, b.Mul(scale, b.Add(x, b.Mul(b.Rounded(cubic), b.Mul(square, x)))))
	du := b.Mul(scale, b.Add(one, b.Mul(b.Rounded(3*cubic), square)))
	left := b.Mul(b.Add(one, t), half)
	right := b.Mul(b.Mul(b.Mul(half, x), b.Sub(one, b.Mul(t, t))), du)
	return b.Mul(dy, b.Add(left, right))
}
