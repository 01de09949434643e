package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var shapes = table{
	"Tensor.t":          unary((*tensor.Tensor).T),
	"Tensor.clone":      unary((*tensor.Tensor).Clone),
	"Tensor.contiguous": unary((*tensor.Tensor).Contiguous),
	"Tensor.transpose": func(a *pyexpr.Args) any {
		x, first, second := input(a, "input"), pyexpr.Arg[int](a, "dim0"), pyexpr.Arg[int](a, "dim1")
		return x.Transpose(first, second)
	},
	"Tensor.narrow": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		start, length := pyexpr.Arg[int](a, "start"), pyexpr.Arg[int](a, "length")
		return x.Narrow(axis, start, length)
	},
	"torch.stack": func(a *pyexpr.Args) any {
		list := tensors(pyexpr.Arg[any](a, "tensors"))
		return tensor.Stack(list, pyexpr.Arg(a, "dim", 0))
	},
	"torch.cat": func(a *pyexpr.Args) any {
		list := tensors(pyexpr.Arg[any](a, "tensors"))
		return tensor.Cat(list, pyexpr.Arg(a, "dim", 0))
	},
	"Tensor.unsqueeze": alongAxis((*tensor.Tensor).Unsqueeze),
}
