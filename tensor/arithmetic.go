package tensor

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Add returns x + y, broadcast. The sum of bools is their or.
func (x *Tensor) Add(y *Tensor) *Tensor { return add(op.Add, input(op.Add, x), other(op.Add, y)) }

// AddScalar returns x + v.
func (x *Tensor) AddScalar(v any) *Tensor { return add(op.Add, input(op.Add, x), scalar(op.Add, v)) }

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

// AddScaled returns x + alpha·y, broadcast. It panics where integers meet a fractional alpha.
func (x *Tensor) AddScaled(y *Tensor, alpha any) *Tensor {
	a := scalarOf("add", alpha)
	t := commonType(input(op.Add, x), other(op.Add, y))
	checkAlpha(a, t, x, y)
	scaled := binary(op.Mul, operand{t: y}, operand{s: a}, t, t)
	out := binary(op.Add, operand{t: x}, operand{t: scaled}, t, t)
	record(out, op.Add, addScaledGrad, a, x, y)
	return out
}

func addScaledGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	b.giveNeeded(1, func() *Tensor { return mul(op.Mul, operand{t: dy}, operand{s: b.params().(backend.Scalar)}) })
}

func checkAlpha(alpha backend.Scalar, result dtype.DType, operands ...*Tensor) {
	switch {
	case alpha.Kind == backend.BoolScalar && result != dtype.Bool:
		fail("add", ErrDType, "Boolean alpha only supported for Boolean results.", operands...)
	case alpha.Kind == backend.FloatScalar && !result.IsFloat():
		fail("add", ErrDType, "For integral input tensors, argument alpha must not be a floating point number.", operands...)
	}
}

// Sub returns x - y, broadcast. It panics for bools.
func (x *Tensor) Sub(y *Tensor) *Tensor { return sub(op.Sub, input(op.Sub, x), other(op.Sub, y)) }

// SubScalar returns x - v.
func (x *Tensor) SubScalar(v any) *Tensor { return sub(op.Sub, input(op.Sub, x), scalar(op.Sub, v)) }

// RSubScalar returns v - x.
func (x *Tensor) RSubScalar(v any) *Tensor {
	return sub(op.RSub, scalar(op.RSub, v), input(op.RSub, x))
}

func sub(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	if x.isBool() && y.isBool() {
		fail("sub", ErrDType, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.", x.t, y.t)
	}
	if x.isBool() || y.isBool() {
		fail("sub", ErrDType, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.", x.t, y.t)
	}
	out := binary(op.Sub, x, y, t, t)
	record(out, o, subGrad, nil, x.t, y.t)
	return out
}

func subGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	b.giveNeeded(1, func() *Tensor { return dy.Neg() })
}

// Mul returns x · y elementwise, broadcast. The product of bools is their and.
func (x *Tensor) Mul(y *Tensor) *Tensor { return mul(op.Mul, input(op.Mul, x), other(op.Mul, y)) }

// MulScalar returns x · v.
func (x *Tensor) MulScalar(v any) *Tensor { return mul(op.Mul, input(op.Mul, x), scalar(op.Mul, v)) }

func mul(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	out := binary(o, x, y, t, t)
	if y.t == nil {
		record(out, o, scaleGrad, y.s, x.t)
		return out
	}
	record(out, o, mulGrad, nil, x.t, y.t).save(x.t.neededBy(y.t), y.t.neededBy(x.t))
	return out
}

// neededBy returns x where y tracks gradients, so that its gradient needs x; else nil, so that x is not kept alive.
func (x *Tensor) neededBy(y *Tensor) *Tensor {
	if y.node == nil {
		return nil
	}
	return x
}

func mulGrad(b *backprop, dy *Tensor) {
	b.giveNeeded(0, func() *Tensor { return dy.Mul(b.saved(1)) })
	b.giveNeeded(1, func() *Tensor { return dy.Mul(b.saved(0)) })
}

func scaleGrad(b *backprop, dy *Tensor) {
	b.give(0, mul(op.Mul, operand{t: dy}, operand{s: b.params().(backend.Scalar)}))
}

// Neg returns -x. It panics for bools.
func (x *Tensor) Neg() *Tensor {
	if x.dtype == dtype.Bool {
		fail("neg", ErrDType, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.", x)
	}
	out := x.unary(op.Neg, nil)
	record(out, op.Neg, negGrad, nil, x)
	return out
}

func negGrad(b *backprop, dy *Tensor) { b.give(0, dy.Neg()) }

// Abs returns |x|; its gradient at 0 is 0.
func (x *Tensor) Abs() *Tensor {
	out := x.unary(op.Abs, nil)
	record(out, op.Abs, absGrad, nil, x).save(x)
	return out
}

func absGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Sign())) }

// zeroGrad is the gradient of what is constant almost everywhere.
func zeroGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.like(op.Fill, dy.dtype).fill(backend.Scalar{}))
}
