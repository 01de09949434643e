package tensor

var goldenElementwise = map[string]goldenOp{
	"exp":        goldenUnary((*Tensor).Exp),
	"expm1":      goldenUnary((*Tensor).Expm1),
	"log":        goldenUnary((*Tensor).Log),
	"log1p":      goldenUnary((*Tensor).Log1p),
	"sqrt":       goldenUnary((*Tensor).Sqrt),
	"rsqrt":      goldenUnary((*Tensor).Rsqrt),
	"reciprocal": goldenUnary((*Tensor).Reciprocal),
	"sin":        goldenUnary((*Tensor).Sin),
	"cos":        goldenUnary((*Tensor).Cos),
	"tanh":       goldenUnary((*Tensor).Tanh),
	"sigmoid":    goldenUnary((*Tensor).Sigmoid),
	"erf":        goldenUnary((*Tensor).Erf),
	"relu":       goldenUnary((*Tensor).ReLU),
	"gelu":       goldenUnary((*Tensor).GELU),
	"gelu(tanh)": goldenUnary((*Tensor).GELUTanh),
	"silu":       goldenUnary((*Tensor).SiLU),
	"abs":        goldenUnary((*Tensor).Abs),
	"neg":        goldenUnary((*Tensor).Neg),
	"sign":       goldenUnary((*Tensor).Sign),
	"floor":      goldenUnary((*Tensor).Floor),
	"ceil":       goldenUnary((*Tensor).Ceil),
	"round":      goldenUnary((*Tensor).Round),

	"leaky_relu(0.1)": goldenUnary(func(x *Tensor) *Tensor { return x.LeakyReLU(0.1) }),
	"softplus":        goldenUnary(func(x *Tensor) *Tensor { return x.Softplus(1, 20) }),
	"clamp(-0.5,0.7)": goldenUnary(func(x *Tensor) *Tensor { return x.Clamp(-0.5, 0.7) }),
	"pow(3)":          goldenUnary(func(x *Tensor) *Tensor { return x.Pow(3) }),
	"pow(2.5)":        goldenUnary(func(x *Tensor) *Tensor { return x.Pow(2.5) }),
	"mul(2.5)":        goldenUnary(func(x *Tensor) *Tensor { return x.MulScalar(2.5) }),
	"rsub(1)":         goldenUnary(func(x *Tensor) *Tensor { return x.RSubScalar(1) }),
	"masked_fill":     goldenUnary(func(x *Tensor) *Tensor { return x.MaskedFill(x.GtScalar(0.3), -7.0) }),

	"transpose(0,2)": goldenUnary(func(x *Tensor) *Tensor { return x.Transpose(0, 2).Exp() }),
	"expand":         goldenUnary(func(x *Tensor) *Tensor { return x.Expand(4, 3, 2).Exp() }),

	"add":         goldenBinary((*Tensor).Add),
	"sub":         goldenBinary((*Tensor).Sub),
	"mul":         goldenBinary((*Tensor).Mul),
	"div":         goldenBinary((*Tensor).Div),
	"maximum":     goldenBinary((*Tensor).Maximum),
	"minimum":     goldenBinary((*Tensor).Minimum),
	"pow(tensor)": goldenBinary((*Tensor).PowTensor),
	"where":       goldenBinary(func(x, y *Tensor) *Tensor { return Where(x.GtScalar(0), x, y) }),

	"add: broadcast [3,1,4] with [2,1]":     goldenBinary((*Tensor).Add),
	"sub: broadcast [3,1,4] with [2,1]":     goldenBinary((*Tensor).Sub),
	"mul: broadcast [3,1,4] with [2,1]":     goldenBinary((*Tensor).Mul),
	"div: broadcast [3,1,4] with [2,1]":     goldenBinary((*Tensor).Div),
	"maximum: broadcast [3,1,4] with [2,1]": goldenBinary((*Tensor).Maximum),
	"minimum: broadcast [3,1,4] with [2,1]": goldenBinary((*Tensor).Minimum),
}

func goldenUnary(f func(x *Tensor) *Tensor) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{f(in[0])} }
}

func goldenBinary(f func(x, y *Tensor) *Tensor) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{f(in[0], in[1])} }
}
