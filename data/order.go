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
	drawnFrom []byte            // the state of the generator of which indices are the next permutation, nil if they are in order
}

func newOrder(samples int, o loading) *order {
	drawSeed(o.generator) // for worker processes, which are goroutines here and take no seed
	if !o.shuffle {
		return &order{indices: inOrder(samples)}
	}
	from := o.generator
	if from == nil {
		from = tensor.NewGenerator(drawSeed(nil))
	}
	state := from.State()
	return &order{shuffled(samples, from), o.generator, state}
}

// orderDrawnFrom returns the order whose drawnFrom is the state; it panics where no generator has such a state.
func orderDrawnFrom(state []byte, samples int, o loading) *order {
	if state == nil {
		return &order{indices: inOrder(samples)}
	}
	g := tensor.NewGenerator(0)
	g.SetState(state)
	return &order{shuffled(samples, g), o.generator, state}
}

func inOrder(samples int) []int {
	indices := make([]int, samples)
	for i := range indices {
		indices[i] = i
	}
	return indices
}

func shuffled(samples int, from *tensor.Generator) []int {
	indices := make([]int, samples)
	for at, i := range tensor.Values[int64](permute(samples, from)) {
		indices[at] = int(i)
	}
	return indices
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
