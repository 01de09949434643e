package data

import (
	"fmt"

	"cresset/tensor"
)

// Items is a Dataset whose samples, of a type S, are made one at a time and collated into batches of a type B:
//
//	type sample struct {
//		Image *tensor.Tensor
//		Class int
//		File  string
//	}
//	type batch struct {
//		Image, Class *tensor.Tensor
//		File         []string
//	}
//	set := &data.Items[sample, batch]{N: len(files), At: func(i int, g *tensor.Generator) (sample, error) { ... }}
type Items[S, B any] struct {
	N int // how many there are

	// At makes sample i. Its random numbers come from g, so that they are the same for any number of workers; g is of the
	// sample alone, in this epoch alone.
	At func(i int, g *tensor.Generator) (S, error)

	// Collate makes a batch of samples; where it is nil the function Collate does.
	Collate func(samples []S) (B, error)
}

// Len returns N.
func (s *Items[S, B]) Len() int { return s.N }

// Batch makes samples and collates them; the default generator draws their seeds. An index that no sample has is an error.
func (s *Items[S, B]) Batch(indices []int) (B, error) {
	return s.RandomBatch(indices, drawSeeds(len(indices)))
}

// RandomBatch makes samples, each with a generator of its own seed, and collates them.
func (s *Items[S, B]) RandomBatch(indices []int, seeds []int64) (batch B, err error) {
	if err := anyOutside(indices, s.N); err != nil {
		return batch, err
	}
	samples := make([]S, len(indices))
	for at, i := range indices {
		made := func() (err error) {
			samples[at], err = s.At(i, tensor.NewGenerator(seeds[at]))
			return err
		}
		if err := making(i, made); err != nil {
			return batch, err
		}
	}
	if s.Collate != nil {
		return s.Collate(samples)
	}
	return Collate[B](samples)
}

// making makes sample i, and says so where that fails or is mistaken in an op.
func making(i int, f func() error) (err error) {
	if mistake := tensor.Try(func() { err = f() }); mistake != nil {
		err = mistake
	}
	if err != nil {
		return fmt.Errorf("sample %d: %w", i, err)
	}
	return nil
}
