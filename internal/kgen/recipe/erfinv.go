package recipe

import "math"

// erfinvTerms are the coefficients of erfinv(x)/x with w = -log(1 - x*x): for w < 5 in powers of w - 5/2, else of √w - 3, good to
// 2**-19.
var erfinvTerms = [2][]float64{
	{0x1.805c5cp+0, 0x1.f91eccp-3, -0x1.11c43ep-8, -0x1.48aa56p-10, 0x1.c9d5e4p-13, -0x1.25f5c8p-18, -0x1.cfb152p-19, 0x1.6f7602p-22,
		0x1.845e24p-26},
	{0x1.6a9f0cp+1, 0x1.006f8p+0, 0x1.34e7e8p-7, -0x1.0031a2p-7, 0x1.7bca3p-8, -0x1.a92deep-9, 0x1.2b27f2p-10, -0x1.cbbc94p-13,
		0x1.24a15cp-16},
}

// Erfinv is the inverse of Erf.
func Erfinv(elem Elem) *Recipe {
	b := newBuilder(elem, "Erfinv", "x")
	x, one := b.Param(0), b.Const(1)
	a := b.Abs(x)
	left := b.Sub(one, a)
	w := b.Neg(b.Apply(Log, b.Mul(left, b.Add(one, a))))
	ratio := b.If(b.Less(w, b.Const(5)), b.Horner(b.Sub(w, b.Const(2.5)), erfinvTerms[0]...),
		b.Horner(b.Sub(b.Sqrt(w), b.Const(3)), erfinvTerms[1]...))
	y := b.Mul(a, ratio)
	// A step of Halley's, from what erf(y) is too large; near 1 from what erfc(y) is too small.
	off := b.If(b.Less(a, b.Const(0.5)), b.Sub(b.Apply(Erf, y), a), b.Sub(left, b.Apply(Erfc, y)))
	step := b.Div(off, b.Mul(b.Rounded(2/math.SqrtPi), b.Apply(Exp, b.Neg(b.Mul(y, y)))))
	y = b.Sub(y, b.Div(step, b.FMA(y, step, one)))
	y = b.If(b.Less(a, one), y, b.If(b.Equal(a, one), b.Inf(), b.NaN()))
	return b.Return(ofNaN(b, y, b.WithSign(y, x)), 2, `the y with erf(y) = x, ±∞ at ±1 and NaN beyond.
A polynomial in the logarithm of 1 - x*x, then a step of Halley's iteration by Erf, near 1 by Erfc.`)
}
