package data

import (
	"slices"

	"cresset/tensor"
)

// BatchSampler cuts the order of a Sampler into batches. It is an option of NewLoader.
type BatchSampler struct {
	sampler *Sampler
	size    int // of each batch, 0 where they differ
	batches int
	drops   bool // a last one that is smaller
	cut     func(order []int) [][]int
}

// NewBatchSampler returns a sampler of batches of one size, but for the last. It panics where that is not positive.
func NewBatchSampler(s *Sampler, batchSize int, opts ...BatchSamplerOption) *BatchSampler {
	if batchSize < 1 {
		refuse(tensor.ErrValue, "batch_size should be a positive integer value, but got batch_size=%d", batchSize)
	}
	b := &BatchSampler{sampler: s, size: batchSize, batches: s.Len() / batchSize}
	if b.drops = optionsOf(opts).dropLast; !b.drops && s.Len()%batchSize > 0 {
		b.batches++
	}
	b.cut = func(order []int) [][]int {
		batches := make([][]int, b.batches)
		for i := range batches {
			from := i * batchSize
			batches[i] = order[from : from+min(batchSize, len(order)-from)]
		}
		return batches
	}
	return b
}

// NewBatchSamplerBy returns a sampler of batches that cut makes of each epoch's order, such as texts of equal length. Each epoch has
// to have the same number of batches.
func NewBatchSamplerBy(s *Sampler, batches int, cut func(order []int) [][]int) *BatchSampler {
	if batches < 0 {
		refuse(tensor.ErrValue, "an epoch cannot have %d batches", batches)
	}
	return &BatchSampler{sampler: s, batches: batches, cut: cut}
}

// Len returns the number of batches in an epoch.
func (b *BatchSampler) Len() int { return b.batches }

// Batches draws the batches of the next epoch.
func (b *BatchSampler) Batches() [][]int { return b.of(b.sampler.Indices()) }

// of cuts an order; it panics where the number of batches is not the one that was promised.
func (b *BatchSampler) of(order []int) [][]int {
	batches := b.cut(order)
	if len(batches) != b.batches {
		refuse(tensor.ErrValue, "the order was cut into %d batches, not %d", len(batches), b.batches)
	}
	return batches
}

// rest cuts what is left of an order when the number of processes has changed.
func (b *BatchSampler) rest(order []int) (batches [][]int) {
	for batch := range slices.Chunk(order, b.size) {
		if len(batch) == b.size || !b.drops {
			batches = append(batches, batch)
		}
	}
	return batches
}

func (b *BatchSampler) set(o *options) { o.batches = b }
func (*BatchSampler) loader()          {}
