package tensor

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Add returns x + y, broadcast.
func (x *Tensor) Add(y *Tensor) *Tensor { return add(op.Add, operand{t: x}, operand{t: y}) }

// AddScalar returns x + v.
func (x *Tensor) AddScalar(v any) *Tensor {
	return add(op.Add, operand{t: x}, operand{s: scalarOf("add", v)})
}

func add(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	out := binary(o, x, y, t, t)
	record(out, o, addGrad, nil, x.t, y.t)
	return out
}

func addGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	b.give(1, dy)
}

// Sub returns x - y, broadcast.
func (x *Tensor) Sub(y *Tensor) *Tensor { return sub(op.Sub, operand{t: x}, operand{t: y}) }

// SubScalar returns x - v.
func (x *Tensor) SubScalar(v any) *Tensor {
	return sub(op.Sub, operand{t: x}, operand{s: scalarOf("sub", v)})
}

// RSubScalar returns v - x.
func (x *Tensor) RSubScalar(v any) *Tensor {
	return sub(op.RSub, operand{s: scalarOf("rsub", v)}, operand{t: x})
}

func sub(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	if t == dtype.Bool {
		fail("sub", ErrDType, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.", x.t, y.t)
	}
	out := binary(op.Sub, x, y, t, t)
	record(out, o, subGrad, nil, x.t, y.t)
	return out
}

func subGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	if b.needs(1) {
		b.give(1, dy.Neg())
	}
}

// Mul returns x · y elementwise, broadcast.
func (x *Tensor) Mul(y *Tensor) *Tensor {
	out := multiply(operand{t: x}, operand{t: y})
	record(out, op.Mul, mulGrad, nil, x, y).save(x, y)
	return out
}

// MulScalar returns x · v.
func (x *Tensor) MulScalar(v any) *Tensor {
	s := scalarOf("mul", v)
	out := multiply(operand{t: x}, operand{s: s})
	record(out, op.Mul, scaleGrad, s, x)
	return out
}

func multiply(x, y operand) *Tensor {
	t := commonType(x, y)
	return binary(op.Mul, x, y, t, t)
}

func mulGrad(b *backprop, dy *Tensor) {
	if b.needs(0) {
		b.give(0, dy.Mul(b.saved(1)))
	}
	if b.needs(1) {
		b.give(1, dy.Mul(b.saved(0)))
	}
}

func scaleGrad(b *backprop, dy *Tensor) {
	b.give(0, multiply(operand{t: dy}, operand{s: b.params().(backend.Scalar)}))
}
