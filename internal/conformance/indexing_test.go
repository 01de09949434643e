package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var indexing = table{
	"torch.masked_select": binary((*tensor.Tensor).MaskedSelect),
	"torch.nonzero":       unary((*tensor.Tensor).NonZero),
	"torch.where": func(a *pyexpr.Args) any {
		condition := input(a, "condition")
		if !a.Has("input") {
			return tuple(condition.NonZeroTuple()...)
		}
		x, y := pyexpr.Arg[any](a, "input"), pyexpr.Arg[any](a, "other")
		return tensor.Where(condition, x, y)
	},
	"F.one_hot": func(a *pyexpr.Args) any {
		x := input(a, "tensor")
		return tensor.OneHot(x, pyexpr.Arg(a, "num_classes", -1))
	},
}
