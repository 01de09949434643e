package data

import "cresset/tensor"

// SplitBatches gives this process a part of each batch: that of its rank, from 0 to replicas-1, of parts that are equal but for one sample. BatchSize is that
// of all processes together. The processes have to draw the same order, from a Generator in the same state or the default one. A state dict does not depend on the
// rank, so that another number of processes goes on with it, in the midst of an epoch too. It panics where the rank is none of the replicas.
func SplitBatches(replicas, rank int) LoaderOption {
	if rank < 0 || rank >= replicas {
		refuse(tensor.ErrValue, "Invalid rank %d, rank should be in the interval [0, %d]", rank, replicas-1)
	}
	return option(func(o *options) { o.replicas, o.rank = replicas, rank })
}

// ours returns where this process's part of so many samples is.
func (o *options) ours(samples int) (from, to int) {
	if o.replicas == 0 {
		return 0, samples
	}
	return samples * o.rank / o.replicas, samples * (o.rank + 1) / o.replicas
}
