package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// GLU returns a·σ(b) for the halves a and b of x along an axis. It panics where that has an odd extent, and for integers.
func (x *Tensor) GLU(axis int) *Tensor {
	const name = "glu"
	if input(op.GLU, x).t.Dim() == 0 {
		fail(name, ErrShape, "glu does not support scalars because halving size must be even", x)
	}
	axis = x.axis(name, axis)
	n := x.Size(axis)
	if n%2 != 0 {
		fail(name, ErrShape, fmt.Sprintf("Halving dimension must be even, but dimension %d is size %d", axis, n), x)
	}
	refuseIntegers(name, "glu_cpu", x)
	value := x.Detach()
	a, gate := value.Narrow(axis, 0, n/2), value.Narrow(axis, n/2, n/2).Sigmoid()
	out := a.Mul(gate)
	made := record(out, op.GLU, gluGrad, axis, x)
	made.save(x)
	made.derive(gate)
	return out
}

func gluGrad(b *backprop, dy *Tensor) {
	x, axis := b.saved(0), b.params().(int)
	gate := b.saved(1)
	if b.creates {
		gate = x.Narrow(axis, gate.Size(axis), gate.Size(axis)).Sigmoid()
	}
	da := dy.Mul(gate)
	db := da.Mul(x.Narrow(axis, 0, gate.Size(axis))).Mul(gate.RSubScalar(1))
	b.give(0, Cat([]*Tensor{da, db}, axis))
}

// PReLU returns x where it is positive, else weight·x. The weight has one element, or one for each channel: each index of axis 1.
func (x *Tensor) PReLU(weight *Tensor) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight = a.two("prelu", x, weight)
	}
	const name = "prelu"
	a, w := input(op.PReLU, x), other(op.PReLU, weight)
	switch {
	case x.dtype != weight.dtype:
		fail(name, ErrDType, fmt.Sprintf("prelu: Type promoting not supported. Got %s and %s", x.dtype.ScalarName(), weight.dtype.ScalarName()), x, weight)
	case weight.Dim() > 1 && weight.NumEl() == 1:
		fail(name, ErrShape, fmt.Sprintf("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %d", weight.Dim()), x, weight)
	}
	if n := weight.NumEl(); n != 1 {
		x.refuseScalar(name, ErrShape, "Not allow zero-dim input tensor.")
		channels := 1
		if x.Dim() > 1 {
			channels = x.Size(1)
		}
		if n != channels {
			fail(name, ErrShape, fmt.Sprintf("Mismatch of parameter numbers and input channel size. Found parameter numbers = %d and channel size = %d.", n, channels), x, weight)
		}
	}
	shape := make([]int, max(x.Dim(), 0))
	for i := range shape {
		shape[i] = 1
	}
	if len(shape) > 1 {
		shape[1] = weight.NumEl()
	}
	w.t = weight.Reshape(shape...)
	out := binary(op.PReLU, a, w, x.dtype, x.dtype)
	record(out, op.PReLU, preluGrad, nil, x, w.t).save(x, w.t)
	return out
}

func preluGrad(b *backprop, dy *Tensor) {
	x, w := b.saved(0), b.saved(1)
	positive := x.GtScalar(0)
	b.giveNeeded(0, func() *Tensor { return Where(positive, dy, w.Mul(dy)) })
	// Neither an infinite dy nor, in its derivative, an infinite x is multiplied by 0 where x is positive.
	b.giveNeeded(1, func() *Tensor { return x.MaskedFill(positive, 0).Mul(dy).MaskedFill(positive, 0) })
}
