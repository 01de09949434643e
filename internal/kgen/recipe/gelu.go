package recipe

const (
	geluEnd    = 0x41670000 // the bits of 14.4375, where x*Φ(-x) has vanished
	geluOffset = 0x3f776000 // below the bits of 1, so that the first interval ends early
)

var (
	geluTables  = tablesOf("gelu", "the centers of GELU's intervals, or coefficients of its polynomials.", geluRows)
	slopeTables = tablesOf("geluSlope", "coefficients of the polynomials of GELU's derivative.", geluSlopeRows)
)

// GELU is x * Φ(x), the form with the error function.
func GELU(elem Elem) *Recipe {
	if elem == F64 {
		return geluDouble()
	}
	b := newBuilder(elem, "GELU", "x")
	x := b.Param(0)
	t, interval, d := geluInterval(b, x)
	root, p, n := gauss(b, t)
	first := b.At(geluTables[1], interval)
	slope := b.HornerAt(d, interval, geluTables[2:])
	// The root's factor, but for the polynomial's first term.
	rest := b.FMA(slope, d, b.Mul(p, b.FMA(slope, d, first)))
	tail := b.Scale(b.FMA(root, first, b.Mul(root, rest)), n)
	positive := b.FromBits(b.IMin(b.ToBits(x), b.Int(-1<<31))) // x, or -0 where x has that sign
	y := b.If(b.Less(b.NegInf(), x), b.Sub(positive, tail), b.NaN())
	return b.Return(y, 1.5, `x * Φ(x) = x/2 * (1 + erf(x/√2)); NaN at -∞, as in PyTorch.
max(x, 0) - t*Φ(-t) with t = |x|, and t*Φ(-t) = e**(-t*t/2) * t*M(t), where t*M(t) is a polynomial for each of 16 intervals.`)
}

// geluInterval is |x|, but geluEnd at most, its interval, as an index of tables, and the distance from the
// interval's center. Intervals are counted by the exponent of 1+|x| and the upper bits of its mantissa.
func geluInterval(b *builder, x float) (t float, interval integ, d float) {
	t = b.FromBits(b.IMin(b.ToBits(b.Abs(x)), b.Int(geluEnd)))
	interval = b.Shr(b.ISub(b.ToBits(b.Add(t, b.Const(1))), b.Int(geluOffset)), b.Int(21))
	return t, interval, b.Sub(t, b.At(geluTables[0], interval))
}

// gauss is e**(-t*t/2) as root * (1+p) * 2**⌊n⌋ for 0 <= t < 16, the root one of 16 and p below 2**-5.
func gauss(b *builder, t float) (root, p, n float) {
	const (
		unit = sixteenth + downBias
		head = 0x1.62ep0
		tail = 0x1.0bfbe8p-14
	)
	shifted := b.FMA(b.Mul(t, t), b.Const(-formats[F32].log2E/2), b.Const(unit))
	n = b.Sub(shifted, b.Const(unit))
	// t*t + n*2*log(2): the products are exact, and what remains of them is rounded once.
	r := b.FMA(n, b.Const(tail), b.FMA(t, t, b.Mul(n, b.Const(head))))
	p = b.Mul(r, b.Horner(r, -0.5, 0x1.00021ep-3, -0x1.55572p-6))
	return b.At(roots, b.ToBits(shifted)), p, n
}

// GELUSlope is the derivative of GELU.
func GELUSlope(elem Elem) *Recipe {
	if elem == F64 {
		return geluSlopeDouble()
	}
	b := newBuilder(elem, "GELUSlope", "x")
	x := b.Param(0)
	t, interval, d := geluInterval(b, x)
	root, p, n := gauss(b, t)
	tail := b.Scale(b.Mul(b.HornerAt(d, interval, slopeTables), b.FMA(root, p, root)), n)
	y := b.If(b.Less(x, b.Const(0)), tail, b.Sub(b.Const(1), tail))
	y = b.If(b.Less(b.Abs(x), b.Inf()), y, b.NaN())
	return b.Return(y, 4, `Φ(x) + x*φ(x), with an error in units of the larger summand's last place; NaN at ±∞, as in PyTorch.
With t = |x|, Φ(-t) - t*φ(t) = e**(-t*t/2) * (M(t) - t/√2π), as for GELU; where x is positive, 1 less that.`)
}

// √(8/π) in a part of 19 bits, in float64 of 48, and the rest, and 0.044715*√(8/π) in two parts.
var geluTanhTerms = map[Elem]struct{ linear, linearTail, cubic, cubicTail float64 }{
	F32: {0x1.98844p0, 0x1.33d436p-20, 0x1.2444f2p-4, 0x1.49b16ap-29},
	F64: {0x1.9884533d4364p0, 0x1.08d0fcb3c500cp-48, 0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c7p-61},
}

// GELUTanh is the form of GELU with the hyperbolic tangent.
func GELUTanh(elem Elem) *Recipe {
	b := newBuilder(elem, "GELUTanh", "x")
	x, terms, high := b.Param(0), geluTanhTerms[elem], b.pick(5.25, 7.25)
	over := atLeast(b, x, b.pick(-10.875, -21.625))
	a := atMost(b, over, high)
	square, squareRest := b.TwoProduct(a, a)
	cubic, linear := b.Const(terms.cubic), b.Const(terms.linear)
	// The difference of linear and c is exact, since linear is short: so is what the sum c has lost.
	c := b.FMA(square, cubic, linear)
	lost := b.FMA(square, cubic, b.Sub(linear, c))
	tail := b.FMA(squareRest, cubic, b.FMA(square, b.Const(terms.cubicTail), b.Const(terms.linearTail)))
	v, vRest := b.TwoProduct(a, c)
	vRest = b.FMA(a, b.Add(lost, tail), vRest)
	y := timesLogistic(b, x, over, high, v, vRest)
	return b.Return(y, b.pick(1.9, 1.8), `x/2 * (1 + tanh(√(2/π) * (x + 0.044715*x**3))); NaN at -∞, as in PyTorch.
x times the sigmoid of √(8/π)*(x + 0.044715*x**3), which is computed with its error; below -10.875 it is 0, above 5.25 it is x
(float64: -21.625, 7.25).`)
}
