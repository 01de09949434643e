package tensor

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Copysign returns |x| with the sign of y, broadcast; that of integers is float32.
func (x *Tensor) Copysign(y *Tensor) *Tensor {
	out := floatBinary(op.Copysign, input(op.Copysign, x), other(op.Copysign, y))
	record(out, op.Copysign, copysignGrad, nil, x, y).save(x, out)
	return out
}

func copysignGrad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor { return dy.Mul(y.Div(x).MaskedFill(x.EqScalar(0), 0)) })
	b.giveNeeded(1, func() *Tensor { return dy.like(op.Fill, dy.dtype).fill(backend.Scalar{}) })
}

// floatBinary is binary of operands that meet in a float, float32 where both hold integers.
func floatBinary(o op.Op, a, b operand) *Tensor {
	t := commonType(a, b)
	if !t.IsFloat() {
		t = dtype.Default
	}
	return binary(o, a, b, t, t)
}

// Heaviside returns 0 where x is negative or NaN, values where it is 0, else 1, broadcast. Both have one dtype; there is no gradient.
func (x *Tensor) Heaviside(values *Tensor) *Tensor {
	a, b := input(op.Heaviside, x), other(op.Heaviside, values)
	if x.dtype != values.dtype {
		fail("heaviside", ErrDType, "heaviside is not yet implemented for tensors with different dtypes.", x, values)
	}
	return binary(op.Heaviside, a, b, x.dtype, x.dtype)
}

// Frac returns the fraction of x, with its sign. It panics for integers.
func (x *Tensor) Frac() *Tensor {
	out := x.unary(op.Frac, nil)
	record(out, op.Frac, fracGrad, nil, x)
	return out
}

func fracGrad(b *backprop, dy *Tensor) { b.give(0, dy) }
