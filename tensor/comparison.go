package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// Eq returns where x equals y, broadcast, as bools.
func (x *Tensor) Eq(y *Tensor) *Tensor { return x.compare(op.Eq, y) }

// EqScalar returns where x equals v, as bools.
func (x *Tensor) EqScalar(v any) *Tensor { return x.compareScalar(op.Eq, v) }

// Ne returns where x differs from y, broadcast, as bools.
func (x *Tensor) Ne(y *Tensor) *Tensor { return x.compare(op.Ne, y) }

// NeScalar returns where x differs from v, as bools.
func (x *Tensor) NeScalar(v any) *Tensor { return x.compareScalar(op.Ne, v) }

// Lt returns where x is less than y, broadcast, as bools.
func (x *Tensor) Lt(y *Tensor) *Tensor { return x.compare(op.Lt, y) }

// LtScalar returns where x is less than v, as bools.
func (x *Tensor) LtScalar(v any) *Tensor { return x.compareScalar(op.Lt, v) }

// Le returns where x is at most y, broadcast, as bools.
func (x *Tensor) Le(y *Tensor) *Tensor { return x.compare(op.Le, y) }

// LeScalar returns where x is at most v, as bools.
func (x *Tensor) LeScalar(v any) *Tensor { return x.compareScalar(op.Le, v) }

// Gt returns where x is greater than y, broadcast, as bools.
func (x *Tensor) Gt(y *Tensor) *Tensor { return x.compare(op.Gt, y) }

// GtScalar returns where x is greater than v, as bools.
func (x *Tensor) GtScalar(v any) *Tensor { return x.compareScalar(op.Gt, v) }

// Ge returns where x is at least y, broadcast, as bools.
func (x *Tensor) Ge(y *Tensor) *Tensor { return x.compare(op.Ge, y) }

// GeScalar returns where x is at least v, as bools.
func (x *Tensor) GeScalar(v any) *Tensor { return x.compareScalar(op.Ge, v) }

func (x *Tensor) compare(o op.Op, y *Tensor) *Tensor {
	a, b := input(o, x), other(o, y)
	return binary(o, a, b, commonType(a, b), dtype.Bool)
}

func (x *Tensor) compareScalar(o op.Op, v any) *Tensor {
	a, b := input(o, x), scalar(o, v)
	return binary(o, a, b, commonType(a, b), dtype.Bool)
}

// IsNaN returns where x is not a number, as bools.
func (x *Tensor) IsNaN() *Tensor {
	if !x.dtype.IsFloat() {
		return x.compare(op.Ne, x)
	}
	out := x.like(op.IsNaN, dtype.Bool)
	launch(op.IsNaN, x.dtype, nil, []*Tensor{out}, []*Tensor{x})
	return out
}

// IsInf returns where x is positive or negative infinity, as bools.
func (x *Tensor) IsInf() *Tensor {
	if !x.dtype.IsFloat() {
		return x.compare(op.Ne, x)
	}
	return x.unary(op.Abs, nil).EqScalar(math.Inf(1))
}

// IsFinite returns where x is neither infinite nor NaN, as bools.
func (x *Tensor) IsFinite() *Tensor {
	if !x.dtype.IsFloat() {
		return x.compare(op.Eq, x)
	}
	return x.unary(op.Abs, nil).LtScalar(math.Inf(1))
}

// Equal reports whether x and y have the same shape and equal elements; NaN equals nothing.
func (x *Tensor) Equal(y *Tensor) bool {
	refuseNil("equal", "input", 1, x)
	x.sameIndexDevice("equal", "wrapper_CUDA__equal", "other", y)
	return x.layout.Shape().Equal(y.layout.Shape()) && x.Eq(y).allTrue()
}

// AllClose reports whether |x - y| ≤ atol + rtol·|y| for all elements, broadcast; equal infinities are close, NaN is close
// to nothing. It panics where the dtypes differ.
func (x *Tensor) AllClose(y *Tensor, rtol, atol float64) bool {
	refuseNil("allclose", "input", 1, x)
	refuseNil("allclose", "other", 2, y)
	if x.dtype != y.dtype {
		fail("allclose", ErrDType, fmt.Sprintf("%s did not match %s", x.dtype.ScalarName(), y.dtype.ScalarName()), x, y)
	}
	equal := x.Eq(y)
	x, y = x.Detach(), y.Detach()
	if !x.dtype.IsFloat() {
		x, y = x.cast(dtype.Float64), y.cast(dtype.Float64)
	}
	distance := x.Sub(y).Abs()
	near := distance.Le(y.Abs().MulScalar(rtol).AddScalar(atol))
	return equal.LogicalOr(near.LogicalAnd(distance.IsFinite())).allTrue()
}

// allTrue reports whether all elements of a bool tensor are true.
func (x *Tensor) allTrue() bool {
	return x.NumEl() == 0 || x.Sum().Float64() == float64(x.NumEl())
}
