package data

import (
	"cresset/dtype"
	"cresset/tensor"
)

// order is the sequence in which one epoch goes through a data set. It draws what PyTorch's DataLoader draws, no more and no
// less, so that the order, and whatever is drawn later from the same generator, is PyTorch's too.
type order struct {
	indices   []int
	generator *tensor.Generator // what PyTorch's sampler still draws from, nil if nothing
}

func newOrder(samples int, o loading) *order {
	drawSeed(o.generator) // for worker processes, which are goroutines here and take no seed
	r := &order{indices: make([]int, samples)}
	if !o.shuffle {
		for i := range r.indices {
			r.indices[i] = i
		}
		return r
	}
	r.generator = o.generator
	from := o.generator
	if from == nil {
		from = tensor.NewGenerator(drawSeed(nil))
	}
	for at, i := range tensor.Values[int64](permute(samples, from)) {
		r.indices[at] = int(i)
	}
	return r
}

// drawSeed draws a number from 0 to 2**63 - 1.
func drawSeed(g *tensor.Generator) int64 {
	return tensor.Place{}.As(dtype.Int64).Empty().RandomInPlace(g).Item().(int64)
}

func permute(samples int, g *tensor.Generator) *tensor.Tensor {
	return tensor.Place{}.With(g).RandPerm(samples)
}

// finish is called at the end of a whole epoch, where PyTorch's sampler draws a permutation that it does not use.
func (o *order) finish() {
	if o.generator != nil {
		permute(len(o.indices), o.generator)
	}
}
