package gemma2

import "cresset/nn/tp"

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, the width within an MLP and the vocabulary. The number of ranks has to divide KeyValueHeads.
func (m *Model) TensorParallelPlan() tp.Plan {
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
