package recipe

// Float64 returns every recipe of float64.
func Float64() []*Recipe {
	return []*Recipe{
		Exp64(), Expm164(), Log64(), Log1p64(), Tanh64(), Sigmoid64(), SiLU64(), Softplus64(), Rsqrt64(), ExpBelow64(),
		Erf64(), GELU64(), GELUSlope64(), GELUTanh64(), SinNear64(), CosNear64(), Pow64(),
	}
}

// magicDouble is 1.5 * 2**52, magic for float64: adding it to a number below 2**51 rounds that to an integer.
const magicDouble = 0x1.8p52

// log(2) as a head of 42 bits, whose products with integers below 2**11 are exact, and the rest; and 1/log(2).
const (
	ln2HeadDouble = 0x1.62e42fefa2p-1
	ln2TailDouble = 0x1.9ef35793c7673p-41
	log2EDouble   = 0x1.71547652b82fep0
)

// roundToWhole64 is the integer nearest to x*k, for |x*k| < 2**51.
func roundToWhole64(b *builder, x float, k float64) float {
	return b.Sub(b.FMA(x, b.Const(k), b.Const(magicDouble)), b.Const(magicDouble))
}

// expQuotient64 is expQuotient for float64: e**r - 1 is off by 2**-59 of itself.
func expQuotient64(b *builder, r float) float {
	return b.Horner(r, 0.5, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f71fp-7, 0x1.6c16c16c1633bp-10,
		0x1.a01a01af666bep-13, 0x1.a01a019e968eep-16, 0x1.71ddfa09180ecp-19, 0x1.27e4e439c0b21p-22, 0x1.af5b6bc36836ep-26,
		0x1.1f94e6e6c195ap-29)
}

// expRest64 is the n and r of x = n*log(2) + r, r rounded, as expParts' are.
func expRest64(b *builder, x float) (r, n float) {
	n = roundToWhole64(b, x, log2EDouble)
	return b.FMA(n, b.Const(-ln2TailDouble), b.FMAExact(n, b.Const(-ln2HeadDouble), x)), n
}

// expReduced64 is expReduced for float64.
func expReduced64(b *builder, x float) (head, tail, n float) {
	n = roundToWhole64(b, x, log2EDouble)
	near := b.FMAExact(n, b.Const(-ln2HeadDouble), x)
	head, tail = expCorrected(b, near, b.Mul(n, b.Const(ln2TailDouble)))
	return head, tail, n
}

// expMantissa64 is e**r for |r| <= log(2)/2.
func expMantissa64(b *builder, r float) float {
	return b.Add(b.Const(1), b.FMA(b.Mul(r, r), expQuotient64(b, r), r))
}

// expFull64 is e**x for -746 <= x <= 710, subnormal results included.
func expFull64(b *builder, x float) float {
	r, n := expRest64(b, x)
	return b.Scale(expMantissa64(b, r), n)
}

// powerOfTwo64 is 2**n for an integer -1022 <= n < 1024.
func powerOfTwo64(b *builder, n float) float {
	return b.FromBits(b.Shl(b.ToBits(b.Add(n, b.Const(magicDouble+1023))), b.Int(52)))
}

// expReducedPair64 is expReducedPair for float64.
func expReducedPair64(b *builder, x, rest float) (head, tail, n float) {
	n = roundToWhole64(b, x, log2EDouble)
	near := b.FMAExact(n, b.Const(-ln2HeadDouble), x)
	head, tail = expCorrected(b, near, b.FMA(n, b.Const(ln2TailDouble), b.Neg(rest)))
	return head, tail, n
}

// expSum64 is e**(head+tail) - 1 for the parts of expReducedPair64.
func expSum64(b *builder, head, tail float) float {
	return b.Add(head, b.FMA(b.Mul(head, head), expQuotient64(b, head), tail))
}

// Exp64 is e**x.
func Exp64() *Recipe {
	b := newDouble("Exp", "x")
	y := expFull64(b, atMost(b, atLeast(b, b.Param(0), -746), 710)) // where the result is 0 or ∞ already
	return b.Return(y, 0.95, `e**x.
x = n*log(2) + r, e**x = 2**n * (1 + r + r*r*q(r)), as for float32.`)
}

// ExpBelow64 is e**x where x is not positive.
func ExpBelow64() *Recipe {
	b := newDouble("ExpBelow", "x")
	y := expFull64(b, atLeast(b, b.Param(0), -746)) // where the result is 0 already
	return b.Return(y, 0.95, `e**x for x <= 0, NaN for NaN.
As Exp, without what is for positive x.`)
}

// Expm164 is e**x - 1.
func Expm164() *Recipe {
	b := newDouble("Expm1", "x")
	x := b.Param(0)
	head, tail, n := expReduced64(b, atMost(b, atLeast(b, x, -38), 710)) // where the result is -1 or ∞ already
	rest := b.FMA(b.Mul(head, head), expQuotient64(b, head), tail)
	// Half of 2**n, because 2**1024 is not a number.
	scale := b.FromBits(b.Shl(b.ToBits(b.Add(n, b.Const(magicDouble+1022))), b.Int(52)))
	y := b.FMAExact(scale, head, b.Sub(scale, b.Const(0.5)))
	y = b.Mul(b.FMAExact(scale, rest, y), b.Const(2))
	y = b.If(b.Less(b.Abs(x), b.Const(0x1p-54)), x, y)
	return b.Return(y, 1.3, `e**x - 1.
x = n*log(2) + r as for Exp; 2**n*(e**r - 1) + (2**n - 1), the term r apart from those that follow it.`)
}
