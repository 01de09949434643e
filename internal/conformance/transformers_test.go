package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/nn"
)

var transformers = table{
	"nn.MultiheadAttention": func(a *pyexpr.Args) any {
		width, heads := pyexpr.Arg[int](a, "embed_dim"), pyexpr.Arg[int](a, "num_heads")
		opts := []nn.MultiheadAttentionOption{
			nn.AttentionDropout(pyexpr.Arg(a, "dropout", 0.0)), nn.Bias(pyexpr.Arg(a, "bias", true)), nn.AddBiasKV(pyexpr.Arg(a, "add_bias_kv", false)),
			nn.AddZeroAttention(pyexpr.Arg(a, "add_zero_attn", false)), nn.KeyWidth(pyexpr.Arg(a, "kdim", 0)), nn.ValueWidth(pyexpr.Arg(a, "vdim", 0)),
			nn.BatchFirst(pyexpr.Arg(a, "batch_first", false)),
		}
		return nn.NewMultiheadAttention(width, heads, opts...)
	},
	"nn.TransformerEncoderLayer": func(a *pyexpr.Args) any {
		width, heads, opts := transformerLayer(a)
		return nn.NewTransformerEncoderLayer(width, heads, opts...)
	},
	"nn.TransformerDecoderLayer": func(a *pyexpr.Args) any {
		width, heads, opts := transformerLayer(a)
		return nn.NewTransformerDecoderLayer(width, heads, opts...)
	},
	"nn.TransformerEncoder": func(a *pyexpr.Args) any {
		layer, n := pyexpr.Arg[*nn.TransformerEncoderLayer](a, "encoder_layer"), pyexpr.Arg[int](a, "num_layers")
		norm := pyexpr.Arg(a, "norm", (*nn.LayerNorm)(nil))
		pyexpr.Arg(a, "enable_nested_tensor", true)
		return nn.NewTransformerEncoder(layer, n, norm)
	},
	"nn.TransformerDecoder": func(a *pyexpr.Args) any {
		layer, n := pyexpr.Arg[*nn.TransformerDecoderLayer](a, "decoder_layer"), pyexpr.Arg[int](a, "num_layers")
		return nn.NewTransformerDecoder(layer, n, pyexpr.Arg(a, "norm", (*nn.LayerNorm)(nil)))
	},
	"nn.Transformer": func(a *pyexpr.Args) any {
		width, heads := pyexpr.Arg(a, "d_model", 512), pyexpr.Arg(a, "nhead", 8)
		encoders, decoders := pyexpr.Arg(a, "num_encoder_layers", 6), pyexpr.Arg(a, "num_decoder_layers", 6)
		return nn.NewTransformer(width, heads, encoders, decoders, transformerOptions(a)...)
	},
}

func transformerLayer(a *pyexpr.Args) (width, heads int, opts []nn.TransformerOption) {
	width, heads = pyexpr.Arg[int](a, "d_model"), pyexpr.Arg[int](a, "nhead")
	return width, heads, transformerOptions(a)
}

func transformerOptions(a *pyexpr.Args) []nn.TransformerOption {
	return []nn.TransformerOption{
		nn.FeedForward(pyexpr.Arg(a, "dim_feedforward", 2048)), nn.DropoutP(pyexpr.Arg(a, "dropout", 0.1)),
		nn.ActivationName(pyexpr.Arg(a, "activation", "relu")), nn.Eps(pyexpr.Arg(a, "layer_norm_eps", 1e-5)),
		nn.BatchFirst(pyexpr.Arg(a, "batch_first", false)), nn.NormFirst(pyexpr.Arg(a, "norm_first", false)), nn.Bias(pyexpr.Arg(a, "bias", true)),
	}
}

// callTransformer calls attention or a layer around it; ok is false for other modules.
func callTransformer(m any, a *pyexpr.Args) (result any, ok bool) {
	switch m := m.(type) {
	case *nn.MultiheadAttention:
		q := input(a, "query")
		k := input(a, "key")
		v := input(a, "value")
		opts := []nn.AttendOption{nn.KeyPadding(optional(a, "key_padding_mask"))}
		need := pyexpr.Arg(a, "need_weights", true)
		opts = append(opts, nn.AttentionMask(optional(a, "attn_mask")), nn.EachHead(!pyexpr.Arg(a, "average_attn_weights", true)), nn.Causal(pyexpr.Arg(a, "is_causal", false)))
		if !need {
			return []any{m.Forward(q, k, v, opts...), nil}, true
		}
		out, weights := m.Weights(q, k, v, opts...)
		return []any{out, weights}, true
	case *nn.TransformerEncoderLayer:
		return m.Forward(input(a, "src"), encoderOptions(a, "src_mask")...), true
	case *nn.TransformerEncoder:
		return m.Forward(input(a, "src"), encoderOptions(a, "mask")...), true
	case *nn.TransformerDecoderLayer:
		x := input(a, "tgt")
		return m.Forward(x, input(a, "memory"), decoderOptions(a)...), true
	case *nn.TransformerDecoder:
		x := input(a, "tgt")
		return m.Forward(x, input(a, "memory"), decoderOptions(a)...), true
	case *nn.Transformer:
		x := input(a, "src")
		return m.Forward(x, input(a, "tgt")), true
	}
	return nil, false
}

func encoderOptions(a *pyexpr.Args, mask string) []nn.AttendOption {
	opts := []nn.AttendOption{nn.AttentionMask(optional(a, mask)), nn.KeyPadding(optional(a, "src_key_padding_mask"))}
	return append(opts, nn.Causal(pyexpr.Arg(a, "is_causal", false)))
}

func decoderOptions(a *pyexpr.Args) []nn.AttendOption {
	opts := []nn.AttendOption{nn.AttentionMask(optional(a, "tgt_mask")), nn.Memory(nn.AttentionMask(optional(a, "memory_mask")))}
	return append(opts, nn.KeyPadding(optional(a, "tgt_key_padding_mask")), nn.Memory(nn.KeyPadding(optional(a, "memory_key_padding_mask"))))
}
