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
	"torch.argsort": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg(a, "dim", -1)
		descending := flag[tensor.Descending](a, "descending", false)
		pyexpr.Arg(a, "stable", false) // it always is
		return x.ArgSort(axis, descending)
	},

	"torch.median":      allOrAlong((*tensor.Tensor).Median, (*tensor.Tensor).MedianAxis),
	"torch.nanmedian":   allOrAlong((*tensor.Tensor).NaNMedian, (*tensor.Tensor).NaNMedianAxis),
	"torch.quantile":    quantile((*tensor.Tensor).Quantile),
	"torch.nanquantile": quantile((*tensor.Tensor).NaNQuantile),
	"torch.mode": func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg(a, "dim", -1)
		return tuple(x.Mode(axis, flag[tensor.KeepDim](a, "keepdim", false)))
	},
	"torch.kthvalue": func(a *pyexpr.Args) any {
		x, k, axis := input(a, "input"), pyexpr.Arg[int](a, "k"), pyexpr.Arg(a, "dim", -1)
		return tuple(x.KthValue(k, axis, flag[tensor.KeepDim](a, "keepdim", false)))
	},

	"torch.cumprod":      along((*tensor.Tensor).CumProd),
	"torch.cummax":       pairAlong((*tensor.Tensor).CumMax),
	"torch.cummin":       pairAlong((*tensor.Tensor).CumMin),
	"torch.logcumsumexp": along((*tensor.Tensor).LogCumSumExp),

	"torch.nansum":   overAxes((*tensor.Tensor).NaNSum),
	"torch.nanmean":  overAxes((*tensor.Tensor).NaNMean),
	"torch.var_mean": spread((*tensor.Tensor).VarMean),
	"torch.std_mean": spread((*tensor.Tensor).StdMean),
	"torch.aminmax": func(a *pyexpr.Args) any {
		x, axes := input(a, "input"), sizes(a, "dim", nil)
		return tuple(x.AMinMax(axes, flag[tensor.KeepDim](a, "keepdim", false)))
	},
	"torch.norm": func(a *pyexpr.Args) any {
		x, p, axes := input(a, "input"), pyexpr.Arg(a, "p", 2.0), sizes(a, "dim", nil)
		return x.NormAxes(p, axes, flag[tensor.KeepDim](a, "keepdim", false))
	},

	"torch.bincount": func(a *pyexpr.Args) any {
		x := input(a, "input")
		var opts []tensor.BinCountOption
		if w := optional(a, "weights"); w != nil {
			opts = append(opts, tensor.CountWeights(w))
		}
		return x.BinCount(append(opts, tensor.MinLength(pyexpr.Arg(a, "minlength", 0)))...)
	},
	"torch.histc": func(a *pyexpr.Args) any {
		x, bins := input(a, "input"), pyexpr.Arg(a, "bins", 100)
		low, high := pyexpr.Arg(a, "min", 0.0), pyexpr.Arg(a, "max", 0.0)
		return x.Histc(bins, low, high)
	},
	"torch.diff": func(a *pyexpr.Args) any {
		x, n, axis := input(a, "input"), pyexpr.Arg(a, "n", 1), pyexpr.Arg(a, "dim", -1)
		opts := []tensor.DiffOption{tensor.DiffOrder(n)}
		if t := optional(a, "prepend"); t != nil {
			opts = append(opts, tensor.Prepend(t))
		}
		if t := optional(a, "append"); t != nil {
			opts = append(opts, tensor.Append(t))
		}
		return x.Diff(axis, opts...)
	},
}

func along(f func(x *tensor.Tensor, axis int) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		return f(x, axis)
	}
}

func pairAlong(f func(x *tensor.Tensor, axis int) (values, indices *tensor.Tensor)) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, axis := input(a, "input"), pyexpr.Arg[int](a, "dim")
		return tuple(f(x, axis))
	}
}

func overAxes(f func(x *tensor.Tensor, axes []int, keep ...tensor.KeepDim) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, axes := input(a, "input"), sizes(a, "dim", nil)
		return f(x, axes, flag[tensor.KeepDim](a, "keepdim", false))
	}
}

// spread is a variance or a standard deviation with the mean.
func spread(f func(x *tensor.Tensor, axes []int, opts ...tensor.VarOption) (spread, mean *tensor.Tensor)) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, axes, correction := input(a, "input"), sizes(a, "dim", nil), pyexpr.Arg(a, "correction", 1.0)
		return tuple(f(x, axes, tensor.Correction(correction), flag[tensor.KeepDim](a, "keepdim", false)))
	}
}

// allOrAlong is of all elements where no axis is named.
func allOrAlong(all func(x *tensor.Tensor) *tensor.Tensor, along func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) (values, indices *tensor.Tensor)) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		if !a.Has("dim") {
			return all(x)
		}
		axis := pyexpr.Arg[int](a, "dim")
		return tuple(along(x, axis, flag[tensor.KeepDim](a, "keepdim", false)))
	}
}

func quantile(f func(x *tensor.Tensor, q any, opts ...tensor.QuantileOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, q := input(a, "input"), pyexpr.Arg[any](a, "q")
		var opts []tensor.QuantileOption
		if a.Has("dim") {
			opts = append(opts, tensor.OverAxis(pyexpr.Arg[int](a, "dim")))
		}
		between := pyexpr.Arg(a, "interpolation", "linear")
		return f(x, q, append(opts, tensor.Between(between), flag[tensor.KeepDim](a, "keepdim", false))...)
	}
}
