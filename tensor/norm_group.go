package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// GroupNorm returns (x - mean) / √(variance + Eps) · weight + bias for x [N, C, …], with mean and biased variance over each of so
// many groups of channels of an image. weight and bias [C] may be nil.
func (x *Tensor) GroupNorm(groups int, weight, bias *Tensor, eps ...Eps) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight, bias = a.three("group_norm", x, weight, bias)
	}
	x.checkGroupNorm(groups, weight, bias)
	p := op.Normalize{Eps: 1e-5, Groups: groups}
	for _, e := range eps {
		p.Eps = float64(e)
	}
	_, y := x.normalized(op.GroupNorm, p, Shape{x.layout.Shape()[0] * groups}, weight, bias, nil)
	return y
}

func (x *Tensor) checkGroupNorm(groups int, weight, bias *Tensor) {
	const name = "group_norm"
	shape := x.layout.Shape()
	if len(shape) < 2 {
		fail(name, ErrShape, fmt.Sprintf("Expected at least 2 dimensions for input tensor but received %d", len(shape)), x)
	}
	if groups < 1 {
		fail(name, ErrShape, fmt.Sprintf("Expected num groups to be greater than 0, got %d", groups), x)
	}
	size := append(Shape{shape[0] * shape[1] / groups, groups}, shape[2:]...)
	if rest, _ := shape[2:].NumEl(); size[0]*rest == 1 {
		fail(name, ErrValue, "Expected more than 1 value per channel when training, got input size "+size.List(), x)
	}
	if shape[1]%groups != 0 {
		fail(name, ErrShape, fmt.Sprintf("Expected number of channels in input to be divisible by num_groups, but got input of shape %s and num_groups=%d",
			shape.List(), groups), x)
	}
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil && !a.t.layout.Shape().Equal(Shape{shape[1]}) {
			fail(name, ErrShape, fmt.Sprintf("Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %s and input of shape %s",
				a.name, a.name, a.t.layout.Shape().List(), shape.List()), x, a.t)
		}
	}
	refuseIntegers(name, "GroupNormKernelImpl", x)
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil {
			x.checkStats(op.GroupNorm, a)
		}
	}
}
