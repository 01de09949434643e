package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var products = table{
	"operator.matmul": binary((*tensor.Tensor).MatMul),
	"torch.dot":       binary((*tensor.Tensor).Dot),
	"torch.einsum": func(a *pyexpr.Args) any {
		equation := pyexpr.Arg[string](a, "equation")
		return tensor.Einsum(equation, pyexpr.Rest[*tensor.Tensor](a, "operands")...)
	},
	"torch.tensordot": func(a *pyexpr.Args) any {
		x, y := input(a, "a"), input(a, "b")
		switch dims := pyexpr.Arg[any](a, "dims").(type) {
		case int:
			return x.TensorDot(y, dims)
		default:
			pair := dims.([]any)
			return x.TensorDotAxes(y, ints(pair[0]), ints(pair[1]))
		}
	},
	"torch.kron":    binary((*tensor.Tensor).Kron),
	"torch.addbmm":  addProduct("batch1", "batch2", (*tensor.Tensor).AddBMM),
	"torch.baddbmm": addProduct("batch1", "batch2", (*tensor.Tensor).BAddBMM),
	"torch.addmv":   addProduct("mat", "vec", (*tensor.Tensor).AddMV),
	"torch.addr":    addProduct("vec1", "vec2", (*tensor.Tensor).AddR),
	"torch.cdist": func(a *pyexpr.Args) any {
		x, y := input(a, "x1"), input(a, "x2")
		return tensor.CDist(x, y, pyexpr.Arg(a, "p", 2.0))
	},
	"F.pdist": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.PDist(pyexpr.Arg(a, "p", 2.0))
	},
	"F.pairwise_distance": func(a *pyexpr.Args) any {
		x, y, p := input(a, "x1"), input(a, "x2"), pyexpr.Arg(a, "p", 2.0)
		return tensor.PairwiseDistance(x, y, p, tensor.Eps(pyexpr.Arg(a, "eps", 1e-6)))
	},
	"F.cosine_similarity": func(a *pyexpr.Args) any {
		x, y, axis := input(a, "x1"), input(a, "x2"), pyexpr.Arg(a, "dim", 1)
		return tensor.CosineSimilarity(x, y, axis, tensor.Eps(pyexpr.Arg(a, "eps", 1e-8)))
	},
	"F.normalize": func(a *pyexpr.Args) any {
		x, p, axis := input(a, "input"), pyexpr.Arg(a, "p", 2.0), pyexpr.Arg(a, "dim", 1)
		return x.Normalize(p, axis, tensor.Eps(pyexpr.Arg(a, "eps", 1e-12)))
	},
}

// addProduct is a function that adds a product to a tensor.
func addProduct(first, second string, f func(x, a, b *tensor.Tensor, opts ...tensor.AddProductOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y, z := input(a, "input"), input(a, first), input(a, second)
		beta, alpha := pyexpr.Arg(a, "beta", 1.0), pyexpr.Arg(a, "alpha", 1.0)
		return f(x, y, z, tensor.Beta(beta), tensor.Alpha(alpha))
	}
}

// ints returns a list of integers.
func ints(v any) []int {
	var list []int
	for _, item := range v.([]any) {
		list = append(list, item.(int))
	}
	return list
}
