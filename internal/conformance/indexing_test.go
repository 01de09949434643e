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
	"operator.getitem": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Index(subscripts(pyexpr.Arg[any](a, "index"))...)
	},
	"Tensor.__setitem__": func(a *pyexpr.Args) any {
		x, index := input(a, "input"), subscripts(pyexpr.Arg[any](a, "index"))
		x.SetIndex(pyexpr.Arg[any](a, "value"), index...)
		return nil
	},
	"slice": func(a *pyexpr.Args) any { return pyexpr.Slice{Stop: pyexpr.Arg[any](a, "stop")} },
	"torch.take": func(a *pyexpr.Args) any {
		x, index := input(a, "input"), input(a, "index")
		return x.Take(index)
	},
	"torch.take_along_dim": func(a *pyexpr.Args) any {
		x, index := input(a, "input"), input(a, "indices")
		if a.Has("dim") {
			return x.TakeAlongAxis(index, pyexpr.Arg[int](a, "dim"))
		}
		return x.TakeAlongAxis(index)
	},

	"torch.searchsorted": func(a *pyexpr.Args) any {
		sorted, values := input(a, "sorted_sequence"), pyexpr.Arg[any](a, "input")
		opts := []tensor.SearchOption{flag[tensor.OutInt32](a, "out_int32", false), flag[tensor.Right](a, "right", false)}
		if a.Has("side") {
			opts = append(opts, tensor.Side(pyexpr.Arg[string](a, "side")))
		}
		if a.Has("sorter") {
			opts = append(opts, tensor.Sorter(input(a, "sorter")))
		}
		return tensor.SearchSorted(sorted, values, opts...)
	},
	"torch.bucketize": func(a *pyexpr.Args) any {
		x, boundaries := pyexpr.Arg[any](a, "input"), input(a, "boundaries")
		return tensor.Bucketize(x, boundaries, flag[tensor.OutInt32](a, "out_int32", false), flag[tensor.Right](a, "right", false))
	},

	"torch.unique":             distinct((*tensor.Tensor).Unique),
	"torch.unique_consecutive": distinct((*tensor.Tensor).UniqueConsecutive),

	"Tensor.scatter": func(a *pyexpr.Args) any {
		x, axis, index := input(a, "input"), pyexpr.Arg[int](a, "dim"), input(a, "index")
		return x.Scatter(axis, index, pyexpr.Arg[any](a, "src"))
	},
	"Tensor.scatter_reduce": func(a *pyexpr.Args) any { return reducing(a, (*tensor.Tensor).ScatterReduce) },
	"Tensor.index_reduce":   func(a *pyexpr.Args) any { return reducing(a, (*tensor.Tensor).IndexReduce) },
	"Tensor.index_add": func(a *pyexpr.Args) any {
		x, axis, index, src := destination(a)
		return x.IndexAdd(axis, index, src.MulScalar(pyexpr.Arg(a, "alpha", 1)))
	},
	"Tensor.index_copy": func(a *pyexpr.Args) any {
		x, axis, index, src := destination(a)
		return x.IndexCopy(axis, index, src)
	},
	"Tensor.index_fill": func(a *pyexpr.Args) any {
		x, axis, index := input(a, "input"), pyexpr.Arg[int](a, "dim"), input(a, "index")
		return x.IndexFill(axis, index, pyexpr.Arg[any](a, "value"))
	},
	"Tensor.index_put": func(a *pyexpr.Args) any {
		x, indices, values := input(a, "input"), tensors(pyexpr.Arg[any](a, "indices")), input(a, "values")
		return x.IndexPut(indices, values, flag[tensor.Accumulate](a, "accumulate", false))
	},
	"Tensor.masked_scatter": func(a *pyexpr.Args) any {
		x, mask, src := input(a, "input"), input(a, "mask"), input(a, "source")
		return x.MaskedScatter(mask, src)
	},
	"torch.select_scatter": func(a *pyexpr.Args) any {
		x, src, axis := input(a, "input"), input(a, "src"), pyexpr.Arg[int](a, "dim")
		return x.SelectScatter(src, axis, pyexpr.Arg[int](a, "index"))
	},
	"torch.slice_scatter": func(a *pyexpr.Args) any {
		x, src, axis := input(a, "input"), input(a, "src"), pyexpr.Arg(a, "dim", 0)
		start, end := pyexpr.Arg(a, "start", 0), pyexpr.Arg(a, "end", tensor.End)
		return x.SliceScatter(src, axis, start, end, pyexpr.Arg(a, "step", 1))
	},

	"F.one_hot": func(a *pyexpr.Args) any {
		x := input(a, "tensor")
		return tensor.OneHot(x, pyexpr.Arg(a, "num_classes", -1))
	},
}

// distinct returns, of what f returns, what is asked for.
func distinct(f func(x *tensor.Tensor, opts ...tensor.UniqueOption) (values, inverse, counts *tensor.Tensor)) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		var opts []tensor.UniqueOption
		if a.Has("dim") {
			opts = append(opts, tensor.OverAxis(pyexpr.Arg[int](a, "dim")))
		}
		values, inverse, counts := f(x, opts...)
		results := []*tensor.Tensor{values}
		if pyexpr.Arg(a, "return_inverse", false) {
			results = append(results, inverse)
		}
		if pyexpr.Arg(a, "return_counts", false) {
			results = append(results, counts)
		}
		return tuple(results...)
	}
}

// destination are a tensor, an axis, indices of it, and what goes there.
func destination(a *pyexpr.Args) (x *tensor.Tensor, axis int, index, src *tensor.Tensor) {
	x, axis = input(a, "input"), pyexpr.Arg[int](a, "dim")
	index, src = input(a, "index"), input(a, "source")
	return x, axis, index, src
}

func reducing(a *pyexpr.Args, f func(x *tensor.Tensor, axis int, index, src *tensor.Tensor, reduce string, self ...tensor.IncludeSelf) *tensor.Tensor) any {
	x, axis, index, src := destination(a)
	reduce := pyexpr.Arg[string](a, "reduce")
	return f(x, axis, index, src, reduce, flag[tensor.IncludeSelf](a, "include_self", true))
}

// subscripts are the indices of a subscript, which is a tuple of several.
func subscripts(v any) []any {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	indices := make([]any, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case pyexpr.Slice:
			indices[i] = tensor.Span(bound(v.Start, 0), bound(v.Stop, tensor.End), bound(v.Step, 1))
		case pyexpr.Ellipsis:
			indices[i] = tensor.Ellipsis
		default:
			indices[i] = v
		}
	}
	return indices
}

func bound(v any, or int) int {
	if v == nil {
		return or
	}
	return v.(int)
}
