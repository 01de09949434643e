package recipe

import "math"

// The coefficients of ψ', interpolated at Chebyshev's nodes.
var (
	// trigammaTerms is x²·ψ'(x)/(x + 1/2) in powers of (x-1)/(x+1), for x from 1 on.
	trigammaTerms = map[Elem]led{
		F32: {0x1.18bc44p+0, -0x1.4fbeecp-28, []float64{-0x1.1fe77cp-2, 0x1.446e4p-2, -0x1.871b78p-3, 0x1.39d9e6p-4,
			-0x1.6efafap-6, 0x1.585a42p-8, -0x1.a496f4p-11}},
		F64: {0x1.18bc4418cafe2p+0, 0x1.1d26f1e92672bp-54, []float64{-0x1.1fe7d7978ef31p-2, 0x1.4475d1cee1badp-2,
			-0x1.87962e47eedaep-3, 0x1.3db4d67ed9f53p-4, -0x1.914b8e53e0f9cp-6, 0x1.0455f7d1d2387p-7, -0x1.70998611b7fbdp-9,
			0x1.d94308fc67cecp-11, -0x1.571eb6c3ec0eep-12, 0x1.6ec33e3de3bc2p-13, -0x1.4a3b8caff167cp-13, 0x1.7b2f6271f130ap-13,
			-0x1.643d4e3a584d8p-13, 0x1.e899d5b63bcc2p-14, -0x1.c3bff66274572p-15, 0x1.e83823e632f9fp-17, -0x1.c80383a45438ap-20}},
	}
	// trigammaSine is π²/sin²(πd) - 1/d² in powers of d², for d up to 1/2.
	trigammaSine = map[Elem]led{
		F32: {0x1.a51a66p+1, 0x1.756746p-26, []float64{0x1.9f9ca8p+2, 0x1.458f38p+3, 0x1.c16f9cp+3, 0x1.24333ap+4,
			0x1.34abf6p+4, 0x1.5a26dcp+5, -0x1.f2a00cp+4, 0x1.13af2ep+7}},
		F64: {0x1.a51a6625307d3p+1, -0x1.1227d5e45c91ep-56, []float64{0x1.9f9cb402bc51bp+2, 0x1.458cbe5f04351p+3,
			0x1.c1d39fb6f0a6bp+3, 0x1.20495375ed1f6p+4, 0x1.601642b4f6f3p+4, 0x1.a0042aae8328bp+4, 0x1.e02eb2d14f0c2p+4,
			0x1.0ed17bce91cccp+5, 0x1.3b8dd7917fcfcp+5, 0x1.fbb6a95bfeb3ap+4, 0x1.8b8195d788764p+6, -0x1.1f0f9f0db4ec2p+7,
			0x1.0c9cafea1c9aep+9, -0x1.5cfdce09cd514p+9, 0x1.4a99760a84192p+9}},
	}
)

// Trigamma is ψ'(x), the slope of Digamma.
func Trigamma(elem Elem) *Recipe {
	b := newBuilder(elem, "Trigamma", "x")
	x, zero, one := b.Param(0), b.Const(0), b.Const(1)
	a := b.Abs(x)
	negative := b.Less(x, zero)
	above := b.If(b.Either(negative, b.Less(a, one)), b.Add(a, one), a)

	// ψ'(x) = 1/x² + ψ'(1+x), and ψ'(-a) + ψ'(1+a) = π²/sin²(πa).
	y, rest := trigammaFrom1(b, above)
	d := b.If(negative, b.Abs(b.Sub(a, b.Round(a))), a)
	inverse, inverseRest := quotient(b, one, zero, d, zero)
	pole, poleRest := b.TwoProduct(inverse, inverse)
	poleRest = b.FMA(b.Add(inverse, inverse), inverseRest, poleRest)
	sine, sineRest := b.led(b.Mul(d, d), zero, trigammaSine)
	more, moreRest := b.If(negative, b.Sub(sine, y), y), b.If(negative, b.Sub(sineRest, rest), rest)
	split := b.If(b.Equal(pole, b.Inf()), pole, b.Add(pole, b.Add(more, b.Add(poleRest, moreRest))))
	y = b.If(b.Either(negative, b.Less(a, one)), split, b.Add(y, rest))
	return b.Return(ofNaN(b, x, b.If(b.Equal(x, b.NegInf()), b.NaN(), y)), 2, `the slope of Digamma; ∞ at 0 and at negative integers, NaN at -∞.
From 1 on (x + 1/2)/x² times a polynomial in (x-1)/(x+1); below by the recurrence, left of 0 by Euler's reflection.`)
}

// trigammaFrom1 is ψ'(x) from 1 on.
func trigammaFrom1(b *builder, x float) (y, rest float) {
	bounded := atMost(b, x, b.pick(0x1p40, 0x1p80))
	one := b.Const(1)
	t, tRest := b.centered(bounded, 1)
	p, pRest := b.led(t, tRest, trigammaTerms)
	inverse := b.Div(one, x)
	inverseRest := b.Mul(b.FMA(b.Neg(inverse), atMost(b, x, b.pick(math.MaxFloat32, math.MaxFloat64)), one), inverse)
	half, halfRest := b.TwoProduct(b.Mul(inverse, b.Const(0.5)), inverse)
	v, vRest := b.FastTwoSum(inverse, half)
	vRest = b.Add(vRest, b.Add(halfRest, b.FMA(inverse, inverseRest, inverseRest)))
	return b.pairProduct(v, vRest, p, pRest)
}
