package data

import "cresset/tensor"

// Dataset is a finite collection of samples, which it gives in batches of type B: mostly Batch, or a struct of the program's own.
type Dataset[B any] interface {
	// Len returns the number of samples.
	Len() int
	// Batch returns the samples with the given indices, one after another along a new first axis. A Loader with workers
	// calls it from several goroutines at once.
	Batch(indices []int) (B, error)
}

// RandomDataset is a Dataset whose samples draw random numbers, as pictures do that are cropped at random.
type RandomDataset[B any] interface {
	Dataset[B]
	// RandomBatch is Batch where each sample draws from a generator with the seed that stands at its place. A Loader calls it
	// with seeds that follow from the epoch and the sample's place in it alone.
	RandomBatch(indices []int, seeds []int64) (B, error)
}

// Batch is what a training step takes: inputs, and the targets that belong to them, sample by sample along axis 0.
type Batch struct {
	Inputs  *tensor.Tensor
	Targets *tensor.Tensor // nil where the data set has none
	Scope   *tensor.Scope  // owns what is computed from the batch; nil unless the Loader was asked for scopes
}

// Len returns the number of samples in the batch.
func (b Batch) Len() int { return b.Inputs.Shape()[0] }

// batchOf asks a data set for a batch. The seeds are nil where the caller has none; then the default generator draws them.
func batchOf[B any](d Dataset[B], indices []int, seeds []int64) (B, error) {
	random, ok := d.(RandomDataset[B])
	if !ok || seeds == nil {
		return d.Batch(indices)
	}
	return random.RandomBatch(indices, seeds)
}
