package tensor

import (
	"math"

	"cresset/internal/op"
)

// NaNToNum returns x with numbers in the place of NaN and of infinities. The gradient passes where x is finite.
func (x *Tensor) NaNToNum(opts ...NaNToNumOption) *Tensor {
	if !input(op.NaNToNum, x).t.dtype.IsFloat() {
		return x.unary(op.Copy, nil)
	}
	largest := limits[x.dtype].high
	nan, posInf, negInf := 0.0, largest, -largest
	for _, o := range opts {
		switch o := o.(type) {
		case NaN:
			nan = float64(o)
		case PosInf:
			posInf = float64(o)
		case NegInf:
			negInf = float64(o)
		}
	}
	y := x.Detach()
	for _, put := range []struct {
		mask *Tensor
		v    float64
	}{{y.IsNaN(), nan}, {y.EqScalar(math.Inf(1)), posInf}, {y.EqScalar(math.Inf(-1)), negInf}} {
		if math.Abs(put.v) > largest {
			put.v = math.Copysign(math.Inf(1), put.v)
		}
		y = y.MaskedFill(put.mask, put.v)
	}
	record(y, op.NaNToNum, nanToNumGrad, nil, x).save(x)
	return y
}

func nanToNumGrad(b *backprop, dy *Tensor) { b.give(0, Where(b.saved(0).IsFinite(), dy, 0)) }
