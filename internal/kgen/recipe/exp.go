package recipe

// magic is 1.5 * 2**23: adding it to a number below 2**22 rounds that to an integer, which then stands in the low bits.
const (
	magic     = 0x1.8p23
	magicBits = 0x4b400000
	sixteenth = 0x1.8p19 // rounds to a multiple of 1/16 in the same way
)

// log(2) as a head of 16 bits, whose products with integers below 2**8 are exact, and the rest; and 1/log(2).
const (
	ln2Head = 0x1.62e4p-1
	ln2Tail = 0x1.7f7d1cp-20
	log2E   = 0x1.715476p0
)

// roundToInt is the integer nearest to x*k, for |x*k| < 2**22, as a float and as an integer.
func roundToInt(b *builder, x float, k float64) (float, integ) {
	shifted := b.FMA(x, b.Const(k), b.Const(magic))
	return b.Sub(shifted, b.Const(magic)), b.ISub(b.ToBits(shifted), b.Int(magicBits))
}

// roundToWhole is the same, as a float alone.
func roundToWhole(b *builder, x float, k float64) float {
	whole, _ := roundToInt(b, x, k)
	return whole
}

// What Scale's second argument may be made with, for machines without an instruction for it (expand.go): an integer n is left of
// n + magic + bias, in whose low bits n + bias stands.
const (
	scaleBias = 2 * 127  // of the exponents of two powers whose product is 2**n
	downBias  = 64 + 127 // of the exponent of 2**(n+64), for -190 <= n <= 63
)

// powerOfTwo is 2**n for an integer -126 <= n < 128.
func powerOfTwo(b *builder, n float) float {
	return b.FromBits(b.Shl(b.ToBits(b.Add(n, b.Const(magic+127))), b.Int(23)))
}

// expReduced splits x into n*log(2) + head + tail with |head| <= log(2)/2.
func expReduced(b *builder, x float) (head, tail, n float) {
	n = roundToWhole(b, x, log2E)
	near := b.FMAExact(n, b.Const(-ln2Head), x)
	head, tail = expCorrected(b, near, b.Mul(n, b.Const(ln2Tail)))
	return head, tail, n
}

// expReducedPair is expReduced for x+rest with a rest that is small beside x.
func expReducedPair(b *builder, x, rest float) (head, tail, n float) {
	n = roundToWhole(b, x, log2E)
	near := b.FMAExact(n, b.Const(-ln2Head), x)
	head, tail = expCorrected(b, near, b.FMA(n, b.Const(ln2Tail), b.Neg(rest)))
	return head, tail, n
}

func expCorrected(b *builder, near, correction float) (head, tail float) {
	head = b.Sub(near, correction)
	return head, b.Sub(b.Sub(near, head), correction)
}

// expQuotient is (e**r - 1 - r) / r**2 for |r| <= log(2)/2, so well that e**r - 1 is off by 2**-31 of itself: a minimax
// fit by Remez' exchange, rounded coefficient by coefficient.
func expQuotient(b *builder, r float) float {
	return b.Horner(r, 0.5, 0x1.555554p-3, 0x1.5554eap-5, 0x1.1113acp-7, 0x1.6d4c98p-10, 0x1.9c5d84p-13)
}

// expSum is e**(head+tail) - 1 for the parts of expReduced.
func expSum(b *builder, head, tail float) float {
	square := b.Mul(head, head)
	return b.Add(head, b.FMA(square, expQuotient(b, head), tail))
}

// expParts are n and r of x = n*log(2) + r, r rounded: it costs e**x another sixth of its last place. In the low bits of the
// number shifted stands n + bias.
func expParts(b *builder, x float, bias float64) (r, n, shifted float) {
	shifted = b.FMA(x, b.Const(log2E), b.Const(magic+bias))
	n = b.Sub(shifted, b.Const(magic+bias))
	return b.FMA(n, b.Const(-ln2Tail), b.FMAExact(n, b.Const(-ln2Head), x)), n, shifted
}

// expMantissa is e**r for |r| <= log(2)/2, off by 2**-28: a minimax fit with 1 + r as its start, rounded coefficient by
// coefficient.
func expMantissa(b *builder, r float) float {
	return b.Horner(r, 1, 1, 0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123dep-7, 0x1.6ac74ep-10)
}

// expNear is e**x where neither over- nor underflow threatens: -87 < x < 88.
func expNear(b *builder, x float) float {
	r, _, shifted := expParts(b, x, 127)
	return b.Mul(expMantissa(b, r), b.FromBits(b.Shl(b.ToBits(shifted), b.Int(23))))
}

// expDown is e**x for -104 <= x <= 0, subnormal results included; at -104 it is 0.
func expDown(b *builder, x float) float {
	r, n, _ := expParts(b, x, downBias)
	return b.Scale(expMantissa(b, r), n)
}

// Exp is e**x.
func Exp() *Recipe {
	b := newBuilder("Exp", "x")
	x := atMost(b, atLeast(b, b.Param(0), -104), 89) // where the result is 0 or ∞ already
	r, n, _ := expParts(b, x, scaleBias)
	return b.Return(b.Scale(expMantissa(b, r), n), 0.95, `e**x.
x = n*log(2) + r, e**x = 2**n * p(r); log(2) in two parts (Cody and Waite), p by Remez.`)
}

// Expm1 is e**x - 1.
func Expm1() *Recipe {
	b := newBuilder("Expm1", "x")
	x := b.Param(0)
	head, tail, n := expReduced(b, atMost(b, atLeast(b, x, -18), 89)) // where the result is -1 or ∞ already
	square := b.Mul(head, head)
	rest := b.FMA(square, expQuotient(b, head), tail)
	// Half of 2**n, because 2**128 is not a number.
	scale := powerOfTwo(b, b.Sub(n, b.Const(1)))
	y := b.FMAExact(scale, head, b.Sub(scale, b.Const(0.5)))
	y = b.Mul(b.FMAExact(scale, rest, y), b.Const(2))
	y = b.If(b.Less(b.Abs(x), b.Const(0x1p-25)), x, y)
	return b.Return(y, 1.5, `e**x - 1.
x = n*log(2) + r as for Exp; 2**n*(e**r - 1) + (2**n - 1), the term r apart from those that follow it.`)
}
