package onnxnode

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// elementwise are functions of one tensor and arithmetic.
var elementwise = map[string]operator{
	"Abs": unary((*tensor.Tensor).Abs), "Neg": unary((*tensor.Tensor).Neg), "Sign": unary((*tensor.Tensor).Sign),
	"Acos": unary((*tensor.Tensor).Acos), "Acosh": unary((*tensor.Tensor).Acosh), "Asin": unary((*tensor.Tensor).Asin),
	"Asinh": unary((*tensor.Tensor).Asinh), "Atan": unary((*tensor.Tensor).Atan), "Atanh": unary((*tensor.Tensor).Atanh),
	"Cos": unary((*tensor.Tensor).Cos), "Cosh": unary((*tensor.Tensor).Cosh), "Sin": unary((*tensor.Tensor).Sin),
	"Sinh": unary((*tensor.Tensor).Sinh), "Tan": unary((*tensor.Tensor).Tan), "Tanh": unary((*tensor.Tensor).Tanh),
	"Exp": unary((*tensor.Tensor).Exp), "Log": unary((*tensor.Tensor).Log), "Sqrt": unary((*tensor.Tensor).Sqrt),
	"Erf": unary((*tensor.Tensor).Erf), "Reciprocal": unary((*tensor.Tensor).Reciprocal),
	"Ceil": unary((*tensor.Tensor).Ceil), "Floor": unary((*tensor.Tensor).Floor), "Round": unary((*tensor.Tensor).Round),
	"Relu": unary((*tensor.Tensor).ReLU), "Sigmoid": unary((*tensor.Tensor).Sigmoid), "Softsign": unary((*tensor.Tensor).Softsign),
	"HardSwish": unary((*tensor.Tensor).Hardswish), "Mish": unary((*tensor.Tensor).Mish),
	"Identity": unary((*tensor.Tensor).Clone), "BitwiseNot": unary((*tensor.Tensor).BitwiseNot), "Not": unary((*tensor.Tensor).LogicalNot),

	"Elu":       activation("alpha", 1, (*tensor.Tensor).ELU),
	"Celu":      activation("alpha", 1, (*tensor.Tensor).CELU),
	"LeakyRelu": activation("alpha", 0.01, (*tensor.Tensor).LeakyReLU),
	"Binarizer": activation("threshold", 0, func(x *tensor.Tensor, v float64) *tensor.Tensor { return x.GtScalar(v).To(x.DType()) }),
	"Swish":     activation("alpha", 1, func(x *tensor.Tensor, v float64) *tensor.Tensor { return x.Mul(x.MulScalar(v).Sigmoid()) }),
	"Softplus":  unary(func(x *tensor.Tensor) *tensor.Tensor { return x.Softplus(1, 20) }),
	"PRelu":     two(func(x, slope *tensor.Tensor) *tensor.Tensor { return tensor.Where(x.LtScalar(0), x.Mul(slope), x) }),
	"Gelu":      gelu,
	"Selu":      selu,
	"Shrink":    shrink,
	"Clip":      clip,
	"HardSigmoid": func(n *node) []*tensor.Tensor {
		return one(n.input(0).MulScalar(n.float("alpha", 0.2)).AddScalar(n.float("beta", 0.5)).Clamp(0, 1))
	},
	"ThresholdedRelu": activation("alpha", 1, func(x *tensor.Tensor, v float64) *tensor.Tensor {
		return tensor.Where(x.GtScalar(v), x, tensor.ZerosLike(x))
	}),

	"Add": two((*tensor.Tensor).Add), "Sub": two((*tensor.Tensor).Sub), "Mul": two((*tensor.Tensor).Mul),
	"Div": two(quotient), "Mod": mod,
	"Pow": two(func(x, y *tensor.Tensor) *tensor.Tensor { return x.Double().PowTensor(y.Double()).To(x.DType()) }),
	"Sum": over((*tensor.Tensor).Add),
	"Max": over((*tensor.Tensor).Maximum),
	"Min": over((*tensor.Tensor).Minimum),
	"Mean": func(n *node) []*tensor.Tensor {
		return one(fold(n, (*tensor.Tensor).Add).DivScalar(float64(len(n.Inputs))))
	},

	"BitwiseAnd": two((*tensor.Tensor).BitwiseAnd), "BitwiseOr": two((*tensor.Tensor).BitwiseOr),
	"BitwiseXor": two((*tensor.Tensor).BitwiseXor), "BitShift": bitShift,

	"Cast":     func(n *node) []*tensor.Tensor { return one(n.input(0).To(dtypes[n.integer("to", 0)])) },
	"CastLike": two(func(x, y *tensor.Tensor) *tensor.Tensor { return x.To(y.DType()) }),

	"Dropout": dropout,
}

func activation(name string, or float64, f func(x *tensor.Tensor, v float64) *tensor.Tensor) operator {
	return func(n *node) []*tensor.Tensor { return one(f(n.input(0), n.float(name, or))) }
}

// over is an operator of any number of inputs.
func over(f func(x, y *tensor.Tensor) *tensor.Tensor) operator {
	return func(n *node) []*tensor.Tensor { return one(fold(n, f)) }
}

func fold(n *node, f func(x, y *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	x := n.input(0)
	for i := 1; i < len(n.Inputs); i++ {
		x = f(x, n.input(i))
	}
	return x
}

func gelu(n *node) []*tensor.Tensor {
	if n.text("approximate", "none") == "tanh" {
		return one(n.input(0).GELUTanh())
	}
	return one(n.input(0).GELU())
}

func selu(n *node) []*tensor.Tensor {
	return one(n.input(0).ELU(n.float("alpha", 1.67326319217681884765625)).MulScalar(n.float("gamma", 1.05070102214813232421875)))
}

func shrink(n *node) []*tensor.Tensor {
	x, lambda, bias := n.input(0), n.float("lambd", 0.5), n.float("bias", 0)
	y := tensor.Where(x.GtScalar(lambda), x.SubScalar(bias), tensor.ZerosLike(x))
	return one(tensor.Where(x.LtScalar(-lambda), x.AddScalar(bias), y))
}

func clip(n *node) []*tensor.Tensor {
	x := n.input(0)
	if n.has(1) {
		x = x.Maximum(n.input(1))
	}
	if n.has(2) {
		x = x.Minimum(n.input(2))
	}
	return one(x)
}

func quotient(x, y *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsFloat() {
		return x.Div(y)
	}
	return x.DivTrunc(y)
}

func mod(n *node) []*tensor.Tensor {
	if n.flag("fmod", 0) {
		return one(n.input(0).Fmod(n.input(1)))
	}
	return one(n.input(0).Remainder(n.input(1)))
}

func bitShift(n *node) []*tensor.Tensor {
	if n.text("direction", "") == "LEFT" {
		return one(n.input(0).BitwiseLeftShift(n.input(1)))
	}
	return one(n.input(0).BitwiseRightShift(n.input(1)))
}

// dropout is that of inference, and that of training with probability 0.
func dropout(n *node) []*tensor.Tensor {
	x := n.input(0)
	return []*tensor.Tensor{x, tensor.OnesLike(x).Bool()}
}

// comparisons give booleans.
var comparisons = map[string]operator{
	"Equal": two((*tensor.Tensor).Eq), "Greater": two((*tensor.Tensor).Gt), "GreaterOrEqual": two((*tensor.Tensor).Ge),
	"Less": two((*tensor.Tensor).Lt), "LessOrEqual": two((*tensor.Tensor).Le),
	"And": two((*tensor.Tensor).LogicalAnd), "Or": two((*tensor.Tensor).LogicalOr), "Xor": two((*tensor.Tensor).LogicalXor),
	"IsNaN": unary((*tensor.Tensor).IsNaN),
	"IsInf": func(n *node) []*tensor.Tensor {
		x := n.input(0)
		high := x.EqScalar(math.Inf(1)).LogicalAnd(truth(x, n.flag("detect_positive", 1)))
		return one(high.LogicalOr(x.EqScalar(math.Inf(-1)).LogicalAnd(truth(x, n.flag("detect_negative", 1)))))
	},
	"Where": func(n *node) []*tensor.Tensor { return one(tensor.Where(n.input(0), n.input(1), n.input(2))) },
}

// truth has the shape of x and one value.
func truth(x *tensor.Tensor, v bool) *tensor.Tensor {
	return tensor.On(x.Device()).As(dtype.Bool).Full(x.Shape(), v)
}
