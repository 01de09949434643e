package recipe

const (
	ln2         = 0x1.62e43p-1 // log(2) rounded to float32
	threeFourth = 0x3f400000   // the bits of 3/4, the least mantissa
)

// logJoined is e*log(2) + log(1+f) for -1/4 <= f <= 1/2: log(1+f) is f + f*f*p(f), with p by Remez, off by 2**-27.6 of itself.
func logJoined(b *builder, e, f float) float {
	p := logQuotient(b, f)
	return b.FMA(e, b.Const(ln2), b.FMA(b.Mul(f, f), p, f))
}

// logQuotient is p.
func logQuotient(b *builder, f float) float {
	return b.Horner(f, -0.5, 0x1.5555a4p-2, -0x1.00004ap-2, 0x1.99699ep-3, -0x1.54ed96p-3, 0x1.28807ap-3, -0x1.0d98fp-3,
		0x1.acf4a8p-4, -0x1.71e32cp-5)
}

// logExponent is the e for which x * 2**-e is in [3/4, 3/2), shifted to where a number has its exponent.
func logExponent(b *builder, x float) integ {
	return b.And(b.ISub(b.ToBits(x), b.Int(threeFourth)), b.Int(-1<<23))
}

// log1pNear is log(1+x) for finite x > -1. The sum 1+x only chooses e; x itself is scaled, so nothing is lost.
func log1pNear(b *builder, x float) float {
	if b.double() {
		return log1pNearDouble(b, x)
	}
	e := logExponent(b, b.Add(b.Const(1), x))
	scaled := b.FromBits(b.ISub(b.ToBits(x), e))
	// 4 * 2**-e, because 2**-128 would be subnormal.
	scale := b.FromBits(b.ISub(b.Int(0x40800000), e))
	f := b.Add(scaled, b.FMA(b.Const(0.25), scale, b.Const(-1)))
	return logJoined(b, b.FromInt(b.Sar(e, b.Int(23))), f)
}

// logEnds is y, but x where that is infinite, -∞ at the pole and NaN below it and at NaN.
func logEnds(b *builder, x, y float, pole float64) float {
	y = b.If(b.Equal(x, b.Inf()), x, y)
	y = b.If(b.LessEqual(x, b.Const(pole)), b.If(b.Less(x, b.Const(pole)), b.NaN(), b.NegInf()), y)
	return b.If(b.IsNaN(x), b.NaN(), y)
}

// finiteLog is y, but e where that is infinite or NaN: the logarithm of 0, of ∞ and of what has none, if e is Split's. The sum makes
// a NaN quiet.
func finiteLog(b *builder, y, e float) float { return b.If(b.Less(b.Abs(e), b.Inf()), y, b.Add(e, e)) }

// Log is the natural logarithm.
func Log(elem Elem) *Recipe {
	b := newBuilder(elem, "Log", "x")
	m, e := b.Split(b.Param(0))
	f := b.Sub(m, b.Const(1))
	if b.double() {
		return b.Return(logJoinedDouble(b, f, e), 0.8, `log(x).
x = 2**e * (1+f) with 1+f in [√½, √2), s = f/(2+f); e*log(2) + f - f*f/2 + s*(f*f/2 + s*s*p(s*s)), p by Remez.`)
	}
	return b.Return(logJoined(b, e, f), 1, `log(x).
x = 2**e * (1+f) with 1+f in [3/4, 3/2); f + f*f*p(f) + e*log(2), p by Remez.`)
}

// Log1p is log(1+x).
func Log1p(elem Elem) *Recipe {
	b := newBuilder(elem, "Log1p", "x")
	x := b.Param(0)
	y := log1pNear(b, x)
	y = b.If(b.Less(b.Abs(x), b.Const(b.pick(0x1p-25, 0x1p-54))), x, y)
	return b.Return(logEnds(b, x, y, -1), b.pick(1.3, 1.4), `log(1+x).
1+x gives e, then f = x*2**-e + (2**-e - 1) exactly or nearly so; the rest is Log's.`)
}
