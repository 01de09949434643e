package recipe

import "math"

// The coefficients of ψ, interpolated at Chebyshev's nodes.
var (
	// digammaNear is ψ(x)/(x-z), z its zero, in powers of (x-1)/(x+1), for x from 1/2 to 2.
	digammaNear = map[Elem]led{
		F32: {0x1.4018eap+0, -0x1.85f308p-26, []float64{-0x1.b59a5ep+0, 0x1.4ceccp+0, -0x1.67ed7ap+0, 0x1.584ec2p+0,
			-0x1.6246b8p+0, 0x1.5c90b8p+0, -0x1.61a1c8p+0, 0x1.491edep+0, -0x1.4c1c38p+0, 0x1.eebc9ap+0, -0x1.f16032p+0}},
		F64: {0x1.4018e9a62525ep+0, -0x1.310175005e10cp-56, []float64{-0x1.b59a5e3fc938fp+0, 0x1.4cecacb343a9cp+0,
			-0x1.67ed673ddf4fdp+0, 0x1.58569c36affeep+0, -0x1.624e9894906d1p+0, 0x1.5b684a3b56405p+0, -0x1.6078319ce0a24p+0,
			0x1.5c97c8de2f80fp+0, -0x1.5fa8befca6769p+0, 0x1.5d2c21e400971p+0, -0x1.5f399f3282ab4p+0, 0x1.5d7e5bcf74192p+0,
			-0x1.5f182dbaf77e7p+0, 0x1.5dd1b3cb73ac5p+0, -0x1.5d05e607942bbp+0, 0x1.5c0bf8566827cp+0, -0x1.701b5da66b085p+0,
			0x1.6f5005ea5f443p+0, -0x1.ed984ccbfea73p-1, 0x1.ec940167b61bap-1, -0x1.55962ffe387aap+1, 0x1.5521b31cdfbabp+1}},
	}
	// digammaFar is x·(log(x) - ψ(x)) in powers of (x-1)/(x+1), for x from 2 on.
	digammaFar = map[Elem]led{
		F32: {0x1.278596p-1, 0x1.30b93p-26, []float64{-0x1.14bad8p-3, 0x1.7617e2p-4, -0x1.8e29aap-5, 0x1.4d7214p-6,
			-0x1.8efa3ep-8, 0x1.ec86c4p-11}},
		F64: {0x1.2788cfc28929p-1, 0x1.da0f6b84409d1p-55, []float64{-0x1.155fe2100d18bp-3, 0x1.7d268a2243a93p-4,
			-0x1.b9aeb312f718fp-5, 0x1.f6034545ee618p-6, -0x1.3f190f9e3fa3p-6, 0x1.bc723721798f6p-7, -0x1.3dbac67ede468p-7,
			0x1.c2604ed25012fp-8, -0x1.2e52c8c98d9dap-8, 0x1.6c410012a4c61p-9, -0x1.77988e4ac42e5p-10, 0x1.3cd9a54362e98p-11,
			-0x1.a29f156cc182bp-13, 0x1.9dc1e32e913e6p-15, -0x1.1911fdab5caaep-17, 0x1.90c1153539002p-21}},
	}
	// digammaCot is (1/d - π·cot(πd)) / d in powers of d², for d up to 1/2.
	digammaCot = map[Elem]led{
		F32: {0x1.a51a66p+1, 0x1.f1fda4p-27, []float64{0x1.15132ep+1, 0x1.046caap+1, 0x1.0186a6p+1, 0x1.f1d656p+0,
			0x1.3b711ep+1, 0x1.f1d872p-14, 0x1.842938p+2}},
		F64: {0x1.a51a6625307d3p+1, 0x1.98893af2aa67bp-54, []float64{0x1.151322ac7d7d8p+1, 0x1.0470984c1152ap+1,
			0x1.010b36abc6e64p+1, 0x1.00412f1923593p+1, 0x1.000fffb1198ffp+1, 0x1.0007174526b3ep+1, 0x1.ff9da14565d7fp+0,
			0x1.023f05a035361p+1, 0x1.db637e6f60137p+0, 0x1.6a4c80e8140e3p+1, -0x1.623b22163baaep+0, 0x1.6a3c7a4bd8618p+3,
			-0x1.c04ad851939eep+3, 0x1.002ac4c3abf81p+4}},
	}
)

// Digamma is ψ(x), the slope of log Γ(x).
func Digamma(elem Elem) *Recipe {
	b := newBuilder(elem, "Digamma", "x")
	x, zero, one := b.Param(0), b.Const(0), b.Const(1)
	a := b.Abs(x)
	small, negative := b.Less(a, b.Const(0.5)), b.ILess(b.ToBits(x), b.Int(0))
	near, nearRest := digammaBelow2(b, a, small)
	far, farRest := digammaFrom2(b, a)
	isFar := b.LessEqual(b.Const(2), a)
	y, rest := b.If(isFar, far, near), b.If(isFar, farRest, nearRest)

	// ψ(1+a) = ψ(a) + 1/a and ψ(-a) = ψ(1+a) + π·cot(πa): what is near is of ψ(1+a) where a is small.
	inverse, inverseRest := quotient(b, one, zero, a, zero)
	d := b.Sub(a, b.Round(a))
	turn, turnRest := quotient(b, one, zero, d, zero)
	square, squareRest := b.TwoProduct(d, d)
	cot, cotRest := b.led(square, squareRest, digammaCot)
	bent, bentRest := b.pairProduct(b.Neg(d), zero, cot, cotRest)
	sum, lost := b.TwoSum(y, b.If(small, zero, inverse))
	sumRest := b.Add(b.Add(rest, lost), b.If(small, zero, inverseRest))
	sum, lost = b.TwoSum(sum, turn)
	sum, more := b.TwoSum(sum, bent)
	mirrored := b.Add(sum, b.Add(b.Add(lost, more), b.Add(sumRest, b.Add(turnRest, bentRest))))
	mirrored = b.If(b.Equal(turn, b.Inf()), turn, mirrored)
	whole := b.Not(b.Less(zero, b.Abs(d))) // or -∞, whose d is a NaN of a sign that processors choose
	mirrored = b.If(b.Both(whole, b.Not(small)), b.NaN(), mirrored)

	pole := b.If(b.Equal(inverse, b.Inf()), b.NegInf(), b.Sub(near, b.Sub(inverse, b.Sub(nearRest, inverseRest))))
	positive := b.If(small, pole, b.If(b.Equal(a, b.Inf()), a, b.Add(y, rest)))
	return b.Return(ofNaN(b, x, b.If(negative, mirrored, positive)), 2, `the slope of log Γ(x); -∞ at 0, ∞ at -0, NaN at negative integers and at -∞.
Below 2 x less the zero times a polynomial, above log(x) less a polynomial in (x-1)/(x+1), by x; left of 0 Euler's reflection. Every part
is a rounded number and its error, so that left of 0 the error is 2 ulp or 2**-22, of float64 2**-51, whichever is larger.`)
}

// digammaBelow2 is ψ(a) for a from 1/2 to 3, where a is small ψ(1+a).
func digammaBelow2(b *builder, a float, small mask) (y, rest float) {
	x := b.If(small, b.Add(a, b.Const(1)), a)
	zero := b.If(small, b.Const(b.pick(-0x1.d8b618p-2, -0x1.d8b618d5af8fep-2)), b.Const(b.pick(-0x1.762d86p+0, -0x1.762d86356be3fp+0)))
	zeroRest := b.If(small, b.Const(b.pick(-0x1.ab5f2p-27, 0x1.1e563779a1f5bp-56)), b.Const(b.pick(-0x1.ab5f2p-27, -0x1.b86a722197829p-54)))
	over, overRest := b.TwoSum(a, zero)
	t, tRest := b.centered(x, 1)
	p, pRest := b.led(t, tRest, digammaNear)
	return b.pairProduct(over, b.Add(overRest, zeroRest), p, pRest)
}

// digammaFrom2 is ψ(a) from 2 on.
func digammaFrom2(b *builder, a float) (y, rest float) {
	bounded := atMost(b, a, b.pick(0x1p40, 0x1p80))
	t, tRest := b.centered(bounded, 1)
	p, pRest := b.led(t, tRest, digammaFar)
	below, belowRest := quotient(b, p, pRest, bounded, b.Const(0))
	log, logRest := logOfPair(b, atMost(b, a, b.pick(math.MaxFloat32, math.MaxFloat64)), b.Const(0))
	y, rest = b.FastTwoSum(log, b.Neg(below))
	return y, b.Add(rest, b.Sub(logRest, belowRest))
}
