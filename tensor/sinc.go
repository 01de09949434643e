package tensor

import (
	"math"

	"cresset/internal/op"
)

// Sinc returns sin(πx)/(πx), 1 where x is 0; that of integers is float32.
func (x *Tensor) Sinc() *Tensor { return x.savingOperand(op.Sinc, sincGrad) }

func sincGrad(b *backprop, dy *Tensor) { b.give(0, dy.Mul(b.saved(0).sincSlope())) }

// sincSlope is (cos(πx) - sinc x)/x, and near 0, where that cancels, the first terms of Σ cₖ·x²ᵏ⁻¹.
func (x *Tensor) sincSlope() *Tensor {
	const terms = 9
	square, near := x.Square(), x.Abs().LtScalar(0.25)
	series := square.MulScalar(sincCoefficient(terms)).AddScalar(sincCoefficient(terms - 1))
	for k := terms - 2; k > 0; k-- {
		series = series.Mul(square).AddScalar(sincCoefficient(k))
	}
	far := Where(near, 1.0, x)
	return Where(near, x.Mul(series), far.MulScalar(math.Pi).Cos().Sub(far.Sinc()).Div(far))
}

// sincCoefficient is (-1)ᵏ·2k·π²ᵏ/(2k+1)!.
func sincCoefficient(k int) float64 {
	n := float64(2 * k)
	c := n * math.Pow(math.Pi, n) / math.Gamma(n+2)
	if k%2 == 1 {
		return -c
	}
	return c
}
