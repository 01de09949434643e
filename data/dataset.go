package data

import "cresset/tensor"

// Dataset is a finite collection of samples.
type Dataset interface {
	// Len returns the number of samples.
	Len() int
	// Batch returns the samples with the given indices, one after another along a new first axis. A Loader with workers
	// calls it from several goroutines at once.
	Batch(indices []int) (Batch, error)
}

// Batch is what a training step takes: inputs, and the targets that belong to them, sample by sample along axis 0.
type Batch struct {
	Inputs  *tensor.Tensor
	Targets *tensor.Tensor // nil where the data set has none
	Scope   *tensor.Scope  // owns what is computed from the batch; nil unless the Loader was asked for scopes
}

// Len returns the number of samples in the batch.
func (b Batch) Len() int { return b.Inputs.Shape()[0] }
