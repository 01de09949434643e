package conformance

import (
	"cresset/dtype"
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

// mixed are functions that only the recording of dtypes calls.
var mixed = table{
	"torch.mm": binary((*tensor.Tensor).MM), "torch.bmm": binary((*tensor.Tensor).BMM), "torch.mv": binary((*tensor.Tensor).MV),
	"torch.outer": binary((*tensor.Tensor).Outer), "torch.maximum": binary((*tensor.Tensor).Maximum),
	"torch.addmm": func(a *pyexpr.Args) any {
		x, y, z := input(a, "input"), input(a, "mat1"), input(a, "mat2")
		return x.AddMM(y, z)
	},
	"F.bilinear": func(a *pyexpr.Args) any {
		x, y, w := input(a, "input1"), input(a, "input2"), input(a, "weight")
		return x.Bilinear(y, w, nil)
	},
	"F.batch_norm": func(a *pyexpr.Args) any {
		x, mean, variance := input(a, "input"), input(a, "running_mean"), input(a, "running_var")
		return x.BatchNorm(nil, nil, mean, variance, flag[tensor.Training](a, "training", false))
	},
	"F.dropout": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Dropout(pyexpr.Arg[float64](a, "p"))
	},
	"F.relu": unary((*tensor.Tensor).ReLU), "torch.sigmoid": unary((*tensor.Tensor).Sigmoid), "torch.tanh": unary((*tensor.Tensor).Tanh),
	"torch.exp": unary((*tensor.Tensor).Exp), "torch.log": unary((*tensor.Tensor).Log), "torch.sqrt": unary((*tensor.Tensor).Sqrt),
	"torch.rsqrt": unary((*tensor.Tensor).Rsqrt), "torch.sin": unary((*tensor.Tensor).Sin), "Tensor.float": unary((*tensor.Tensor).Float),
	"Tensor.mean": unary((*tensor.Tensor).Mean), "Tensor.prod": unary((*tensor.Tensor).Prod), "Tensor.var": unary((*tensor.Tensor).Var),
	"Tensor.norm": unary((*tensor.Tensor).Norm), "torch.cumsum": alongAxis((*tensor.Tensor).CumSum),
	"Tensor.cumprod": alongAxis((*tensor.Tensor).CumProd),
	"Tensor.amax":    alongAxis(func(x *tensor.Tensor, axis int) *tensor.Tensor { return x.AMax([]int{axis}) }),
	"torch.pow": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.Pow(pyexpr.Arg[any](a, "exponent"))
	},
	"Tensor.max": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return tuple(x.MaxAxis(pyexpr.Arg[int](a, "dim")))
	},
	"Tensor.to": func(a *pyexpr.Args) any {
		x := input(a, "input")
		return x.To(pyexpr.Arg[dtype.DType](a, "dtype"))
	},
}
