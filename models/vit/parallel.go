package vit

import "cresset/nn/tp"

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, and the width within a layer's last step. The number of ranks has to divide Heads.
func (m *Model) TensorParallelPlan() tp.Plan {
	return tp.Plan{
		"vit.encoder.layer.*.attention.attention.query": tp.ColwiseParallel{},
		"vit.encoder.layer.*.attention.attention.key":   tp.ColwiseParallel{},
		"vit.encoder.layer.*.attention.attention.value": tp.ColwiseParallel{},
		"vit.encoder.layer.*.attention.output.dense":    tp.RowwiseParallel{},
		"vit.encoder.layer.*.intermediate.dense":        tp.ColwiseParallel{},
		"vit.encoder.layer.*.output.dense":              tp.RowwiseParallel{},
	}
}
