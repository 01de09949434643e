package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// LogicalAnd returns where both x and y are nonzero, broadcast, as bools.
func (x *Tensor) LogicalAnd(y *Tensor) *Tensor { return x.logical(op.LogicalAnd, y) }

// LogicalOr returns where x or y is nonzero, broadcast, as bools.
func (x *Tensor) LogicalOr(y *Tensor) *Tensor { return x.logical(op.LogicalOr, y) }

// LogicalXor returns where just one of x and y is nonzero, broadcast, as bools.
func (x *Tensor) LogicalXor(y *Tensor) *Tensor { return x.logical(op.LogicalXor, y) }

// LogicalNot returns where x is zero, as bools.
func (x *Tensor) LogicalNot() *Tensor { return x.castUnary(dtype.Bool, op.LogicalNot, nil) }

// logical computes a logical op on what bool makes of the operands: true where they are not zero.
func (x *Tensor) logical(o op.Op, y *Tensor) *Tensor {
	return binary(o, input(o, x), other(o, y), dtype.Bool, dtype.Bool)
}

// BitwiseAnd returns x & y, broadcast, for integers and bools.
func (x *Tensor) BitwiseAnd(y *Tensor) *Tensor {
	return x.bitwise(op.BitwiseAnd, other(op.BitwiseAnd, y))
}

// BitwiseAndScalar returns x & v for integers and bools.
func (x *Tensor) BitwiseAndScalar(v any) *Tensor {
	return x.bitwise(op.BitwiseAnd, scalar(op.BitwiseAnd, v))
}

// BitwiseOr returns x | y, broadcast, for integers and bools.
func (x *Tensor) BitwiseOr(y *Tensor) *Tensor { return x.bitwise(op.BitwiseOr, other(op.BitwiseOr, y)) }

// BitwiseOrScalar returns x | v for integers and bools.
func (x *Tensor) BitwiseOrScalar(v any) *Tensor {
	return x.bitwise(op.BitwiseOr, scalar(op.BitwiseOr, v))
}

// BitwiseXor returns x ^ y, broadcast, for integers and bools.
func (x *Tensor) BitwiseXor(y *Tensor) *Tensor {
	return x.bitwise(op.BitwiseXor, other(op.BitwiseXor, y))
}

// BitwiseXorScalar returns x ^ v for integers and bools.
func (x *Tensor) BitwiseXorScalar(v any) *Tensor {
	return x.bitwise(op.BitwiseXor, scalar(op.BitwiseXor, v))
}

func (x *Tensor) bitwise(o op.Op, y operand) *Tensor {
	a := input(o, x)
	t := commonType(a, y)
	checkBits(o, t, x, y.t)
	return binary(o, a, y, t, t)
}

// BitwiseLeftShift returns x << y, broadcast, for integers; 0 where y is negative.
func (x *Tensor) BitwiseLeftShift(y *Tensor) *Tensor {
	return x.shifted(op.BitwiseLeftShift, other(op.BitwiseLeftShift, y))
}

// BitwiseLeftShiftScalar returns x << v for integers.
func (x *Tensor) BitwiseLeftShiftScalar(v any) *Tensor {
	return x.shifted(op.BitwiseLeftShift, scalar(op.BitwiseLeftShift, v))
}

// BitwiseRightShift returns x >> y, broadcast, for integers, whose sign stays; nothing but the sign where y is negative.
func (x *Tensor) BitwiseRightShift(y *Tensor) *Tensor {
	return x.shifted(op.BitwiseRightShift, other(op.BitwiseRightShift, y))
}

// BitwiseRightShiftScalar returns x >> v for integers, whose sign stays.
func (x *Tensor) BitwiseRightShiftScalar(v any) *Tensor {
	return x.shifted(op.BitwiseRightShift, scalar(op.BitwiseRightShift, v))
}

func (x *Tensor) shifted(o op.Op, n operand) *Tensor {
	a := input(o, x)
	t := commonType(a, n)
	return binary(o, a, n, t, t)
}

// BitwiseNot returns ^x for integers, and the opposite of bools.
func (x *Tensor) BitwiseNot() *Tensor {
	checkBits(op.BitwiseNot, x.dtype, x)
	return x.unary(op.BitwiseNot, nil)
}

func checkBits(o op.Op, t dtype.DType, operands ...*Tensor) {
	if t.IsFloat() {
		fail(o.String(), ErrKernel, noKernel(o.String()+"_cpu", t, operands...), operands...)
	}
}
