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
	return x.normalized(op.GroupNorm, p, Shape{x.layout.Shape()[0] * groups}, groupNormGrad, weight, bias)
}

// groupNormGrad gets the gradient that leaves mean and variance aside, and the sums for weight and bias of each image, from the kernel
// that has them for batches in evaluation; what mean and variance add, a·x + c, follows from these sums:
//
//	dx = dy·weight·invstd + a·x + c;  a = -invstd²·mean(g·x̂);  c = -invstd·mean(g) - a·mean;  g = dy·weight
func groupNormGrad(b *backprop, dy *Tensor) {
	if b.creates {
		groupNormComposed(b, dy)
		return
	}
	x, weight, mean, invstd, groups := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.params().(op.Normalize).Groups
	shape := x.layout.Shape()
	images, channels := shape[0], shape[1]
	rest, _ := shape[2:].NumEl()
	ofChannels := func(t *Tensor) *Tensor { return t.View(-1, 1).Expand(images*groups, channels/groups).Reshape(-1) }
	rows := Shape{1, images * channels, rest}
	var w *Tensor
	if weight != nil {
		w = weight.Expand(images, channels).Reshape(-1)
	}
	x, dy = x.Reshape(rows...), dy.Reshape(rows...)
	dx := dy.like(op.BatchNormGrad, dy.dtype)
	dw, db := mean.empty(op.BatchNormGrad, mean.dtype, rows[1:2]), mean.empty(op.BatchNormGrad, mean.dtype, rows[1:2])
	launch(op.BatchNormGrad, dy.dtype, op.Normalize{}, []*Tensor{dx, dw, db}, []*Tensor{dy, x, w, ofChannels(mean), ofChannels(invstd)})
	b.giveNeeded(1, func() *Tensor { return dw.View(images, channels).SumAxes([]int{0}) })
	b.giveNeeded(2, func() *Tensor { return db.View(images, channels).SumAxes([]int{0}) })
	b.giveNeeded(0, func() *Tensor {
		if w != nil {
			dw, db = dw.Mul(w), db.Mul(w)
		}
		meanOf := func(t *Tensor) *Tensor {
			return t.View(images*groups, channels/groups).SumAxes([]int{1}).DivScalar(float64(channels / groups * rest))
		}
		a := invstd.Square().Mul(meanOf(dw)).Neg()
		c := invstd.Mul(meanOf(db)).Add(a.Mul(mean)).Neg()
		lines := Shape{images * groups, channels / groups * rest}
		exact := func(t *Tensor) *Tensor { return t.Reshape(lines...).To(mean.dtype) }
		return exact(dx).AddCMul(exact(x), a.View(-1, 1), 1).Add(c.View(-1, 1)).To(dx.dtype).View(shape...)
	})
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
}
