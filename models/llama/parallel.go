package llama

import (
	"cresset/internal/hub"
	"cresset/nn/tp"
)

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, the width within an MLP and the vocabulary. The number of ranks has to divide KeyValueHeads.
func (m *Model) TensorParallelPlan() tp.Plan {
	plan := hub.DecoderPlan()
	if m.Config.ModelType == "qwen3" { // norms of each rank's heads
		plan["model.layers.*.self_attn.q_norm"] = tp.Replicate{}
		plan["model.layers.*.self_attn.k_norm"] = tp.Replicate{}
	}
	return plan
}
