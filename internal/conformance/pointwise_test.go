package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var pointwise = table{
	"Tensor.sign":   unary((*tensor.Tensor).Sign),
	"Tensor.square": unary((*tensor.Tensor).Square),
	"Tensor.sin":    unary((*tensor.Tensor).Sin),
	"Tensor.abs":    unary((*tensor.Tensor).Abs),

	"Tensor.bool":    unary((*tensor.Tensor).Bool),
	"Tensor.double":  unary((*tensor.Tensor).Double),
	"torch.frac":     unary((*tensor.Tensor).Frac),
	"torch.copysign": binary((*tensor.Tensor).Copysign),
	"torch.heaviside": func(a *pyexpr.Args) any {
		x, values := input(a, "input"), input(a, "values")
		return x.Heaviside(values)
	},
	"torch.lerp": func(a *pyexpr.Args) any {
		x, end, weight := input(a, "input"), input(a, "end"), pyexpr.Arg[any](a, "weight")
		return x.Lerp(end, weight)
	},
	"torch.addcmul": combined((*tensor.Tensor).AddCMul),
	"torch.addcdiv": combined((*tensor.Tensor).AddCDiv),
	"torch.clamp": func(a *pyexpr.Args) any {
		x, low, high := input(a, "input"), pyexpr.Arg[any](a, "min", nil), pyexpr.Arg[any](a, "max", nil)
		return x.Clamp(low, high)
	},
	"torch.nan_to_num": func(a *pyexpr.Args) any {
		var opts []tensor.NaNToNumOption
		x := input(a, "input")
		for _, o := range []struct {
			name string
			set  func(v float64) tensor.NaNToNumOption
		}{
			{"nan", func(v float64) tensor.NaNToNumOption { return tensor.NaN(v) }},
			{"posinf", func(v float64) tensor.NaNToNumOption { return tensor.PosInf(v) }},
			{"neginf", func(v float64) tensor.NaNToNumOption { return tensor.NegInf(v) }},
		} {
			if a.Has(o.name) {
				opts = append(opts, o.set(pyexpr.Arg[float64](a, o.name)))
			}
		}
		return x.NaNToNum(opts...)
	},
}

// combined is a function of three tensors and a factor, value.
func combined(f func(x, y, z *tensor.Tensor, value any) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y, z := input(a, "input"), input(a, "tensor1"), input(a, "tensor2")
		return f(x, y, z, pyexpr.Arg[any](a, "value", 1))
	}
}
