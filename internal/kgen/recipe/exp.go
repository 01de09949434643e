package recipe

// A floatFormat is a type of float as the formulas below need to know it. Sums with magic round: the low bits of x + magic are the
// integer nearest to x, where |x| is below a third of magic.
type floatFormat struct {
	magic    float64
	fraction int     // bits of a mantissa behind the point
	bias     float64 // of exponents

	ln2Head, ln2Tail float64 // log(2) as a head so short that its products with exponents are exact, and the rest
	log2E            float64 // 1/log(2)

	// For Scale's second argument, what machines without an instruction for it need (expand.go): an integer n is left of
	// n + magic + bias, whose low bits are n + bias. scaleBias is for every n, downBias for n <= 63. Those of float64 are
	// made there.
	scaleBias, downBias float64

	least, most float64   // arguments for which e**x is 0 or ∞ already
	quotient    []float64 // coefficients of expQuotient
	mantissa    []float64 // coefficients of expMantissa: a minimax fit with 1 + r as its start, rounded coefficient by coefficient
}

const (
	magic       = 0x1.8p23
	magicDouble = 0x1.8p52
	sixteenth   = 0x1.8p19 // rounds to a multiple of 1/16 in the same way
	scaleBias   = 2 * 127  // of the exponents of two powers whose product is 2**n
	downBias    = 64 + 127 // of the exponent of 2**(n+64), for -190 <= n <= 63
)

var formats = map[Elem]*floatFormat{
	F32: {
		magic: magic, fraction: 23, bias: 127, ln2Head: 0x1.62e4p-1, ln2Tail: 0x1.7f7d1cp-20, log2E: 0x1.715476p0,
		scaleBias: scaleBias, downBias: downBias, least: -104, most: 89,
		quotient: []float64{0.5, 0x1.555554p-3, 0x1.5554eap-5, 0x1.1113acp-7, 0x1.6d4c98p-10, 0x1.9c5d84p-13},
		mantissa: []float64{1, 1, 0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123dep-7, 0x1.6ac74ep-10},
	},
	F64: {
		magic: magicDouble, fraction: 52, bias: 1023, ln2Head: 0x1.62e42fefa2p-1, ln2Tail: 0x1.9ef35793c7673p-41, log2E: 0x1.71547652b82fep0,
		least: -746, most: 710,
		quotient: []float64{0.5, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f71fp-7, 0x1.6c16c16c1633bp-10,
			0x1.a01a01af666bep-13, 0x1.a01a019e968eep-16, 0x1.71ddfa09180ecp-19, 0x1.27e4e439c0b21p-22, 0x1.af5b6bc36836ep-26,
			0x1.1f94e6e6c195ap-29},
		mantissa: []float64{1, 1, 0x1.000000000000ap-1, 0x1.5555555555508p-3, 0x1.55555555506fap-5, 0x1.11111111249dcp-7,
			0x1.6c16c18464d5fp-10, 0x1.a01a0139af1eep-13, 0x1.a0199994ddfccp-16, 0x1.71df05a3752f8p-19, 0x1.28adc9c455766p-22,
			0x1.adae783034a8dp-26},
	},
}

// format is that of the recipe's numbers.
func (b *builder) format() *floatFormat { return formats[b.recipe.Elem] }

// pick is the number for the recipe's type.
func (b *builder) pick(single, double float64) float64 {
	if b.double() {
		return double
	}
	return single
}

// rounded is x*k + magic + bias, for |x*k| below a third of magic, and the integer nearest to x*k.
func rounded(b *builder, x float, k, bias float64) (shifted, whole float) {
	shifted = b.FMA(x, b.Const(k), b.Const(b.format().magic+bias))
	return shifted, b.Sub(shifted, b.Const(b.format().magic+bias))
}

// power is 2**n where a sum with magic has n and the exponents' bias in its low bits.
func power(b *builder, shifted float) float {
	return b.FromBits(b.Shl(b.ToBits(shifted), b.Int(b.format().fraction)))
}

// powerOfTwo is 2**(n+more) for an integer n, where that is a normal number.
func powerOfTwo(b *builder, n float, more float64) float {
	return power(b, b.Add(n, b.Const(b.format().magic+b.format().bias+more)))
}

// expReduced splits x, or x + rest where rest is small beside x, into n*log(2) + head + tail with |head| <= log(2)/2.
func expReduced(b *builder, x float, rest ...float) (head, tail, n float) {
	f := b.format()
	_, n = rounded(b, x, f.log2E, 0)
	near := b.FMAExact(n, b.Const(-f.ln2Head), x)
	var correction float
	if len(rest) == 0 {
		correction = b.Mul(n, b.Const(f.ln2Tail))
	} else {
		correction = b.FMA(n, b.Const(f.ln2Tail), b.Neg(rest[0]))
	}
	head = b.Sub(near, correction)
	return head, b.Sub(b.Sub(near, head), correction), n
}

// expQuotient is (e**r - 1 - r) / r**2 for |r| <= log(2)/2, so well that e**r - 1 is off by 2**-31 of itself, in float64 by 2**-59:
// a minimax fit by Remez' exchange, rounded coefficient by coefficient.
func expQuotient(b *builder, r float) float { return b.Horner(r, b.format().quotient...) }

// expSum is e**(head+tail) - 1 for the parts of expReduced.
func expSum(b *builder, head, tail float) float {
	return b.Add(head, b.FMA(b.Mul(head, head), expQuotient(b, head), tail))
}

// expParts are n and r of x = n*log(2) + r, r rounded: it costs e**x another sixth of its last place. The low bits of the
// number shifted are n + bias.
func expParts(b *builder, x float, bias float64) (r, n, shifted float) {
	f := b.format()
	shifted, n = rounded(b, x, f.log2E, bias)
	return b.FMA(n, b.Const(-f.ln2Tail), b.FMAExact(n, b.Const(-f.ln2Head), x)), n, shifted
}

// expMantissa is e**r for |r| <= log(2)/2, off by 2**-28, in float64 by 2**-57.
func expMantissa(b *builder, r float) float { return b.Horner(r, b.format().mantissa...) }

// expNear is e**x of float32 where neither over- nor underflow threatens: -87 < x < 88.
func expNear(b *builder, x float) float {
	r, _, shifted := expParts(b, x, b.format().bias)
	return b.Mul(expMantissa(b, r), power(b, shifted))
}

// expFull is e**x for arguments between format's least and most, subnormal results included; bias is one of format's.
func expFull(b *builder, x float, bias float64) float {
	r, n, _ := expParts(b, x, bias)
	return b.Scale(expMantissa(b, r), n)
}

// Exp is e**x.
func Exp(elem Elem) *Recipe {
	b := newBuilder(elem, "Exp", "x")
	f := b.format()
	y := expFull(b, atMost(b, atLeast(b, b.Param(0), f.least), f.most), f.scaleBias)
	return b.Return(y, 0.95, `e**x.
x = n*log(2) + r, e**x = 2**n * p(r); log(2) in two parts (Cody and Waite), p by Remez.`)
}

// ExpBelow is e**x where x is not positive, as it is in a softmax: no more than that needs a sum of such powers.
func ExpBelow(elem Elem) *Recipe {
	b := newBuilder(elem, "ExpBelow", "x")
	f, x := b.format(), b.Param(0)
	r, n, _ := expParts(b, atLeast(b, x, f.least), f.downBias)
	// What a mask makes -∞ is zero before it is scaled: a product that underflows takes a processor a hundred cycles.
	y := b.Scale(b.If(b.Less(x, b.Const(f.least)), b.Const(0), expMantissa(b, r)), n)
	return b.Return(y, 0.95, `e**x for x <= 0, NaN for NaN.
As Exp, without what is for positive x.`)
}

// Expm1 is e**x - 1.
func Expm1(elem Elem) *Recipe {
	b := newBuilder(elem, "Expm1", "x")
	x := b.Param(0)
	head, tail, n := expReduced(b, atMost(b, atLeast(b, x, b.pick(-18, -38)), b.format().most)) // where the result is -1 or ∞ already
	rest := b.FMA(b.Mul(head, head), expQuotient(b, head), tail)
	scale := powerOfTwo(b, n, -1) // half of 2**n, which may be more than the largest number
	y := b.FMAExact(scale, head, b.Sub(scale, b.Const(0.5)))
	y = b.Mul(b.FMAExact(scale, rest, y), b.Const(2))
	y = b.If(b.Less(b.Abs(x), b.Const(b.pick(0x1p-25, 0x1p-54))), x, y)
	return b.Return(y, b.pick(1.5, 1.3), `e**x - 1.
x = n*log(2) + r as for Exp; 2**n*(e**r - 1) + (2**n - 1), the term r apart from those that follow it.`)
}
