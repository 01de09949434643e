package tp

import (
	"cresset/dist"
	"cresset/tensor"
)

// What passes between parts of the model that ranks share and parts that each has for itself, with its gradient.

// total returns the sum of all ranks' tensors.
func (s *Sharding) total(x *tensor.Tensor) *tensor.Tensor {
	sum := x.Detach().Clone().Contiguous()
	must(s.group.AllReduce(sum, dist.Sum).Wait(background))
	return sum
}

// spread returns x, which all ranks have, for what each of them computes a part of: the gradient is the sum of theirs.
func (s *Sharding) spread(x *tensor.Tensor) *tensor.Tensor {
	return tensor.Apply(spread{s}, x)[0]
}

type spread struct{ *Sharding }

func (spread) Forward(_ *tensor.FunctionContext, inputs ...*tensor.Tensor) []*tensor.Tensor {
	return inputs
}

func (f spread) Backward(_ *tensor.FunctionContext, grads ...*tensor.Tensor) []*tensor.Tensor {
	return []*tensor.Tensor{f.total(grads[0])}
}

// sum returns the sum of all ranks' x, whose gradient all have.
func (s *Sharding) sum(x *tensor.Tensor) *tensor.Tensor {
	return tensor.Apply(sum{s}, x)[0]
}

type sum struct{ *Sharding }

func (f sum) Forward(_ *tensor.FunctionContext, inputs ...*tensor.Tensor) []*tensor.Tensor {
	return []*tensor.Tensor{f.total(inputs[0])}
}

func (sum) Backward(_ *tensor.FunctionContext, grads ...*tensor.Tensor) []*tensor.Tensor {
	return grads
}

// gather returns all ranks' parts of a last axis, beside each other; the gradient of x is its part.
func (s *Sharding) gather(x *tensor.Tensor, extent int) *tensor.Tensor {
	return tensor.Apply(gather{s, extent}, x)[0]
}

type gather struct {
	*Sharding
	extent int
}

func (f gather) Forward(_ *tensor.FunctionContext, inputs ...*tensor.Tensor) []*tensor.Tensor {
	x, ranks := inputs[0], f.group.Size()
	each := (f.extent + ranks - 1) / ranks
	shape := append([]int{}, x.Shape()...)
	shape[len(shape)-1] = each
	mine, place := x.Contiguous(), tensor.Like(x)
	if x.Size(-1) < each {
		mine = place.Zeros(shape...)
		mine.Narrow(-1, 0, x.Size(-1)).CopyInPlace(x)
	}
	all := place.Empty(append([]int{ranks}, shape...)...)
	must(f.group.AllGather(all, mine).Wait(background))
	parts := make([]*tensor.Tensor, ranks)
	for i := range parts {
		parts[i] = all.Select(0, i).Narrow(-1, 0, max(0, min(each, f.extent-i*each)))
	}
	return []*tensor.Tensor{tensor.Cat(parts, -1)}
}

func (f gather) Backward(_ *tensor.FunctionContext, grads ...*tensor.Tensor) []*tensor.Tensor {
	first, n := f.part(f.extent)
	return []*tensor.Tensor{grads[0].Narrow(-1, first, n)}
}
