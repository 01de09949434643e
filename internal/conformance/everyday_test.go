package conformance

import (
	"maps"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

// everyday are the functions of which only the recordings of second derivatives make use.
var everyday = table{
	"Tensor.exp":     unary((*tensor.Tensor).Exp),
	"Tensor.log":     unary((*tensor.Tensor).Log),
	"Tensor.sin":     unary((*tensor.Tensor).Sin),
	"Tensor.tanh":    unary((*tensor.Tensor).Tanh),
	"Tensor.sigmoid": unary((*tensor.Tensor).Sigmoid),
	"Tensor.sqrt":    unary((*tensor.Tensor).Sqrt),
	"Tensor.square":  unary((*tensor.Tensor).Square),
	"F.gelu":         unary((*tensor.Tensor).GELU),
	"F.silu":         unary((*tensor.Tensor).SiLU),
	"F.softplus":     unary(func(x *tensor.Tensor) *tensor.Tensor { return x.Softplus(1, 20) }),
	"Tensor.softmax": alongAxis((*tensor.Tensor).Softmax),
	"Tensor.cumsum":  alongAxis((*tensor.Tensor).CumSum),
	"Tensor.prod":    alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.ProdAxis(axis) }),
	"Tensor.var":     alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.VarAxes([]int{axis}) }),
	"Tensor.std":     alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.StdAxes([]int{axis}) }),
	"Tensor.norm":    alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.NormAxes(2, []int{axis}) }),
	"Tensor.logsumexp": func(a *pyexpr.Args) any {
		x, axes := input(a, "input"), sizes(a, "dim")
		return x.LogSumExp(axes)
	},
	"Tensor.sum": func(a *pyexpr.Args) any {
		x := input(a, "input")
		if !a.Has("dim") {
			return x.Sum()
		}
		axes := sizes(a, "dim")
		return x.SumAxes(axes, flag[tensor.KeepDim](a, "keepdim", false))
	},
	"Tensor.gather": func(a *pyexpr.Args) any {
		x, axis, index := input(a, "input"), pyexpr.Arg[int](a, "dim"), input(a, "index")
		return x.Gather(axis, index)
	},
	"operator.getitem": func(a *pyexpr.Args) any {
		x, index := input(a, "input"), input(a, "index")
		return x.Index(index)
	},
	"torch.where": func(a *pyexpr.Args) any {
		cond, x, y := input(a, "condition"), input(a, "input"), input(a, "other")
		return tensor.Where(cond, x, y)
	},
	"Tensor.clamp": func(a *pyexpr.Args) any {
		x, low, high := input(a, "input"), pyexpr.Arg[float64](a, "min"), pyexpr.Arg[float64](a, "max")
		return x.Clamp(low, high)
	},
	"F.linear": func(a *pyexpr.Args) any {
		x, weight, bias := input(a, "input"), input(a, "weight"), optional(a, "bias")
		return x.Linear(weight, bias)
	},
	"F.batch_norm": func(a *pyexpr.Args) any {
		x, mean, variance := input(a, "input"), input(a, "running_mean"), input(a, "running_var")
		weight, bias := optional(a, "weight"), optional(a, "bias")
		return x.BatchNorm(weight, bias, mean, variance, flag[tensor.Training](a, "training", false))
	},
	"F.binary_cross_entropy_with_logits": func(a *pyexpr.Args) any {
		x, target := input(a, "input"), input(a, "target")
		return tensor.BCEWithLogits(x, target)
	},
}

// environmentOf is environment with everyday functions.
func environmentOf(dev device.Device, x []*tensor.Tensor) *pyexpr.Env {
	e := environment(dev, x)
	maps.Copy(e.Funcs, everyday)
	e.Funcs["torch.full"] = func(a *pyexpr.Args) any {
		size, value := sizes(a, "size"), pyexpr.Arg[float64](a, "fill_value")
		return tensor.On(dev).As(pyexpr.Arg(a, "dtype", dtype.Float32)).Full(size, value)
	}
	return e
}
