package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var activations = table{
	"F.elu": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.ELU(pyexpr.Arg(a, "alpha", 1.0))
	},
	"F.selu": unary((*tensor.Tensor).SELU),
	"F.celu": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.CELU(pyexpr.Arg(a, "alpha", 1.0))
	},
	"F.hardtanh": func(a *pyexpr.Args) any {
		x, low, high := input(a, "input"), pyexpr.Arg(a, "min_val", -1.0), pyexpr.Arg(a, "max_val", 1.0)
		return x.Hardtanh(low, high)
	},
	"F.relu6":       unary((*tensor.Tensor).ReLU6),
	"F.hardswish":   unary((*tensor.Tensor).Hardswish),
	"F.hardsigmoid": unary((*tensor.Tensor).Hardsigmoid),
	"F.softsign":    unary((*tensor.Tensor).Softsign),
	"F.logsigmoid":  unary((*tensor.Tensor).LogSigmoid),
	"F.mish":        unary((*tensor.Tensor).Mish),
	"F.tanhshrink":  unary((*tensor.Tensor).Tanhshrink),
	"F.threshold": func(a *pyexpr.Args) any {
		x, threshold, value := input(a, "input"), pyexpr.Arg[float64](a, "threshold"), pyexpr.Arg[float64](a, "value")
		return x.Threshold(threshold, value)
	},
	"F.hardshrink": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Hardshrink(pyexpr.Arg(a, "lambd", 0.5))
	},
	"F.softshrink": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Softshrink(pyexpr.Arg(a, "lambd", 0.5))
	},
	"F.prelu": func(a *pyexpr.Args) any {
		x, weight := input(a, "input"), input(a, "weight")
		return x.PReLU(weight)
	},
	"F.glu": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.GLU(pyexpr.Arg(a, "dim", -1))
	},
	"F.softmax":     alongAxis((*tensor.Tensor).Softmax),
	"F.log_softmax": alongAxis((*tensor.Tensor).LogSoftmax),
	"F.softmin":     alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.Neg().Softmax(axis) }),
}

// alongAxis is a function along one axis, dim.
func alongAxis(f func(x *tensor.Tensor, axis int) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		return f(x.To(pyexpr.Arg(a, "dtype", x.DType())), axis)
	}
}
