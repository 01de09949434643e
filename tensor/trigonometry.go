package tensor

import (
	"math"

	"cresset/internal/op"
)

// Sin returns the sine of x; that of integers is float32.
func (x *Tensor) Sin() *Tensor {
	out := x.unaryFloat(op.Sin, nil)
	record(out, op.Sin, sinGrad, nil, x).save(x)
	return out
}

func sinGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Cos())) }

// Cos returns the cosine of x; that of integers is float32.
func (x *Tensor) Cos() *Tensor {
	out := x.unaryFloat(op.Cos, nil)
	record(out, op.Cos, cosGrad, nil, x).save(x)
	return out
}

func cosGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Sin().Neg())) }

// Erf returns the error function of x, 2/√π times the integral of e^(-t²) from 0 to x; that of integers is float32.
func (x *Tensor) Erf() *Tensor {
	out := x.unaryFloat(op.Erf, nil)
	record(out, op.Erf, erfGrad, nil, x).save(x)
	return out
}

func erfGrad(b *backprop, dy *Tensor) {
	slope := b.saved(0).Square().Neg().Exp().MulScalar(2 / math.SqrtPi)
	b.give(0, dy.Mul(slope))
}
