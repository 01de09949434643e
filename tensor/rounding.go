package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Sign returns -1, 0 or 1 as x is negative, zero or positive; bools stay as they are. Its gradient is zero.
func (x *Tensor) Sign() *Tensor {
	if x.dtype == dtype.Bool {
		return x.unary(op.Copy, nil)
	}
	out := x.unary(op.Sign, nil)
	record(out, op.Sign, zeroGrad, nil, x)
	return out
}

// Floor returns the largest integer that is not above x. Its gradient is zero.
func (x *Tensor) Floor() *Tensor { return x.rounded(op.Floor) }

// Ceil returns the smallest integer that is not below x. Its gradient is zero.
func (x *Tensor) Ceil() *Tensor { return x.rounded(op.Ceil) }

// Round returns the integer that is nearest to x, the even one of two. Its gradient is zero.
func (x *Tensor) Round() *Tensor { return x.rounded(op.Round) }

// Trunc returns x without its fraction. Its gradient is zero.
func (x *Tensor) Trunc() *Tensor { return x.rounded(op.Trunc) }

func (x *Tensor) rounded(o op.Op) *Tensor {
	if x.dtype.IsInteger() {
		return x.unary(op.Copy, nil)
	}
	out := x.unary(o, nil)
	record(out, o, zeroGrad, nil, x)
	return out
}
