package tensor

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Div returns x / y, broadcast; the quotient of integers is float32.
func (x *Tensor) Div(y *Tensor) *Tensor { return div(op.Div, input(op.Div, x), other(op.Div, y)) }

// DivScalar returns x / v; the quotient of integers is float32.
func (x *Tensor) DivScalar(v any) *Tensor { return div(op.Div, input(op.Div, x), scalar(op.Div, v)) }

// RDivScalar returns v / x as 1/x · v, which is how PyTorch computes it.
func (x *Tensor) RDivScalar(v any) *Tensor { return x.Reciprocal().MulScalar(v) }

func div(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	if !t.IsFloat() {
		t = dtype.Default
	}
	out := binary(o, x, y, t, t)
	if y.t == nil {
		record(out, o, divScalarGrad, y.s, x.t)
		return out
	}
	record(out, o, divGrad, nil, x.t, y.t).save(x.t.neededBy(y.t), y.t)
	return out
}

func divGrad(b *backprop, dy *Tensor) {
	y := b.saved(1)
	b.giveNeeded(0, func() *Tensor { return dy.Div(y) })
	b.giveNeeded(1, func() *Tensor { return dy.Neg().Mul(b.saved(0).Div(y).Div(y)) })
}

func divScalarGrad(b *backprop, dy *Tensor) {
	b.give(0, div(op.Div, operand{t: dy}, operand{s: b.params().(backend.Scalar)}))
}

// FloorDivide returns ⌊x / y⌋, broadcast; integers stay integers and panic where y is zero. It has no derivative:
// Backward through it panics.
func (x *Tensor) FloorDivide(y *Tensor) *Tensor {
	return floorDivide(input(op.FloorDivide, x), other(op.FloorDivide, y))
}

// FloorDivideScalar returns ⌊x / v⌋; integers stay integers and panic where v is zero. It has no derivative:
// Backward through it panics.
func (x *Tensor) FloorDivideScalar(v any) *Tensor {
	return floorDivide(input(op.FloorDivide, x), scalar(op.FloorDivide, v))
}

func floorDivide(x, y operand) *Tensor {
	out := quotient(op.FloorDivide, x, y)
	record(out, op.FloorDivide, noDerivative, nil, x.t, y.t)
	return out
}

// quotient computes a division whose result has the common dtype of its operands.
func quotient(o op.Op, x, y operand) *Tensor {
	t := commonType(x, y)
	return binary(o, x, y, t, t)
}

// DivTrunc returns x / y without its fraction, broadcast; integers stay integers and panic where y is zero. The quotient
// of half types is rounded first, which may reach the next integer, unless y has one element, as on PyTorch's CPU. Its gradient is zero.
func (x *Tensor) DivTrunc(y *Tensor) *Tensor { return divTrunc(input(op.Div, x), other(op.Div, y)) }

// DivTruncScalar returns x / v without its fraction; integers stay integers and panic where v is zero. Its gradient is
// zero.
func (x *Tensor) DivTruncScalar(v any) *Tensor { return divTrunc(input(op.Div, x), scalar(op.Div, v)) }

func divTrunc(x, y operand) *Tensor {
	t, many := commonType(x, y), y.t != nil && y.t.NumEl() != 1
	var out *Tensor
	if many && (t == dtype.Float16 || t == dtype.BFloat16) {
		out = binary(op.Div, x, y, t, t).unary(op.Trunc, nil)
	} else {
		out = binary(op.DivTrunc, x, y, t, t)
	}
	record(out, op.DivTrunc, divTruncGrad, nil, x.t, y.t)
	return out
}

func divTruncGrad(b *backprop, dy *Tensor) {
	zero := dy.like(op.Fill, dy.dtype).fill(backend.Scalar{})
	b.give(0, zero)
	b.give(1, zero)
}

// Remainder returns x - ⌊x / y⌋·y, which has the sign of y, broadcast; integers panic where y is zero.
func (x *Tensor) Remainder(y *Tensor) *Tensor { return x.rest(op.Remainder, other(op.Remainder, y)) }

// RemainderScalar returns x - ⌊x / v⌋·v, which has the sign of v; integers panic where v is zero.
func (x *Tensor) RemainderScalar(v any) *Tensor { return x.rest(op.Remainder, scalar(op.Remainder, v)) }

// Fmod returns the rest of x / y, which has the sign of x, broadcast; integers panic where y is zero.
func (x *Tensor) Fmod(y *Tensor) *Tensor { return x.rest(op.Fmod, other(op.Fmod, y)) }

// FmodScalar returns the rest of x / v, which has the sign of x; integers panic where v is zero.
func (x *Tensor) FmodScalar(v any) *Tensor { return x.rest(op.Fmod, scalar(op.Fmod, v)) }

func (x *Tensor) rest(o op.Op, y operand) *Tensor {
	out := quotient(o, input(o, x), y)
	if y.t == nil {
		record(out, o, restGrad, nil, x, nil)
		return out
	}
	record(out, o, restGrad, nil, x, y.t).save(x.neededBy(y.t), y.t.neededBy(y.t))
	return out
}

// restGrad is dy for x, and -dy times the whole quotient for y.
func restGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	if !b.needs(1) {
		return
	}
	whole := (*Tensor).FloorDivide
	if b.current.op == op.Fmod {
		whole = (*Tensor).DivTrunc
	}
	b.give(1, dy.Neg().Mul(whole(b.saved(0).Detach(), b.saved(1).Detach())))
}
