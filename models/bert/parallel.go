package bert

import "cresset/nn/tp"

// TensorParallelPlan says how tp.ParallelizeModule divides the model: heads, the width within a layer's last step and the vocabulary. The number of ranks has to divide Heads.
func (m *Model) TensorParallelPlan() tp.Plan {
	plan := tp.Plan{
		"bert.embeddings.word_embeddings":             tp.RowwiseParallel{},
		"bert.encoder.layer.*.attention.self.query":   tp.ColwiseParallel{},
		"bert.encoder.layer.*.attention.self.key":     tp.ColwiseParallel{},
		"bert.encoder.layer.*.attention.self.value":   tp.ColwiseParallel{},
		"bert.encoder.layer.*.attention.output.dense": tp.RowwiseParallel{},
		"bert.encoder.layer.*.intermediate.dense":     tp.ColwiseParallel{},
		"bert.encoder.layer.*.output.dense":           tp.RowwiseParallel{},
	}
	if m.Predictions != nil {
		plan["cls.predictions.decoder"] = tp.ColwiseParallel{GatherOutput: true}
	}
	return plan
}
