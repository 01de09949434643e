package recipe

const (
	ln2      = 0x1.62e43p-1 // log(2) rounded to float32
	twoThird = 0x3f2aaaab   // the bits of 2/3, the least mantissa
)

// logNear is log(1+f) for -1/3 <= f <= 1/3: f - f*f/2 + f**3*p(f) with p by Remez, off by 2**-27.6 of the result.
func logNear(b *builder, f float) float {
	p := b.Horner(f, 0x1.555506p-2, -0x1.fffefp-3, 0x1.99d076p-3, -0x1.559dep-3, 0x1.1ed18cp-3, -0x1.f30ecep-4,
		0x1.1e847ep-3, -0x1.080b4cp-3)
	return b.FMA(b.Mul(f, f), b.FMA(f, p, b.Const(-0.5)), f)
}

// logExponent is the e that brings x * 2**-e into [2/3, 4/3), still at the place of the exponent bits.
func logExponent(b *builder, x float) integ {
	return b.And(b.ISub(b.ToBits(x), b.Int(twoThird)), b.Int(-1<<23))
}

// addExponent is y + e*log(2) for the e of logExponent.
func addExponent(b *builder, y float, e integ) float {
	return b.FMA(b.FromInt(b.Sar(e, b.Int(23))), b.Const(ln2), y)
}

// log1pNear is log(1+x) for finite x > -1. The sum 1+x only chooses e; x itself is scaled, so nothing is lost.
func log1pNear(b *builder, x float) float {
	e := logExponent(b, b.Add(b.Const(1), x))
	scaled := b.FromBits(b.ISub(b.ToBits(x), e))
	// 4 * 2**-e, because 2**-128 would be subnormal.
	scale := b.FromBits(b.ISub(b.Int(0x40800000), e))
	f := b.Add(scaled, b.FMA(b.Const(0.25), scale, b.Const(-1)))
	return addExponent(b, logNear(b, f), e)
}

// logEnds is y, but x where that is infinite, -∞ at the pole and NaN below it and at NaN.
func logEnds(b *builder, x, y float, pole float64) float {
	y = b.If(b.Equal(x, b.Inf()), x, y)
	y = b.If(b.LessEqual(x, b.Const(pole)), b.If(b.Less(x, b.Const(pole)), b.NaN(), b.NegInf()), y)
	return b.If(b.IsNaN(x), b.NaN(), y)
}

// Log is the natural logarithm.
func Log() *Recipe {
	b := newBuilder("Log", "x")
	x := b.Param(0)
	subnormal := b.Less(x, b.Const(0x1p-126))
	normal := b.If(subnormal, b.Mul(x, b.Const(0x1p25)), x)
	offset := b.IfInt(subnormal, b.Int(25<<23), b.Int(0))
	e := logExponent(b, normal)
	f := b.Sub(b.FromBits(b.ISub(b.ToBits(normal), e)), b.Const(1))
	y := addExponent(b, logNear(b, f), b.ISub(e, offset))
	y = logEnds(b, x, y, 0)
	return b.Return(y, 1, `log(x).
x = 2**e * (1+f) with 1+f in [2/3, 4/3); e*log(2) + f - f*f/2 + f**3*p(f), p by Remez. Subnormal x is scaled by 2**25.`)
}

// Log1p is log(1+x).
func Log1p() *Recipe {
	b := newBuilder("Log1p", "x")
	x := b.Param(0)
	y := log1pNear(b, x)
	y = b.If(b.Less(b.Abs(x), b.Const(0x1p-25)), x, y)
	y = logEnds(b, x, y, -1)
	return b.Return(y, 1.6, `log(1+x).
1+x gives e, then f = x*2**-e + (2**-e - 1) exactly or nearly so; the rest is Log's.`)
}
