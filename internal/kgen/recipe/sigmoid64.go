package recipe

import "math"

// logisticCut64 is where a logistic function has become 1: half an ulp from it.
const logisticCut64 = 38

// logisticSlope64 are the coefficients of (e**-r - 1) / r for |r| <= log(2)/2, off by 2**-54 of e**-r / r: a minimax fit by
// Remez' exchange, rounded coefficient by coefficient.
var logisticSlope64 = []float64{
	-1, 0x1.000000000000ap-1, -0x1.555555555551p-3, 0x1.5555555550865p-5, -0x1.11111111259cep-7, 0x1.6c16c1845eb18p-10,
	-0x1.a01a0147f2c7ap-13, 0x1.a01997c8605d5p-16, -0x1.71de876a87d53p-19, 0x1.28b1474a4b367p-22, -0x1.af2b80e53b8fep-26,
}

// logistic64 is over/(1 + e**-(v+rest)) * 2**-128, rounded once at the end, for -760 <= v <= 39; over times 2**128 must be
// a number. As in float32 e**-v = 2**n * (1 + s) enters the sum before it is rounded.
func logistic64(b *builder, over, v float, rest ...float) float {
	const bias = 1023 - 128 // of the power of two: 2**(n-128) is a number for every n
	shifted := b.FMA(v, b.Const(-log2EDouble), b.Const(magicDouble+bias))
	whole := b.Sub(shifted, b.Const(magicDouble+bias))
	power := b.FromBits(b.Shl(b.ToBits(shifted), b.Int(52)))
	r := b.FMAExact(whole, b.Const(ln2HeadDouble), v)
	if len(rest) == 0 {
		r = b.FMA(whole, b.Const(ln2TailDouble), r)
	} else {
		r = b.Add(r, b.FMA(whole, b.Const(ln2TailDouble), rest[0]))
	}
	// The power's sum with 1 is exact below 2**53; from there on the 1 goes to the smaller summand.
	early := b.If(b.Less(power, b.Const(0x1p-75)), power, b.Const(0))
	late := b.Sub(power, early)
	sum := b.FMA(b.Mul(power, r), b.Horner(r, logisticSlope64...), b.Add(early, b.Const(0x1p-128)))
	return b.Div(over, b.Add(sum, late))
}

// Sigmoid64 is 1/(1 + e**-x).
func Sigmoid64() *Recipe {
	b := newDouble("Sigmoid", "x")
	x := b.Param(0)
	y := logistic64(b, b.Const(0x1p-128), atMost(b, atLeast(b, x, -760), logisticCut64))
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.6, `1/(1 + e**-x).
The exponential as for Exp, but added to 1 before it is rounded; below -760 the result is 0, above 38 it is 1.`)
}

// SiLU64 is x * sigmoid(x).
func SiLU64() *Recipe {
	b := newDouble("SiLU", "x")
	x := b.Param(0)
	over := atLeast(b, x, -760)
	y := timesLogistic64(b, x, over, logisticCut64, atMost(b, over, logisticCut64))
	return b.Return(y, 1.6, `x/(1 + e**-x); NaN at -∞, as in PyTorch.
Sigmoid's quotient with x in its numerator.`)
}

// timesLogistic64 is timesLogistic for float64.
func timesLogistic64(b *builder, x, over float, high float64, v float, rest ...float) float {
	y := b.Mul(logistic64(b, over, v, rest...), b.Const(0x1p-128))
	y = b.If(b.Less(b.Const(high), x), x, y)
	return b.If(b.Less(b.NegInf(), x), y, b.NaN())
}

// Tanh64 is the hyperbolic tangent.
func Tanh64() *Recipe {
	b := newDouble("Tanh", "x")
	x := b.Param(0)
	square := b.Mul(x, x)
	p := b.Horner(square, -0x1.555555555554cp-2, 0x1.111111111036cp-3, -0x1.ba1ba1b93ebfbp-5, 0x1.664f484b158abp-6,
		-0x1.226e2d35a9efp-7, 0x1.d6d24ee8f9128p-9, -0x1.7d8bec0f5b3f3p-10, 0x1.3463379cc8027p-11, -0x1.e82272f297efdp-13,
		0x1.59b1baf828904p-14, -0x1.3db91e68a57d9p-16)
	near := b.FMA(b.Mul(square, x), p, x)

	// e**2|x| = 2**n * (1 + s) for -|x| = -n*log(2)/2 + r; what slope is for r has twice logistic's argument.
	below := negative(b, x)
	v := atLeast(b, below, -20)
	shifted := b.FMA(v, b.Const(-2*log2EDouble), b.Const(magicDouble+1023))
	whole := b.Sub(shifted, b.Const(magicDouble+1023))
	power := b.FromBits(b.Shl(b.ToBits(shifted), b.Int(52)))
	r := b.FMA(whole, b.Const(ln2TailDouble/2), b.FMAExact(whole, b.Const(ln2HeadDouble/2), v))
	slope := make([]float64, len(logisticSlope64))
	for k, c := range logisticSlope64 {
		slope[k] = math.Ldexp(c, k+1)
	}
	sum := b.FMA(b.Mul(power, r), b.Horner(r, slope...), b.Add(power, b.Const(1)))
	far := b.Sub(b.Const(1), b.Div(b.Const(2), sum))

	y := b.WithSign(b.If(b.Less(b.Const(-0.5625), below), near, far), x) // that of -0 gets lost in a sum
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.3, `(e**x - e**-x) / (e**x + e**-x).
Below 0.5625 x + x**3*p(x*x) with p by Remez, above 1 - 2/(e**2x + 1), which is 1 from 20 on.`)
}

// Softplus64 is log(1 + e**x).
func Softplus64() *Recipe {
	b := newDouble("Softplus", "x")
	x := b.Param(0)
	y := log1pNear64(b, expFull64(b, b.Neg(b.Abs(x))))
	y = b.If(b.Less(b.Const(0), x), b.Add(x, y), y)
	y = b.If(b.Less(x, b.Const(-746)), b.Const(0), y)
	y = b.If(b.Less(b.Const(746), x), x, y)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.5, `log(1 + e**x): Softplus for beta 1 and no threshold.
max(x, 0) + log1p(e**-|x|).`)
}
