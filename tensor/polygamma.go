package tensor

import (
	"math"

	"cresset/dtype"
	"cresset/internal/op"
)

// Polygamma returns derivative n of Digamma, (-1)ⁿ⁺¹·n!·Σ 1/(x+k)ⁿ⁺¹ over k ≥ 0, and for n = 0 Digamma itself; at 0 and at negative integers it is
// infinite. That of integers is float32. It panics for n < 0. For n = 1 it is right to 2 ulp; beyond, the sum is made of other ops, which
// each round.
func (x *Tensor) Polygamma(n int) *Tensor {
	switch {
	case x == nil || n == 1:
		out := x.unaryFloat(op.Trigamma, nil)
		record(out, op.Trigamma, polygammaGrad, n, x).save(x)
		return out
	case n < 0:
		fail("polygamma", ErrValue, "polygamma(n, x) does not support negative n.", x)
	case n == 0:
		return x.Digamma()
	}
	dt := x.dtype
	if !dt.IsFloat() {
		dt = dtype.Default
	}
	wide := dt
	if dt.Size() < 4 {
		wide = dtype.Float32
	}
	out := x.Detach().To(wide).polygamma(n).To(dt)
	record(out, op.Trigamma, polygammaGrad, n, x).save(x)
	return out
}

func polygammaGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.Mul(b.saved(0).Polygamma(b.current.params.(int)+1)))
}

// polygamma is Polygamma of float32 and float64 for n > 1. Left of 0 it is by derivative n of ψ(x) = ψ(1-x) - π·cot(πx).
func (x *Tensor) polygamma(n int) *Tensor {
	sign := float64(1 - 2*((n+1)%2)) // of the sum
	left := x.LtScalar(0)
	y := Where(left, x.RSubScalar(1), x).hurwitz(n + 1).MulScalar(sign * math.Gamma(float64(n+1)))
	turn := x.Sub(x.Round()).MulScalar(math.Pi)
	bent := cotDerivative(turn.Cos().Div(turn.Sin()), n)
	y = Where(left, y.MulScalar(float64(1-2*(n%2))).Sub(bent), y)
	pole := x.LeScalar(0).LogicalAnd(x.Eq(x.Floor()))
	return y.MaskedFill(pole, math.Inf(int(sign)))
}

// hurwitz is ζ(s, x) = Σ 1/(x+k)ˢ over k ≥ 0 for x ≥ 0: ten terms, and the rest by Euler and Maclaurin.
func (x *Tensor) hurwitz(s int) *Tensor {
	const terms = 10
	sum := x.Pow(float64(-s))
	for k := 1; k < terms; k++ {
		sum = sum.Add(x.AddScalar(float64(k)).Pow(float64(-s)))
	}
	a := x.AddScalar(terms)
	power := a.Pow(float64(-s))
	sum = sum.Add(a.Pow(float64(1 - s)).DivScalar(float64(s - 1))).Add(power.DivScalar(2))
	// B(2k)/(2k)! for k = 1, 2, ...
	factor := float64(s)
	power = power.Div(a)
	for k, b := range []float64{1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000, 1. / 74724249600} {
		sum = sum.Add(power.MulScalar(b * factor))
		next := float64(s + 2*k + 1)
		factor *= next * (next + 1)
		power = power.Div(a).Div(a)
	}
	return sum
}

// cotDerivative is derivative n of π·cot(πx), a polynomial in c = cot(πx), since the derivative of c is -π·(1 + c²).
func cotDerivative(c *Tensor, n int) *Tensor {
	p := []float64{0, math.Pi}
	for range n {
		q := make([]float64, len(p)+1)
		for i := 1; i < len(p); i++ {
			q[i-1] -= math.Pi * float64(i) * p[i]
			q[i+1] -= math.Pi * float64(i) * p[i]
		}
		p = q
	}
	top := len(p) - 1
	y := c.MulScalar(p[top]).AddScalar(p[top-1])
	for i := top - 2; i >= 0; i-- {
		y = y.Mul(c).AddScalar(p[i])
	}
	return y
}
