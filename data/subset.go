package data

import (
	"math"
	"slices"

	"cresset/tensor"
)

// Subset is a Dataset of some samples of another, in an order of its own.
type Subset[B any] struct {
	dataset Dataset[B]
	indices []int
}

// NewSubset returns the data set whose sample i is the sample indices[i] of another. It panics where that has no such sample.
func NewSubset[B any](dataset Dataset[B], indices []int) *Subset[B] {
	if err := anyOutside(indices, dataset.Len()); err != nil {
		panic(err)
	}
	return &Subset[B]{dataset, slices.Clone(indices)}
}

// Len returns the number of samples.
func (s *Subset[B]) Len() int { return len(s.indices) }

// Indices returns which samples of the other data set they are.
func (s *Subset[B]) Indices() []int { return slices.Clone(s.indices) }

// Batch returns samples of the other data set. An index that no sample has is an error.
func (s *Subset[B]) Batch(indices []int) (B, error) { return s.RandomBatch(indices, nil) }

// RandomBatch passes the seeds on.
func (s *Subset[B]) RandomBatch(indices []int, seeds []int64) (none B, err error) {
	if err := anyOutside(indices, len(s.indices)); err != nil {
		return none, err
	}
	theirs := make([]int, len(indices))
	for at, i := range indices {
		theirs[at] = s.indices[i]
	}
	return batchOf(s.dataset, theirs, seeds)
}

// RandomSplit divides a data set at random into parts of so many samples, or, where the lengths are fractions that add up to 1, of such
// shares of it, what is left over going to the first parts one by one. The parts are PyTorch's for a seed. It panics where the
// lengths do not add up.
func RandomSplit[B any, L int | float64](dataset Dataset[B], lengths []L, opts ...SplitOption) []*Subset[B] {
	sizes := partsOf(dataset.Len(), lengths)
	order := permutation(dataset.Len(), optionsOf(opts).generator)
	parts := make([]*Subset[B], len(sizes))
	for i, n := range sizes {
		parts[i] = &Subset[B]{dataset, order[:n:n]}
		order = order[n:]
	}
	return parts
}

// partsOf returns how many of n samples each part has.
func partsOf[L int | float64](n int, lengths []L) (sizes []int) {
	switch lengths := any(lengths).(type) {
	case []int:
		sizes = slices.Clone(lengths)
	case []float64:
		sizes = sharesOf(n, lengths)
	}
	left := n
	for _, size := range sizes {
		if left -= size; size < 0 {
			refuse(tensor.ErrValue, "a part cannot have %d samples", size)
		}
	}
	if left != 0 {
		refuse(tensor.ErrValue, "Sum of input lengths does not equal the length of the input dataset!")
	}
	return sizes
}

func sharesOf(n int, fractions []float64) []int {
	sizes, sum, left := make([]int, len(fractions)), 0.0, n
	for i, f := range fractions {
		if !(f >= 0 && f <= 1) {
			refuse(tensor.ErrValue, "Fraction at index %d is not between 0 and 1", i)
		}
		sizes[i] = int(math.Floor(float64(n) * f))
		sum, left = sum+f, left-sizes[i]
	}
	if math.Abs(sum-1) > 1e-9 {
		refuse(tensor.ErrValue, "Sum of input lengths does not equal the length of the input dataset!")
	}
	for i := range left {
		sizes[i%len(sizes)]++
	}
	return sizes
}
