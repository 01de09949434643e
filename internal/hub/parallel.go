package hub

import "cresset/nn/tp"

// DecoderPlan divides decoders whose parameters have Llama's names: heads, the width within an MLP and the vocabulary.
func DecoderPlan() tp.Plan {
	return tp.Plan{
		"model.embed_tokens":              tp.RowwiseParallel{},
		"model.layers.*.self_attn.q_proj": tp.ColwiseParallel{},
		"model.layers.*.self_attn.k_proj": tp.ColwiseParallel{},
		"model.layers.*.self_attn.v_proj": tp.ColwiseParallel{},
		"model.layers.*.self_attn.o_proj": tp.RowwiseParallel{},
		"model.layers.*.mlp.gate_proj":    tp.ColwiseParallel{},
		"model.layers.*.mlp.up_proj":      tp.ColwiseParallel{},
		"model.layers.*.mlp.down_proj":    tp.RowwiseParallel{},
		"lm_head":                         tp.ColwiseParallel{GatherOutput: true},
	}
}
