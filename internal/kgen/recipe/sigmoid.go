package recipe

import "math"

// A logistics is what 1/(1 + e**-x) is made with in a type of float.
type logistics struct {
	cut     float64   // where the function has become 1: half an ulp from it
	below   float64   // where it is 0
	bias    float64   // of the power of two: 2**(n-bias) is a number for every n
	early   float64   // a power below which the sum with 1 is exact, times 2**-bias
	slope   []float64 // coefficients of (e**-r - 1) / r for |r| <= log(2)/2: minimax fits by Remez' exchange, rounded coefficient by coefficient
	precise []float64 // those for arguments with a rest
}

// Slopes are off by 2**-26 of e**-r / r, precise ones by 2**-33; those of float64 by 2**-54.
var logisticsOf = map[Elem]*logistics{
	F32: {
		cut: 18, below: -110, bias: 64, early: 0x1p-40,
		slope:   []float64{-1, 0x1.ffffacp-2, -0x1.5554bp-3, 0x1.559bf4p-5, -0x1.1224ep-7, 0x1.37c1e6p-10},
		precise: []float64{-1, 0.5, -0x1.555554p-3, 0x1.5554e4p-5, -0x1.1112dep-7, 0x1.6d520ep-10, -0x1.9e7a56p-13},
	},
	F64: {cut: 38, below: -760, bias: 128, early: 0x1p-75, slope: slopeDouble, precise: slopeDouble},
}

var slopeDouble = []float64{
	-1, 0x1.000000000000ap-1, -0x1.555555555551p-3, 0x1.5555555550865p-5, -0x1.11111111259cep-7, 0x1.6c16c1845eb18p-10,
	-0x1.a01a0147f2c7ap-13, 0x1.a01997c8605d5p-16, -0x1.71de876a87d53p-19, 0x1.28b1474a4b367p-22, -0x1.af2b80e53b8fep-26,
}

func (b *builder) logistics() *logistics { return logisticsOf[b.recipe.Elem] }

// logistic is over/(1 + e**-(v+rest)) * 2**-bias, rounded once at the end, for v from below to a little above cut; over times 2**bias
// must be a number. e**-v = 2**n * (1 + s) enters the sum before it is rounded.
func logistic(b *builder, over, v float, rest ...float) float {
	f, l := b.format(), b.logistics()
	shifted, whole := rounded(b, v, -f.log2E, f.bias-l.bias)
	p := power(b, shifted)
	r, coefficients := b.FMAExact(whole, b.Const(f.ln2Head), v), l.slope
	if len(rest) == 0 {
		r = b.FMA(whole, b.Const(f.ln2Tail), r)
	} else {
		r, coefficients = b.Add(r, b.FMA(whole, b.Const(f.ln2Tail), rest[0])), l.precise
	}
	slope := b.Horner(r, coefficients...)
	// The power's sum with 1 is exact at first; later the 1 goes to the smaller summand.
	early := b.If(b.Less(p, b.Const(l.early)), p, b.Const(0))
	late := b.Sub(p, early)
	sum := b.FMA(b.Mul(p, r), slope, b.Add(early, b.Const(math.Ldexp(1, -int(l.bias)))))
	return b.Div(over, b.Add(sum, late))
}

// atLeast is x, or low where that is larger; NaN stays.
func atLeast(b *builder, x float, low float64) float {
	return b.If(b.Less(x, b.Const(low)), b.Const(low), x)
}

// atMost is x, or high where that is smaller; NaN stays.
func atMost(b *builder, x float, high float64) float {
	return b.If(b.Less(b.Const(high), x), b.Const(high), x)
}

// Sigmoid is 1/(1 + e**-x).
func Sigmoid(elem Elem) *Recipe {
	b := newBuilder(elem, "Sigmoid", "x")
	x, l := b.Param(0), b.logistics()
	y := logistic(b, b.Const(math.Ldexp(1, -int(l.bias))), atMost(b, atLeast(b, x, l.below), l.cut))
	if b.double() {
		y = b.If(b.IsNaN(x), b.NaN(), y)
	}
	return b.Return(y, b.pick(1.9, 1.6), `1/(1 + e**-x).
The exponential as for Exp, but added to 1 before it is rounded; below -110 the result is 0, above 18 it is 1 (float64: -760, 38).`)
}

// SiLU is x * sigmoid(x).
func SiLU(elem Elem) *Recipe {
	b := newBuilder(elem, "SiLU", "x")
	x, l := b.Param(0), b.logistics()
	over := atLeast(b, x, l.below)
	y := timesLogistic(b, x, over, l.cut, atMost(b, over, l.cut))
	return b.Return(y, b.pick(1.9, 1.6), `x/(1 + e**-x); NaN at -∞, as in PyTorch.
Sigmoid's quotient with x in its numerator.`)
}

// timesLogistic is x/(1 + e**-(v+rest)), x itself above high and NaN at -∞; over is x or, where that is larger, a number
// for which the result is 0.
func timesLogistic(b *builder, x, over float, high float64, v float, rest ...float) float {
	y := b.Mul(logistic(b, over, v, rest...), b.Const(math.Ldexp(1, -int(b.logistics().bias))))
	y = b.If(b.Less(b.Const(high), x), x, y)
	return b.If(b.Less(b.NegInf(), x), y, b.NaN())
}

// negative is -|x|.
func negative(b *builder, x float) float { return b.FromBits(b.Or(b.ToBits(x), b.signBit())) }

// Softplus is log(1 + e**x).
func Softplus(elem Elem) *Recipe {
	b := newBuilder(elem, "Softplus", "x")
	x := b.Param(0)
	var y float
	if b.double() {
		y = log1pNear(b, expFull(b, b.Neg(b.Abs(x)), 0))
		y = b.If(b.Less(b.Const(0), x), b.Add(x, y), y)
		y = b.If(b.Less(x, b.Const(-746)), b.Const(0), y)
		y = b.If(b.Less(b.Const(746), x), x, y)
		y = b.If(b.IsNaN(x), b.NaN(), y)
	} else {
		v := negative(b, x)
		small := expFull(b, b.If(b.Less(b.Const(-104), v), v, b.Const(-104)), downBias) // of NaN too, which the sum below has
		// 1 + small is 1 + f, or twice that from 3/2 on.
		twice := b.Less(b.Const(0.5), small)
		f := b.If(twice, b.FMA(small, b.Const(0.5), b.Const(-0.5)), small)
		y = b.Add(atLeast(b, x, 0), logJoined(b, b.If(twice, b.Const(1), b.Const(0)), f))
	}
	return b.Return(y, b.pick(1.8, 1.5), `log(1 + e**x): Softplus for beta 1 and no threshold.
max(x, 0) + log1p(e**-|x|).`)
}
