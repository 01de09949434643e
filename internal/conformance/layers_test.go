package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var layers = table{
	"F.layer_norm": func(a *pyexpr.Args) any {
		x, shape := input(a, "input"), sizes(a, "normalized_shape")
		weight, bias := optional(a, "weight"), optional(a, "bias")
		return x.LayerNorm(shape, weight, bias, tensor.Eps(pyexpr.Arg(a, "eps", 1e-5)))
	},
}
