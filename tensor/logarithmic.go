package tensor

import (
	"math"

	"cresset/internal/op"
)

// Exp2 returns 2ˣ; that of integers is float32.
func (x *Tensor) Exp2() *Tensor { return x.savingResult(op.Exp2, exp2Grad) }

func exp2Grad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0)).MulScalar(math.Ln2)) }

// Log2 returns the logarithm of x to the base 2; that of integers is float32.
func (x *Tensor) Log2() *Tensor { return x.savingOperand(op.Log2, log2Grad) }

func log2Grad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).MulScalar(math.Ln2))) }

// Log10 returns the logarithm of x to the base 10; that of integers is float32.
func (x *Tensor) Log10() *Tensor { return x.savingOperand(op.Log10, log10Grad) }

func log10Grad(b *backprop, dy *Tensor) { b.give(0, dy.Div(b.saved(0).MulScalar(math.Ln10))) }

// Logit returns log(x/(1 - x)), the inverse of Sigmoid, of x brought between Eps and 1 - Eps; without Eps, or where that is
// negative, x stays as it is and the result is NaN outside [0, 1], as is the gradient. With Eps the gradient is 0 outside the bounds.
// The logit of integers is float32.
func (x *Tensor) Logit(eps ...Eps) *Tensor {
	p := op.Number{A: optionalEps(eps, -1)}
	if p.A < 0 {
		p.A = math.Inf(-1) // bounds at ∓∞
	}
	return x.elementwiseFloat(op.Logit, p)
}

// LogAddExp returns log(eˣ + eʸ), broadcast, and does not overflow. It panics for integers.
func (x *Tensor) LogAddExp(y *Tensor) *Tensor {
	out := x.ofFloats(op.LogAddExp, y)
	record(out, op.LogAddExp, logAddExpGrad, nil, x, y).save(x, y)
	return out
}

func logAddExpGrad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor { return dy.Div(y.Sub(x).Exp().AddScalar(1)) })
	b.giveNeeded(1, func() *Tensor { return dy.Div(x.Sub(y).Exp().AddScalar(1)) })
}

// XLogY returns x·log y, broadcast, and 0 where x is 0, unless y is NaN; that of integers is float32.
func (x *Tensor) XLogY(y *Tensor) *Tensor {
	out := floatBinary(op.XLogY, input(op.XLogY, x), other(op.XLogY, y))
	record(out, op.XLogY, xLogYGrad, nil, x, y).save(x, y)
	return out
}

func xLogYGrad(b *backprop, dy *Tensor) {
	x, y := b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor {
		none := x.EqScalar(0).LogicalAnd(y.LeScalar(0))
		return dy.XLogY(y).MaskedFill(none, 0)
	})
	b.giveNeeded(1, func() *Tensor { return dy.Mul(x).Div(y) })
}
