package recipe

// Erf is the error function.
func Erf() *Recipe {
	b := newBuilder("Erf", "x")
	x := b.Param(0)
	a := b.Abs(x)
	p := b.Horner(b.Mul(a, a), 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8,
		-0x1.a3515ep-11, 0x1.4771fcp-14)
	near := b.FMA(a, p, a)
	// -log(erfc(a)) for 1 <= a < 3.94.
	h := b.Horner(a, -0x1.62d864p-13, 0x1.212626p0, 0x1.444d26p-1, 0x1.bb44d8p-4, -0x1.9aea22p-6, 0x1.105f8ep-8,
		-0x1.c4508p-12, 0x1.5d6b48p-16)
	far := b.Sub(b.Const(1), expNear(b, b.Neg(h)))
	far = b.If(b.Less(b.Const(3.9375), a), b.Const(1), far)
	y := b.WithSign(b.If(b.Less(a, b.Const(1)), near, far), x)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.2, `2/√π times the integral of e**-t*t from 0 to x.
Below 1 x + x*p(x*x), above 1 - e**-h(x), both polynomials by Remez.`)
}

// GELU is x * Φ(x), the form with the error function.
func GELU() *Recipe {
	b := newBuilder("GELU", "x")
	x := b.Param(0)
	a := b.Abs(x)
	near := geluNear(b, x)
	far := b.Neg(geluTail(b, a))
	far = b.If(b.Less(b.Const(0), x), b.Add(x, far), far)
	y := b.If(b.Less(a, b.Const(1)), near, far)
	y = b.If(b.Less(x, b.Const(-14.5)), b.NegZero(), y)
	y = b.If(b.Less(b.Const(14.5), x), x, y)
	y = b.If(b.Not(b.Less(b.NegInf(), x)), b.NaN(), y)
	return b.Return(y, 1.7, `x * Φ(x) = x/2 * (1 + erf(x/√2)), without the cancellation for negative x; NaN at -∞, as in PyTorch.
Below 1 x/2 + c*x*x + x**4*p(x*x); above a*Φ(-a) = a/(a+3) * g(1/(a+3)) * e**(-a*a/2) with the errors of the product carried
along, subtracted from x where x is positive. Polynomials by Remez.`)
}

// geluNear is x*Φ(x) for |x| < 1 as x/2 + c*x*x + x**4*p(x*x). The two leading terms, which cancel for negative x, are
// rounded once; the sign is set because -0 loses it in the sum.
func geluNear(b *builder, x float) float {
	const c = 0x1.988454p-2
	square, squareRest := b.TwoProduct(x, x)
	p := b.Horner(square, -0x1.105862p-4, 0x1.46d558p-7, -0x1.376eb2p-10, 0x1.e26d7ap-14, -0x1.122492p-17)
	leading := b.FMA(square, b.Const(c), b.Mul(x, b.Const(0.5)))
	rest := b.FMA(b.Mul(square, square), p, b.Mul(squareRest, b.Const(c)))
	return b.WithSign(b.Add(leading, rest), x)
}

// geluTail is a*Φ(-a) for 1 <= a <= 14.5.
func geluTail(b *builder, a float) float {
	const center = 0x1.3a83a8p-3
	d, dRest := b.TwoSum(a, b.Const(3))
	r := b.Div(b.Const(1), d)
	rRest := b.Mul(b.Sub(b.FMA(b.Neg(r), d, b.Const(1)), b.Mul(dRest, r)), r)

	// The last step of the polynomial with its error and that of r.
	t := b.Sub(r, b.Const(center))
	slope := b.Horner(t, 0x1.6c180ep1, 0x1.f77a2cp2, 0x1.5a5be2p3, -0x1.3c9d1cp3, -0x1.c52d66p5, 0x1.0791cp4, 0x1.2122e4p8,
		-0x1.79df4ap4)
	step, stepRest := b.TwoProduct(slope, t)
	g, gRest := b.FastTwoSum(b.Const(0x1.61842ap-1), step)
	gRest = b.Add(gRest, b.FMA(slope, rRest, stepRest))

	u, uRest := b.TwoProduct(a, r)
	uRest = b.FMA(a, rRest, uRest)
	w, wRest := b.TwoProduct(u, g)
	wRest = b.FMA(u, gRest, b.FMA(uRest, g, wRest))

	square, squareRest := b.TwoProduct(a, b.Mul(a, b.Const(-0.5)))
	head, tail, n := expReducedPair(b, square, squareRest)
	sum := expSum(b, head, tail)
	wRest = b.FMA(wRest, sum, wRest)
	return b.Scale(b.Add(w, b.FMA(w, sum, wRest)), n)
}

// √(8/π) in a part of 19 bits and the rest, and 0.044715*√(8/π) in two parts.
const (
	geluLinear     = 0x1.98844p0
	geluLinearTail = 0x1.33d436p-20
	geluCubic      = 0x1.2444f2p-4
	geluCubicTail  = 0x1.49b16ap-29
)

// GELUTanh is the form of GELU with the hyperbolic tangent.
func GELUTanh() *Recipe {
	b := newBuilder("GELUTanh", "x")
	x := b.Param(0)
	const high = 5.25
	over := atLeast(b, x, -10.875)
	a := atMost(b, over, high)
	square, squareRest := b.TwoProduct(a, a)
	// The difference of linear and c is exact, since linear is short: so is what the sum c has lost.
	c := b.FMA(square, b.Const(geluCubic), b.Const(geluLinear))
	lost := b.FMA(square, b.Const(geluCubic), b.Sub(b.Const(geluLinear), c))
	tail := b.FMA(squareRest, b.Const(geluCubic), b.FMA(square, b.Const(geluCubicTail), b.Const(geluLinearTail)))
	v, vRest := b.TwoProduct(a, c)
	vRest = b.FMA(a, b.Add(lost, tail), vRest)
	y := timesLogistic(b, x, over, high, v, vRest)
	return b.Return(y, 1.9, `x/2 * (1 + tanh(√(2/π) * (x + 0.044715*x**3))); NaN at -∞, as in PyTorch.
x times the sigmoid of √(8/π)*(x + 0.044715*x**3), which is computed with its error; below -10.875 it is 0, above 5.25 it is 1.`)
}
