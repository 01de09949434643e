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
