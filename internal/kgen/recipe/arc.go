package recipe

// atanTerms are the coefficients of (atan(t) - t) / t**3 in powers of t*t for |t| <= 7/16, asinTerms those of (asin(t) - t) / t**3
// for |t| <= 1/2: least squares at Chebyshev's nodes, rounded coefficient by coefficient.
var (
	atanTerms = map[Elem][]float64{
		F32: {-0x1.55554p-2, 0x1.998d4ap-3, -0x1.236556p-3, 0x1.ad6512p-4, -0x1.db6bcep-5},
		F64: {-0x1.5555555555552p-2, 0x1.9999999998ffdp-3, -0x1.2492492445ff2p-3, 0x1.c71c71a150846p-4, -0x1.745d11c9f21cp-4,
			0x1.3b132f51421adp-4, -0x1.1109046f5ab97p-4, 0x1.e1326819c23dfp-5, -0x1.a9f9e76dc9589p-5, 0x1.6b17f75cbcb5p-5,
			-0x1.0556e1d088da4p-5, 0x1.c03fe3d99ff45p-7},
	}
	asinTerms = map[Elem][]float64{
		F32: {0x1.55554cp-3, 0x1.333896p-4, 0x1.6cac82p-5, 0x1.049d6ap-5, 0x1.d8b82ap-7, 0x1.3367dcp-5},
		F64: {0x1.5555555555576p-3, 0x1.333333332e3cdp-4, 0x1.6db6db71f042dp-5, 0x1.f1c71aa268624p-6, 0x1.6e8bdd59f3cecp-6,
			0x1.1c4a0c33dcb7ep-6, 0x1.ca1cec27f0751p-7, 0x1.759b222ddbf0ep-7, 0x1.60c37c53569f8p-7, 0x1.ed16b9d7001d8p-9,
			0x1.61736be6b58eap-6, -0x1.54f2adff088c8p-6, 0x1.0a5498ba841ap-5},
	}
)

// atanPieces are the intervals of a >= 0, each up to below, in which atan(a) = head + rest + atan(over/under): of over and under
// the factors of a and what is added.
var atanPieces = []struct {
	below        float64
	over, under  [2]float64
	heads, rests [2]float64 // of float32 and float64
}{
	{7. / 16, [2]float64{1, 0}, [2]float64{0, 1}, [2]float64{}, [2]float64{}},
	{11. / 16, [2]float64{2, -1}, [2]float64{1, 2}, [2]float64{0x1.dac67p-2, 0x1.dac670561bb4fp-2}, [2]float64{0x1.586ed4p-28, 0x1.a2b7f222f65e2p-56}},
	{19. / 16, [2]float64{1, -1}, [2]float64{1, 1}, [2]float64{0x1.921fb6p-1, 0x1.921fb54442d18p-1}, [2]float64{-0x1.777a5cp-26, 0x1.1a62633145c07p-55}},
	{39. / 16, [2]float64{1, -1.5}, [2]float64{1.5, 1}, [2]float64{0x1.f730bep-1, 0x1.f730bd281f69bp-1}, [2]float64{-0x1.afc12cp-26, 0x1.007887af0cbbdp-56}},
	{0, [2]float64{0, -1}, [2]float64{1, 0}, [2]float64{0x1.921fb6p0, 0x1.921fb54442d18p0}, [2]float64{-0x1.777a5cp-25, 0x1.1a62633145c07p-54}},
}

// atanOf is the arc tangent of a >= 0.
func atanOf(b *builder, a float) float {
	linear := func(f [2]float64) float {
		switch {
		case f[0] == 0:
			return b.Const(f[1])
		case f[1] == 0:
			return a
		}
		return b.FMA(a, b.Const(f[0]), b.Const(f[1]))
	}
	var over, under, head, rest float
	for n := len(atanPieces) - 1; n >= 0; n-- {
		p := &atanPieces[n]
		o, u, h, r := linear(p.over), linear(p.under), b.Const(b.pick(p.heads[0], p.heads[1])), b.Const(b.pick(p.rests[0], p.rests[1]))
		if p.below == 0 {
			over, under, head, rest = o, u, h, r
			continue
		}
		here := b.Less(a, b.Const(p.below))
		over, under, head, rest = b.If(here, o, over), b.If(here, u, under), b.If(here, h, head), b.If(here, r, rest)
	}
	t := b.Div(over, under)
	square := b.Mul(t, t)
	p := b.Mul(square, b.Horner(square, atanTerms[b.recipe.Elem]...))
	return b.Add(head, b.Add(t, b.FMA(t, p, rest)))
}

// ofNaN is y, or NaN where x is NaN.
func ofNaN(b *builder, x, y float) float { return b.If(b.IsNaN(x), b.NaN(), y) }

// Atan is the arc tangent.
func Atan(elem Elem) *Recipe {
	b := newBuilder(elem, "Atan", "x")
	x := b.Param(0)
	return b.Return(ofNaN(b, x, b.WithSign(atanOf(b, b.Abs(x)), x)), 1.5, `atan(x).
|x| lies in one of five intervals, each with a constant c for which atan(x) = c + atan(t) with |t| <= 7/16; then a polynomial.`)
}

// pi is π in two parts.
var pi = map[Elem][2]float64{F32: {0x1.921fb6p1, -0x1.777a5cp-24}, F64: {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53}}

// Atan2 is the angle of (x, y).
func Atan2(elem Elem) *Recipe {
	b := newBuilder(elem, "Atan2", "y", "x")
	y, x := b.Param(0), b.Param(1)
	ay, ax := b.Abs(y), b.Abs(x)
	zero := b.Const(0)
	ratio := b.If(b.Equal(ay, ax), b.If(b.Equal(ay, zero), zero, b.Const(1)), b.Div(ay, ax)) // of two zeros, of two infinities
	angle, parts := atanOf(b, ratio), pi[elem]
	left := b.Sub(b.Const(parts[0]), b.Sub(angle, b.Const(parts[1])))
	angle = b.WithSign(b.If(b.ILess(b.ToBits(x), b.Int(0)), left, angle), y)
	return b.Return(ofNaN(b, x, ofNaN(b, y, angle)), 2, `the angle of the point (x, y), from -π to π, with C99's special cases.
The arc tangent of |y|/|x|, which the signs put into a quadrant.`)
}

// arcParts are what asin and acos of a = |x| have in common: for a < 1/2 asin(a) = a + a*r; else acos(a) = 2*(s + u), s = √((1-a)/2).
func arcParts(b *builder, a float) (small mask, r, s, u float) {
	half := b.Const(0.5)
	small = b.Less(a, half)
	z := b.FMA(a, b.Const(-0.5), half)
	s = b.Sqrt(z)
	square := b.If(small, b.Mul(a, a), z)
	r = b.Mul(square, b.Horner(square, asinTerms[b.recipe.Elem]...))
	lost := b.Div(b.FMA(b.Neg(s), s, z), b.Add(s, s))
	lost = b.If(b.Equal(s, b.Const(0)), s, lost)
	return small, r, s, b.FMA(s, r, lost)
}

// Asin is the arc sine.
func Asin(elem Elem) *Recipe {
	b := newBuilder(elem, "Asin", "x")
	x := b.Param(0)
	a, two, parts := b.Abs(x), b.Const(2), halfPi[elem]
	small, r, s, u := arcParts(b, a)
	far := b.Sub(b.Sub(b.Const(parts[0]), b.Mul(two, s)), b.FMA(two, u, b.Const(-parts[1])))
	y := b.WithSign(b.If(small, b.FMA(a, r, a), far), x)
	return b.Return(ofNaN(b, y, y), 1.8, `asin(x), NaN where |x| > 1.
Below 1/2 a polynomial, above π/2 - 2*asin(√((1-|x|)/2)), the root as a rounded number and its error.`)
}

// Acos is the arc cosine.
func Acos(elem Elem) *Recipe {
	b := newBuilder(elem, "Acos", "x")
	x := b.Param(0)
	two, quarter, half := b.Const(2), halfPi[elem], pi[elem]
	small, r, s, u := arcParts(b, b.Abs(x))
	middle := b.Sub(b.Const(quarter[0]), b.Sub(x, b.FMA(b.Neg(x), r, b.Const(quarter[1]))))
	left := b.Sub(b.Sub(b.Const(half[0]), b.Mul(two, s)), b.FMA(two, u, b.Const(-half[1])))
	right := b.Mul(two, b.Add(s, u))
	y := b.If(small, middle, b.If(b.Less(x, b.Const(0)), left, right))
	return b.Return(ofNaN(b, y, y), 1.5, `acos(x), NaN where |x| > 1.
π/2 - asin(x) below 1/2 in size, else 2*asin(√((1-|x|)/2)), for negative x taken from π.`)
}
