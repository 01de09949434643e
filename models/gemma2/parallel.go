package gemma2

import (
	"cresset/internal/hub"
	"cresset/nn/tp"
)

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, the width within an MLP and the vocabulary. The number of ranks has to divide KeyValueHeads.
func (m *Model) TensorParallelPlan() tp.Plan {
	return hub.DecoderPlan()
}
