package recipe

const (
	rootHalf64     = 0x3fe6a09e667f3bcd // the bits of √½, the least mantissa
	exponentBits64 = 0x7ff << 52
	magicBits64    = 0x4338 << 48 // the bits of magicDouble
)

// logSplit64 writes x as 2**e * m with m in [√½, √2): it returns e + 1023 at the place of the exponent bits, with those of
// m/√½ behind.
func logSplit64(b *builder, x float) integ {
	return b.IAdd(b.ToBits(x), b.Int(1023<<52-rootHalf64))
}

// logJoinedDouble is e*log(2) + log(1+f) for f from √½-1 to √2-1, e as a number: with s = f/(2+f) the logarithm of 1+f is
// f - f*f/2 + s*(f*f/2 + s*s*p(s*s)), as in Sun's fdlibm; p by Remez, off by 2**-59 of the result.
func logJoinedDouble(b *builder, f, e float) float {
	s, more, half := logTerms64(b, f)
	rest := b.FMA(s, more, b.Mul(e, b.Const(b.format().ln2Tail)))
	return b.FMAExact(e, b.Const(b.format().ln2Head), b.Sub(f, b.Sub(half, rest)))
}

// logTerms64 are s, f*f/2 + s*s*p(s*s) and f*f/2.
func logTerms64(b *builder, f float) (s, more, half float) {
	s = b.Div(f, b.Add(b.Const(2), f))
	square := b.Mul(s, s)
	p := b.Horner(square, 0x1.5555555555593p-1, 0x1.999999997f9f1p-2, 0x1.249249422af15p-2, 0x1.c71c51d710ab9p-3,
		0x1.746649df94a19p-3, 0x1.39a08fefa1bfcp-3, 0x1.2f11beccb8e67p-3)
	half = b.Mul(b.Mul(f, b.Const(0.5)), f)
	return s, b.FMA(square, p, half), half
}

// exponent64 is e, perhaps with a bias more than 1023, for what logSplit64 returns.
func exponent64(b *builder, split integ, bias float) float {
	return b.Sub(b.FromBits(b.Or(b.Shr(split, b.Int(52)), b.Int(magicBits64))), bias)
}

// log1pNearDouble is log(1+x) for finite x > -1. As in float32 the sum 1+x only chooses e.
func log1pNearDouble(b *builder, x float) float {
	split := logSplit64(b, b.Add(b.Const(1), x))
	up := b.ISub(b.Int(1023<<52), b.And(split, b.Int(exponentBits64))) // -e at the place of the exponent bits
	scaled := b.FromBits(b.IAdd(b.ToBits(x), up))
	// 4 * 2**-e, because 2**-1023 would be subnormal.
	scale := b.FromBits(b.IAdd(b.Int(0x401<<52), up))
	f := b.Add(scaled, b.FMA(b.Const(0.25), scale, b.Const(-1)))
	return logJoinedDouble(b, f, exponent64(b, split, b.Const(magicDouble+1023)))
}
