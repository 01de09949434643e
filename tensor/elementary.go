package tensor

import (
	"math"

	"cresset/internal/op"
)

// Exp returns eˣ; that of integers is float32.
func (x *Tensor) Exp() *Tensor { return x.savingResult(op.Exp, expGrad) }

func expGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0))) }

// Expm1 returns eˣ - 1, without the loss of digits near 0; that of integers is float32.
func (x *Tensor) Expm1() *Tensor { return x.savingResult(op.Expm1, expm1Grad) }

func expm1Grad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).AddScalar(1))) }

// Log returns the natural logarithm of x; that of integers is float32.
func (x *Tensor) Log() *Tensor { return x.savingOperand(op.Log, logGrad) }

func logGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0))) }

// Log1p returns log(1 + x), without the loss of digits near 0; that of integers is float32.
func (x *Tensor) Log1p() *Tensor { return x.savingOperand(op.Log1p, log1pGrad) }

func log1pGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).AddScalar(1))) }

// Sin returns the sine of x; that of integers is float32.
func (x *Tensor) Sin() *Tensor { return x.savingOperand(op.Sin, sinGrad) }

func sinGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Cos())) }

// Cos returns the cosine of x; that of integers is float32.
func (x *Tensor) Cos() *Tensor { return x.savingOperand(op.Cos, cosGrad) }

func cosGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).Sin().Neg())) }

// Erf returns the error function of x, 2/√π times the integral of e^(-t²) from 0 to x; that of integers is float32.
func (x *Tensor) Erf() *Tensor { return x.savingOperand(op.Erf, erfGrad) }

func erfGrad(b *backprop, dy *Tensor) {
	slope := b.saved(0).Square().Neg().Exp().MulScalar(2 / math.SqrtPi)
	b.give(0, dy.Mul(slope))
}

// Erfc returns 1 - Erf, without the loss of digits where that is small; that of integers is float32.
func (x *Tensor) Erfc() *Tensor { return x.savingOperand(op.Erfc, erfcGrad) }

func erfcGrad(b *backprop, dy *Tensor) {
	slope := b.saved(0).Square().Neg().Exp().MulScalar(-2 / math.SqrtPi)
	b.give(0, dy.Mul(slope))
}

// Erfinv returns the inverse of Erf, ±∞ at ±1 and NaN beyond; that of integers is float32.
func (x *Tensor) Erfinv() *Tensor { return x.savingResult(op.Erfinv, erfinvGrad) }

func erfinvGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Square().Exp().MulScalar(math.Sqrt(math.Pi)/2)))
}

// Sqrt returns √x; that of integers is float32.
func (x *Tensor) Sqrt() *Tensor { return x.savingResult(op.Sqrt, sqrtGrad) }

func sqrtGrad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).MulScalar(2))) }

// Rsqrt returns 1/√x; that of integers is float32.
func (x *Tensor) Rsqrt() *Tensor { return x.savingResult(op.Rsqrt, rsqrtGrad) }

func rsqrtGrad(b *backprop, dy *Tensor) { b.give(0, dy.MulScalar(-0.5).Mul(b.saved(0).Pow(3))) }

// Reciprocal returns 1 / x; that of integers is float32.
func (x *Tensor) Reciprocal() *Tensor { return x.savingResult(op.Reciprocal, reciprocalGrad) }

func reciprocalGrad(b *backprop, dy *Tensor) {
	y := b.saved(0)
	b.give(0, dy.Neg().Mul(y).Mul(y))
}

// savingOperand computes a function whose gradient needs x.
func (x *Tensor) savingOperand(o op.Op, back gradient) *Tensor {
	x = x.autocast(o)
	out := x.unaryFloat(o, nil)
	record(out, o, back, nil, x).save(x)
	return out
}

// savingResult computes a function whose gradient needs the result.
func (x *Tensor) savingResult(o op.Op, back gradient) *Tensor {
	x = x.autocast(o)
	out := x.unaryFloat(o, nil)
	record(out, o, back, nil, x).save(out)
	return out
}
