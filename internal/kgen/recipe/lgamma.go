package recipe

import "math"

// The coefficients of log Γ, interpolated at Chebyshev's nodes.
var (
	// lgammaNear is log Γ(x) / ((x-1)(x-2)) in powers of (x - 5/4)/(x + 5/4), for x from 1/2 to 3.
	lgammaNear = map[Elem]led{
		F32: {0x1.0c58fep-1, 0x1.d9f236p-29, []float64{-0x1.d8782ep-2, 0x1.0980d8p-3, -0x1.44cec4p-3, 0x1.61954ap-4,
			-0x1.8cfd76p-4, 0x1.0a0e5ap-4, -0x1.229a2cp-4, 0x1.7343d4p-5, -0x1.74f1cp-5, 0x1.1c2d78p-4, -0x1.456d06p-4}},
		F64: {0x1.0c58fe25dca2cp-1, -0x1.6c909f510ef7p-55, []float64{-0x1.d8782ecd96531p-2, 0x1.0980a50d8511ep-3,
			-0x1.44ce18e63667cp-3, 0x1.61af2e88ae8fcp-4, -0x1.8d39da543e693p-4, 0x1.07b3a399ebddap-4, -0x1.1e3fbcd020deep-4,
			0x1.a3d6517dc2c35p-5, -0x1.bf809c5bc4a29p-5, 0x1.5c91c9a458daep-5, -0x1.6f4f8426b5e63p-5, 0x1.29f6deea8eea2p-5,
			-0x1.375abe1c0470cp-5, 0x1.03c8591699ea1p-5, -0x1.0fd78de6086c6p-5, 0x1.d4ec0ed11bcb6p-6, -0x1.c643b7d592289p-6,
			0x1.6ce79a5276ea1p-6, -0x1.13ac391b4ed55p-5, 0x1.2d5d03917c754p-5, 0x1.da59f40f888a6p-11, -0x1.16d661763e71p-6,
			-0x1.058be083c0bd1p-4, 0x1.2cf3adf8e1649p-4}},
	}
	// lgammaFar is x·(log Γ(x) - (x-1/2)·log(x) + x - log(2π)/2) in powers of (x-2)/(x+2), for x from 3 on.
	lgammaFar = map[Elem]led{
		F32: {0x1.52ac98p-4, 0x1.06e448p-30, []float64{0x1.3c7f28p-9, -0x1.0bee86p-8, 0x1.1d3cep-8, -0x1.986126p-9,
			0x1.61d0bcp-10, -0x1.145c92p-12}},
		F64: {0x1.52a9b925369p-4, 0x1.1867c204162f2p-58, []float64{0x1.42708db3a2603p-9, -0x1.2062df2f5a8d3p-8,
			0x1.6ab68d7acf813p-8, -0x1.817a1abaf5c45p-8, 0x1.73369145ed3b6p-8, -0x1.50b08ee8e6f92p-8, 0x1.254c84e725de4p-8,
			-0x1.ead8f49728e3bp-9, 0x1.82dd4d9a80296p-9, -0x1.15352a207392ap-9, 0x1.595727601be32p-10, -0x1.639d5f02791c7p-11,
			0x1.1da6148e16051p-12, -0x1.4ba5c72597ef7p-14, 0x1.eb0873a522282p-17, -0x1.5a27bd76bc2f7p-20}},
	}
	// lgammaSine is log(sin(πd)/(πd)) / d² in powers of d², for d up to 1/2.
	lgammaSine = map[Elem]led{
		F32: {-0x1.a51a66p+0, -0x1.7501ap-27, []float64{-0x1.151306p-1, -0x1.5b4f0ap-2, -0x1.ff7a74p-3, -0x1.b6a08ep-3,
			-0x1.72eacep-4, -0x1.54915p-2}},
		F64: {-0x1.a51a6625307d3p+0, -0x1.5f42bd7a4008dp-56, []float64{-0x1.151322ac7d8e9p-1, -0x1.5b40cb0ff7e2cp-2,
			-0x1.010b36b799ac3p-2, -0x1.9a01e02e1bc0ep-3, -0x1.556b3fe9a66f6p-3, -0x1.248e72b0a7186p-3, -0x1.007509e47a025p-3,
			-0x1.be79bd2aebac5p-4, -0x1.d2f7f4a6085fbp-4, -0x1.b4fc9a43dac9fp-6, -0x1.1ef5d11df4a3dp-2, 0x1.3046d605c1822p-2,
			-0x1.bdb3d7629dd5ep-2}},
	}
)

// Lgamma is the logarithm of |Γ(x)|.
func Lgamma(elem Elem) *Recipe {
	b := newBuilder(elem, "Lgamma", "x")
	x, zero := b.Param(0), b.Const(0)
	a := b.Abs(x)
	small, negative := b.Less(a, b.Const(0.5)), b.Less(x, zero)
	near, nearRest := lgammaBelow3(b, a, small)
	far, farRest := lgammaFrom3(b, a)
	isFar := b.LessEqual(b.Const(3), a)
	y, rest := b.If(isFar, far, near), b.If(isFar, farRest, nearRest)

	// Γ(x)·Γ(1-x) = π/sin(πx), and Γ(1+a) = a·Γ(a): what is near is of Γ(1+a) where a is small.
	d := b.Abs(b.Sub(a, b.Round(a)))
	area, areaRest := b.TwoProduct(a, d)
	log, logRest := logOfPair(b, b.If(small, a, area), b.If(small, zero, areaRest))
	square, squareRest := b.TwoProduct(d, d)
	sine, sineRest := b.led(square, squareRest, lgammaSine)
	bent, bentRest := b.pairProduct(square, squareRest, sine, sineRest)
	under, lost := b.TwoSum(y, log)
	under, more := b.TwoSum(under, bent)
	mirrored := b.Neg(b.Add(under, b.Add(b.Add(lost, more), b.Add(b.Add(rest, logRest), bentRest))))

	positive := b.If(small, b.Sub(near, b.Sub(log, b.Sub(nearRest, logRest))), b.Add(y, rest))
	pole := b.Either(b.Equal(a, zero), b.Both(negative, b.Equal(d, zero)))
	y = b.If(b.Either(pole, b.Equal(y, b.Inf())), b.Inf(), b.If(negative, mirrored, positive))
	return b.Return(ofNaN(b, x, y), 2, `log|Γ(x)|, ∞ at 0, at negative integers and at ±∞.
Below 3 (x-1)(x-2) times a polynomial, above Stirling's series as a polynomial in (x-2)/(x+2); left of 0 Euler's reflection. Every
part is a rounded number and its error, so that left of 0 the error is 2 ulp or 2**-24, of float64 2**-53, whichever is larger.`)
}

// lgammaBelow3 is log Γ(a) for a from 1/2 to 3, where a is small log Γ(1+a).
func lgammaBelow3(b *builder, a float, small mask) (y, rest float) {
	one := b.Const(1)
	x := b.If(small, b.Add(a, one), a)
	over1 := b.If(small, a, b.Sub(a, one))
	over2, over2Rest := b.TwoSum(a, b.If(small, b.Const(-1), b.Const(-2)))
	zeros, zerosRest := b.TwoProduct(over1, over2)
	zerosRest = b.FMA(over1, over2Rest, zerosRest)
	t, tRest := b.centered(x, 1.25)
	p, pRest := b.led(t, tRest, lgammaNear)
	return b.pairProduct(zeros, zerosRest, p, pRest)
}

// lgammaFrom3 is log Γ(a) from 3 on, (a-1/2)·(log(a) - 1) + (log(2π)-1)/2 + p/a.
func lgammaFrom3(b *builder, a float) (y, rest float) {
	bounded := atMost(b, a, b.pick(0x1p40, 0x1p80))
	t, tRest := b.centered(bounded, 2)
	p, pRest := b.led(t, tRest, lgammaFar)
	log, logRest := logOfPair(b, atMost(b, a, b.pick(math.MaxFloat32, math.MaxFloat64)), b.Const(0))
	log, lost := b.FastTwoSum(log, b.Const(-1))
	factor, factorRest := b.TwoSum(a, b.Const(-0.5))
	y, rest = b.pairProduct(factor, factorRest, log, b.Add(lost, logRest))
	constant, constantRest := b.FastTwoSum(b.Const(b.pick(0x1.acfe3ap-2, 0x1.acfe390c97d69p-2)), b.Div(b.Add(p, pRest), bounded))
	constantRest = b.Add(constantRest, b.Const(b.pick(-0x1.e6d052p-27, 0x1.3494bc9001442p-56)))
	y, lost = b.TwoSum(y, constant)
	return y, b.Add(lost, b.Add(rest, constantRest))
}
