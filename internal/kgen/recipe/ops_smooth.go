package recipe

// smoothOps are the activations that are used less.
var smoothOps = []Elementwise{
	{
		Op: "SELU", Name: "selu", Kernel: "elu_cpu", GradFn: "EluBackward0", Doc: "1.0507·a where a > 0, else 1.7581·(e**a - 1)",
		Float: func(b *builder, a float) float {
			return b.If(b.Less(b.Const(0), a), b.Mul(a, b.Rounded(seluScale)), b.Mul(b.Apply(Expm1, a), b.Rounded(seluAlpha*seluScale)))
		},
		Grad: &Gradient{
			Doc: "1.0507·dy where x > 0, else 1.7581·dy·e**x",
			Float: func(b *builder, dy, x float) float {
				below := b.Mul(b.Mul(dy, b.Rounded(seluAlpha*seluScale)), b.Apply(Exp, x))
				return b.If(b.LessEqual(x, b.Const(0)), below, b.Mul(dy, b.Rounded(seluScale)))
			},
		},
	},
	{
		Op: "CELU", Name: "celu", Kernel: "elu_cpu", GradFn: "CeluBackward0", Doc: "a where a > 0, else alpha·(e**(a·inverse) - 1)", Plain: seldom,
		Params: []string{"alpha", "inverse"}, Try: []float64{2, 0.5},
		Float: func(b *builder, a, alpha, inverse float) float {
			return b.If(b.Less(b.Const(0), a), a, b.Mul(b.Apply(Expm1, b.Mul(a, inverse)), alpha))
		},
		Grad: &Gradient{
			Doc: "dy where x > 0, else dy·inverse·alpha·e**(x·inverse)",
			Float: func(b *builder, dy, x, alpha, inverse float) float {
				below := b.Mul(b.Mul(b.Mul(dy, inverse), alpha), b.Apply(Exp, b.Mul(x, inverse)))
				return b.If(b.LessEqual(x, b.Const(0)), below, dy)
			},
		},
	},
	{
		Op: "LogSigmoid", Name: "log_sigmoid", Kernel: "log_sigmoid_cpu", GradFn: "LogSigmoidBackward0", Doc: "-log(1 + e**-a)",
		Float: func(b *builder, a float) float { return b.Neg(b.Apply(Softplus, b.Neg(a))) },
		Grad: &Gradient{
			Doc:   "dy/(1 + e**x)",
			Float: func(b *builder, dy, x float) float { return b.Mul(dy, b.Apply(Sigmoid, b.Neg(x))) },
		},
	},
	{
		Op: "Mish", Name: "mish", Kernel: "mish_cpu", GradFn: "MishBackward0", Doc: "a·tanh(log(1 + e**a))",
		Float: func(b *builder, a float) float { return b.Mul(a, tanhSoftplus(b, a)) },
		Grad: &Gradient{
			Doc: "dy·(t + x·(1 - t²)/(1 + e**-x)) with t = tanh(log(1 + e**x))",
			Float: func(b *builder, dy, x float) float {
				t := tanhSoftplus(b, x)
				slope := b.Mul(b.Apply(Sigmoid, x), b.Sub(b.Const(1), b.Mul(t, t)))
				return b.Mul(dy, b.Add(t, b.Mul(x, slope)))
			},
		},
	},
}

// The numbers of SELU, PyTorch's.
const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

// tanhSoftplus is tanh(log(1 + e**x)) = n/(n + 2) with n = e**x·(e**x + 2); from 40 on it is 1 in either type.
func tanhSoftplus(b *builder, x float) float {
	e := b.Apply(Exp, atMost(b, x, 40))
	n := b.Mul(e, b.Add(e, b.Const(2)))
	return b.Div(n, b.Add(n, b.Const(2)))
}
