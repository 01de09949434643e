package tensor

import (
	"fmt"
	"strings"

	"cresset/internal/op"
)

// LayerNorm returns (x - mean) / √(variance + Eps) · weight + bias, with mean and biased variance over the last axes of x,
// whose extents shape names. weight and bias have that shape or are nil.
func (x *Tensor) LayerNorm(shape []int, weight, bias *Tensor, eps ...Eps) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight, bias = a.three("layer_norm", x, weight, bias)
	}
	x.checkLayerNorm(shape, weight, bias)
	p := op.Normalize{Eps: 1e-5, Axes: len(shape)}
	for _, e := range eps {
		p.Eps = float64(e)
	}
	rows := Shape{1}
	for _, d := range x.layout.Shape()[:x.layout.Rank()-len(shape)] {
		rows[0] *= d
	}
	return x.normalized(op.LayerNorm, p, rows, layerNormGrad, weight, bias)
}

// normalized runs a normalization whose kernel also gives the mean and 1/√(variance + eps) of each row, for the gradient.
func (x *Tensor) normalized(o op.Op, p op.Normalize, rows Shape, grad gradient, weight, bias *Tensor) *Tensor {
	out := x.empty(o, x.dtype, x.layout.Shape(), weight, bias)
	mean, invstd := x.empty(o, statsType(x.dtype), rows), x.empty(o, statsType(x.dtype), rows)
	launch(o, x.dtype, p, []*Tensor{out, mean, invstd}, []*Tensor{x, weight, bias})
	n := record(out, o, grad, p, x, weight, bias)
	n.save(x, weight)
	n.derive(mean, invstd)
	return out
}

func layerNormGrad(b *backprop, dy *Tensor) {
	if b.creates {
		layerNormComposed(b, dy)
		return
	}
	x, weight, mean, invstd := b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	outs := []*Tensor{dy.like(op.LayerNormGrad, dy.dtype)}
	if b.needs(1) || b.needs(2) {
		p := b.params().(op.Normalize)
		shape := x.layout.Shape()[x.layout.Rank()-p.Axes:]
		for range 2 {
			outs = append(outs, dy.empty(op.LayerNormGrad, mean.dtype, shape))
		}
	}
	launch(op.LayerNormGrad, dy.dtype, b.params(), outs, []*Tensor{dy, x, weight, mean, invstd})
	for i, g := range outs {
		b.give(i, g)
	}
}

func (x *Tensor) checkLayerNorm(shape Shape, weight, bias *Tensor) {
	name := op.LayerNorm.String()
	if len(shape) == 0 {
		fail(name, ErrShape, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []", x)
	}
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil && !a.t.layout.Shape().Equal(shape) {
			fail(name, ErrShape, fmt.Sprintf("Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = %s",
				a.name, a.name, a.t.layout.Shape().List(), shape.List()), x, a.t)
		}
	}
	if first := x.layout.Rank() - len(shape); first < 0 || !x.layout.Shape()[first:].Equal(shape) {
		fail(name, ErrShape, fmt.Sprintf("Given normalized_shape=%s, expected input with shape [*, %s, but got input of size%s",
			shape.List(), strings.TrimPrefix(shape.List(), "["), x.layout.Shape().List()), x)
	}
	refuseIntegers(name, "LayerNormKernelImpl", x)
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil {
			x.checkStats(op.LayerNorm, a)
		}
	}
}
