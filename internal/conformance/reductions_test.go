package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var reductions = table{
	"Tensor.sum": unary((*tensor.Tensor).Sum),
	"torch.sort": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg(a, "dim", -1)
		return tuple(x.Sort(axis, flag[tensor.Descending](a, "descending", false)))
	},
	"torch.topk": func(a *pyexpr.Args) any {
		x, k, axis := input(a, "input"), pyexpr.Arg[int](a, "k"), pyexpr.Arg(a, "dim", -1)
		return tuple(x.TopK(k, axis, flag[tensor.Largest](a, "largest", true)))
	},
}
