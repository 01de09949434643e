package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var arithmetic = table{
	"operator.mul":     scalarOr((*tensor.Tensor).Mul, (*tensor.Tensor).MulScalar),
	"operator.add":     scalarOr((*tensor.Tensor).Add, (*tensor.Tensor).AddScalar),
	"operator.sub":     scalarOr((*tensor.Tensor).Sub, (*tensor.Tensor).SubScalar),
	"operator.truediv": scalarOr((*tensor.Tensor).Div, (*tensor.Tensor).DivScalar),
	"operator.gt":      scalarOr((*tensor.Tensor).Gt, (*tensor.Tensor).GtScalar),
	"operator.pow":     scalarOr((*tensor.Tensor).PowTensor, (*tensor.Tensor).Pow),
	"operator.neg":     unary((*tensor.Tensor).Neg),
}

// scalarOr is a binary operator whose second operand may be a number. A number that stands first belongs to an operator that
// may change its operands' places.
func scalarOr(f func(x, y *tensor.Tensor) *tensor.Tensor, scalar func(x *tensor.Tensor, v any) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y := pyexpr.Arg[any](a, "input"), pyexpr.Arg[any](a, "other")
		if _, ok := x.(*tensor.Tensor); !ok {
			x, y = y, x
		}
		if y, ok := y.(*tensor.Tensor); ok {
			return f(x.(*tensor.Tensor), y)
		}
		return scalar(x.(*tensor.Tensor), y)
	}
}
