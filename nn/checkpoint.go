package nn

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

// CheckpointOption is an option of Checkpoint and CheckpointAll: PreserveRNGState.
type CheckpointOption interface{ checkpoint(preserve *bool) }

// PreserveRNGState says whether a function draws the same random numbers when it runs once more, which it does unless told otherwise.
type PreserveRNGState bool

func (p PreserveRNGState) checkpoint(preserve *bool) { *preserve = bool(p) }

// Checkpoint returns f(x), without keeping what Backward needs of its intermediate results: when Backward comes there, f runs once more.
// So a model needs the memory of one such part at a time, and one more forward. f must compute the same each time; it gets the same
// random numbers. What it keeps elsewhere than in its result is released when Checkpoint returns. Checkpoints may lie inside of others.
func Checkpoint(f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor, opts ...CheckpointOption) *tensor.Tensor {
	each := func(xs []*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{f(xs[0])} }
	return CheckpointAll(each, []*tensor.Tensor{x}, opts...)[0]
}

// CheckpointAll is Checkpoint for a function of several tensors with several results.
func CheckpointAll(f func(xs []*tensor.Tensor) []*tensor.Tensor, xs []*tensor.Tensor, opts ...CheckpointOption) []*tensor.Tensor {
	preserve := true
	for _, o := range opts {
		o.checkpoint(&preserve)
	}
	if !preserve {
		return inner.Checkpointed(func(xs []*tensor.Tensor, _ bool) []*tensor.Tensor { return f(xs) }, xs)
	}
	first := drawn()
	return inner.Checkpointed(func(xs []*tensor.Tensor, again bool) []*tensor.Tensor {
		if again {
			now := drawn()
			first.restore()
			defer now.restore()
		}
		return f(xs)
	}, xs)
}

// randomState is where the default generators of all devices are.
type randomState struct {
	host []byte
	gpus [][]byte
}

func drawn() randomState {
	return randomState{tensor.DefaultGenerator(device.CPU).State(), cuda.RNGStateAll()}
}

func (s randomState) restore() {
	tensor.DefaultGenerator(device.CPU).SetState(s.host)
	if err := cuda.SetRNGStateAll(s.gpus); err != nil {
		panic(fault("checkpoint", "the random numbers of a GPU cannot be restored: "+err.Error()))
	}
}
