package recipe

// logisticCut is where a logistic function has become 1: half an ulp from it.
const logisticCut = 18

// logistic is over/(1 + e**-(v+rest)) * 2**-64, rounded once at the end, for -110 <= v <= logisticCut; over times 2**64 must
// be a number. e**-v = 2**n * (1 + s) enters the sum before it is rounded.
func logistic(b *builder, over, v float, rest ...float) float {
	const bias = 127 - 64 // of the power of two: 2**(n-64) is a number for every n
	shifted := b.FMA(v, b.Const(-log2E), b.Const(magic+bias))
	whole := b.Sub(shifted, b.Const(magic+bias))
	power := b.FromBits(b.Shl(b.ToBits(shifted), b.Int(23)))
	r := b.FMAExact(whole, b.Const(ln2Head), v)
	// slope is (e**-r - 1) / r, off by 2**-26 of e**-r / r, and by 2**-33 where v has more digits: minimax fits by Remez'
	// exchange, rounded coefficient by coefficient.
	var slope float
	if len(rest) == 0 {
		r = b.FMA(whole, b.Const(ln2Tail), r)
		slope = b.Horner(r, -1, 0x1.ffffacp-2, -0x1.5554bp-3, 0x1.559bf4p-5, -0x1.1224ep-7, 0x1.37c1e6p-10)
	} else {
		r = b.Add(r, b.FMA(whole, b.Const(ln2Tail), rest[0]))
		slope = b.Horner(r, -1, 0.5, -0x1.555554p-3, 0x1.5554e4p-5, -0x1.1112dep-7, 0x1.6d520ep-10, -0x1.9e7a56p-13)
	}
	// The power's sum with 1 is exact below 2**24; from there on the 1 goes to the smaller summand.
	early := b.If(b.Less(power, b.Const(0x1p-40)), power, b.Const(0))
	late := b.Sub(power, early)
	sum := b.FMA(b.Mul(power, r), slope, b.Add(early, b.Const(0x1p-64)))
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
func Sigmoid() *Recipe {
	b := newBuilder("Sigmoid", "x")
	x := b.Param(0)
	y := logistic(b, b.Const(0x1p-64), atMost(b, atLeast(b, x, -110), logisticCut))
	return b.Return(y, 1.9, `1/(1 + e**-x).
The exponential as for Exp, but added to 1 before it is rounded; below -110 the result is 0, above 18 it is 1.`)
}

// SiLU is x * sigmoid(x).
func SiLU() *Recipe {
	b := newBuilder("SiLU", "x")
	x := b.Param(0)
	over := atLeast(b, x, -110)
	y := timesLogistic(b, x, over, logisticCut, atMost(b, over, logisticCut))
	return b.Return(y, 1.9, `x/(1 + e**-x); NaN at -∞, as in PyTorch.
Sigmoid's quotient with x in its numerator.`)
}

// timesLogistic is x/(1 + e**-(v+rest)), x itself above high and NaN at -∞; over is x or, where that is larger, a number
// for which the result is 0.
func timesLogistic(b *builder, x, over float, high float64, v float, rest ...float) float {
	y := b.Mul(logistic(b, over, v, rest...), b.Const(0x1p-64))
	y = b.If(b.Less(b.Const(high), x), x, y)
	return b.If(b.Less(b.NegInf(), x), y, b.NaN())
}

// negative is -|x|.
func negative(b *builder, x float) float { return b.FromBits(b.Or(b.ToBits(x), b.signBit())) }

// Tanh is the hyperbolic tangent.
func Tanh() *Recipe {
	b := newBuilder("Tanh", "x")
	x := b.Param(0)
	// e**2|x| = 2**n * (1 + s) for -|x| = -n*log(2)/2 + r; what slope is for r has twice logistic's argument.
	below := negative(b, x)
	v := atLeast(b, below, -10)
	shifted := b.FMA(v, b.Const(-2*log2E), b.Const(magic+127))
	whole := b.Sub(shifted, b.Const(magic+127))
	power := b.FromBits(b.Shl(b.ToBits(shifted), b.Int(23)))
	r := b.FMA(whole, b.Const(ln2/2), v) // as exact as is needed: the larger whole is, the less of it is seen
	slope := b.Horner(r, -2, 0x1.ffffacp0, -0x1.5554bp0, 0x1.559bf4p-1, -0x1.1224ep-2, 0x1.37c1e6p-4)
	sum := b.FMA(b.Mul(power, r), slope, b.Add(power, b.Const(1)))
	far := b.Sub(b.Const(1), b.Div(b.Const(2), sum))

	square := b.Mul(x, x)
	p := b.Horner(square, -0x1.555548p-2, 0x1.110c5ep-3, -0x1.b905c4p-5, 0x1.5811f6p-6, -0x1.9454fp-8)
	near := b.FMA(b.Mul(square, x), p, x)

	y := b.WithSign(b.If(b.Less(b.Const(-0.5625), below), near, far), x) // that of -0 gets lost in a sum
	return b.Return(y, 1.5, `(e**x - e**-x) / (e**x + e**-x).
Below 0.5625 x + x**3*p(x*x) with p by Remez, above 1 - 2/(e**2x + 1), which is 1 from 10 on.`)
}

// Softplus is log(1 + e**x).
func Softplus() *Recipe {
	b := newBuilder("Softplus", "x")
	x := b.Param(0)
	v := negative(b, x)
	power := expDown(b, b.If(b.Less(b.Const(-104), v), v, b.Const(-104))) // of NaN too, which the sum below has
	// 1 + power is 1 + f, or twice that from 3/2 on.
	twice := b.Less(b.Const(0.5), power)
	f := b.If(twice, b.FMA(power, b.Const(0.5), b.Const(-0.5)), power)
	y := b.Add(atLeast(b, x, 0), logJoined(b, b.If(twice, b.Const(1), b.Const(0)), f))
	return b.Return(y, 1.8, `log(1 + e**x): Softplus for beta 1 and no threshold.
max(x, 0) + log1p(e**-|x|).`)
}
