package conformance

import (
	"maps"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pyexpr"
	"cresset/linalg"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// table says what Python names mean: a function by its dotted name, a method as Tensor.name with the receiver first.
type table = map[string]pyexpr.Func

// families are the tables, a file each.
var families = []table{
	arithmetic, pointwise, elementary, activations, reductions, indexing, shapes, products, layers, losses, initializers,
	convolutions, resampling, modules, recurrent, transformers, sampling, linearAlgebra, calling,
}

// environment evaluates expressions over x0, x1, ... on one device.
func environment(dev device.Device, in []*tensor.Tensor) *pyexpr.Env {
	e := &pyexpr.Env{Vars: map[string]any{}, Funcs: table{}, Class: class}
	for _, family := range families {
		maps.Copy(e.Funcs, family)
	}
	maps.Copy(e.Funcs, creation(dev))
	maps.Copy(e.Funcs, placed(dev))
	maps.Copy(e.Funcs, optimization())
	for i, x := range in {
		e.Vars["x"+string(rune('0'+i))] = x
	}
	for dt := dtype.Undefined + 1; dt < dtype.Count; dt++ {
		e.Vars["torch."+dt.Name()] = dt
	}
	return e
}

func class(v any) string {
	switch v.(type) {
	case *tensor.Tensor:
		return "Tensor"
	case pyexpr.Func:
		return "function"
	case linalg.LeastSquares:
		return "LeastSquares"
	case optim.Optimizer:
		return "Optimizer"
	case *optim.GradScaler:
		return "GradScaler"
	case nn.Module, *nn.RNN, *nn.GRU, *nn.LSTM, *nn.RNNCell, *nn.GRUCell, *nn.LSTMCell, nn.ModuleDict, nn.ModuleList, []*tensor.Tensor,
		*nn.MultiheadAttention, *nn.TransformerEncoderLayer, *nn.TransformerEncoder, *nn.TransformerDecoderLayer, *nn.TransformerDecoder, *nn.Transformer:
		return "Module"
	case interface {
		Forward(x, y *tensor.Tensor) *tensor.Tensor
	}:
		return "Module"
	}
	return "object"
}

// unary is a function of one tensor.
func unary(f func(x *tensor.Tensor) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any { return f(input(a, "input")) }
}

// binary is a function of two tensors.
func binary(f func(x, y *tensor.Tensor) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "other")
		return f(x, y)
	}
}

// input returns the next argument, a tensor; nil where it is None.
func input(a *pyexpr.Args, name string) *tensor.Tensor {
	return pyexpr.Arg[*tensor.Tensor](a, name)
}

// optional returns the next argument, a tensor, or nil where it is left out.
func optional(a *pyexpr.Args, name string) *tensor.Tensor {
	return pyexpr.Arg(a, name, (*tensor.Tensor)(nil))
}

// flag returns the next argument as one of Go's options of type bool.
func flag[T ~bool](a *pyexpr.Args, name string, or bool) T {
	return T(pyexpr.Arg(a, name, or))
}

func sizes(a *pyexpr.Args, name string, or ...[]int) []int { return pyexpr.Arg(a, name, or...) }

// tensors returns a list or tuple of tensors.
func tensors(v any) []*tensor.Tensor {
	var list []*tensor.Tensor
	for _, item := range v.([]any) {
		list = append(list, item.(*tensor.Tensor))
	}
	return list
}

// tuple returns tensors as Python's tuple of them.
func tuple(ts ...*tensor.Tensor) []any {
	values := make([]any, len(ts))
	for i, x := range ts {
		values[i] = x
	}
	return values
}

// creation are the functions that make tensors on a device.
func creation(dev device.Device) table {
	place := func(a *pyexpr.Args, or dtype.DType) tensor.Place {
		dt := pyexpr.Arg(a, "dtype", or)
		return tensor.On(dev).As(dt)
	}
	filled := func(f func(p tensor.Place, sizes ...int) *tensor.Tensor) pyexpr.Func {
		return func(a *pyexpr.Args) any {
			sizes := pyexpr.Rest[int](a, "size")
			x := f(place(a, dtype.Float32), sizes...)
			return x.SetRequiresGrad(pyexpr.Arg(a, "requires_grad", false))
		}
	}
	return table{
		"float": func(a *pyexpr.Args) any {
			return map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN()}[pyexpr.Arg[string](a, "x")]
		},
		"torch.autograd.grad": func(a *pyexpr.Args) any {
			y, x := input(a, "outputs"), input(a, "inputs")
			return tuple(tensor.Grad(y, []*tensor.Tensor{x})...)
		},
		"torch.ones":  filled(tensor.Place.Ones),
		"torch.zeros": filled(tensor.Place.Zeros),
		"torch.eye": func(a *pyexpr.Args) any {
			n := pyexpr.Arg[int](a, "n")
			return place(a, dtype.Float32).Eye(n)
		},
		"torch.tensor": func(a *pyexpr.Args) any {
			x := listed(pyexpr.Arg[any](a, "data"))
			usual := x.DType()
			if usual == dtype.Float64 {
				usual = dtype.Default
			}
			return x.To(pyexpr.Arg(a, "dtype", usual)).To(dev)
		},
	}
}

// listed returns nested lists of numbers as a tensor.
func listed(v any) *tensor.Tensor {
	switch v := v.(type) {
	case int:
		return tensor.Of(int64(v))
	case []any:
		if len(v) == 0 {
			return tensor.Zeros(0)
		}
		rows := make([]*tensor.Tensor, len(v))
		for i, item := range v {
			rows[i] = listed(item)
		}
		return tensor.Stack(rows, 0)
	default:
		return tensor.Of(v)
	}
}
