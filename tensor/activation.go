package tensor

import "cresset/internal/op"

// Neg returns -x.
func (x *Tensor) Neg() *Tensor {
	if x.dtype.Size() == 1 && x.dtype.Name() == "bool" {
		fail("neg", ErrDType, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.", x)
	}
	out := x.unary(op.Neg, nil)
	record(out, op.Neg, negGrad, nil, x)
	return out
}

func negGrad(b *backprop, dy *Tensor) { b.give(0, dy.Neg()) }

// ReLU returns max(x, 0); NaN stays.
func (x *Tensor) ReLU() *Tensor {
	out := x.unary(op.ReLU, nil)
	record(out, op.ReLU, reluGrad, nil, x).save(out)
	return out
}

func reluGrad(b *backprop, dy *Tensor) { b.give(0, b.joint(op.ReLUGrad, dy, b.saved(0), nil)) }

// joint computes the kernel of an activation's gradient from dy and a saved value of the same shape.
func (b *backprop) joint(o op.Op, dy, saved *Tensor, params any) *Tensor {
	dx := dy.like(o, dy.dtype)
	launch(o, dy.dtype, params, []*Tensor{dx}, []*Tensor{dy, saved})
	return dx
}
