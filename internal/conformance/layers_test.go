package conformance

import (
	"math"

	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var layers = table{
	"F.layer_norm": func(a *pyexpr.Args) any {
		x, shape := input(a, "input"), sizes(a, "normalized_shape")
		weight, bias := optional(a, "weight"), optional(a, "bias")
		return x.LayerNorm(shape, weight, bias, tensor.Eps(pyexpr.Arg(a, "eps", 1e-5)))
	},
	"F.scaled_dot_product_attention": func(a *pyexpr.Args) any {
		q, k, v := input(a, "query"), input(a, "key"), input(a, "value")
		opts := []tensor.AttentionOption{
			tensor.AttnMask(optional(a, "attn_mask")), tensor.DropoutP(pyexpr.Arg(a, "dropout_p", 0.0)), flag[tensor.IsCausal](a, "is_causal", false),
		}
		if scale := pyexpr.Arg(a, "scale", math.NaN()); !math.IsNaN(scale) {
			opts = append(opts, tensor.Scale(scale))
		}
		return tensor.ScaledDotProductAttention(q, k, v, append(opts, flag[tensor.EnableGQA](a, "enable_gqa", false))...)
	},
}
