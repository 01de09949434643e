package gpt2

import (
	"cresset/internal/friend"
	"cresset/nn/tp"
	"cresset/tensor"
)

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, the width within an MLP and the vocabulary. The number of ranks has to divide Heads.
func (m *Model) TensorParallelPlan() tp.Plan {
	return tp.Plan{
		"transformer.wte":             tp.RowwiseParallel{},
		"transformer.h.*.attn.c_attn": tp.ColwiseParallel{Blocks: 3}, // queries, keys and values
		"transformer.h.*.attn.c_proj": tp.RowwiseParallel{},
		"transformer.h.*.mlp.c_fc":    tp.ColwiseParallel{},
		"transformer.h.*.mlp.c_proj":  tp.RowwiseParallel{},
		"lm_head":                     tp.ColwiseParallel{GatherOutput: true},
	}
}

// Product is for package nn/tp, which divides the parameters among ranks.
func (c *Conv1D) Product() friend.Product[*tensor.Tensor] {
	return friend.Product[*tensor.Tensor]{Weight: c.Weight, Bias: c.Bias, Outputs: 1, Compute: &c.compute, At: &c.Weight, Quantized: &c.Quantized}
}
