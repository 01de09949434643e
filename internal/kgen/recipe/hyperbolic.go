package recipe

// The coefficients of (f(x) - x) / x**3 in powers of x*x near 0: of sinh for |x| <= 1, of asinh for |x| <= 1/2, of atanh for
// |x| <= 1/4. They are made as those of atan.
var (
	sinhTerms = map[Elem][]float64{
		F32: {0x1.555556p-3, 0x1.1110eap-7, 0x1.a01c22p-13, 0x1.76771ep-19},
		F64: {0x1.5555555555556p-3, 0x1.111111111104p-7, 0x1.a01a01a0318d3p-13, 0x1.71de3a4056daap-19, 0x1.ae646b4cd4e38p-26,
			0x1.6118dfb2fe615p-33, 0x1.b52ea7510497dp-41},
	}
	asinhTerms = map[Elem][]float64{
		F32: {-0x1.555534p-3, 0x1.33246ep-4, -0x1.6b8ab4p-5, 0x1.cd0324p-6, -0x1.b0254ep-7},
		F64: {-0x1.555555555553fp-3, 0x1.3333333330438p-4, -0x1.6db6db6b898d9p-5, 0x1.f1c71ba137303p-6, -0x1.6e8b8be9c03acp-6,
			0x1.1c4d25373691fp-6, -0x1.c97227f676a0ep-7, 0x1.793d293167374p-7, -0x1.38568a3dfc2d5p-7, 0x1.e8dcc2c246e46p-8,
			-0x1.36860df7fb2e7p-8, 0x1.c0c5af61aeafp-10},
	}
	atanhTerms = map[Elem][]float64{
		F32: {0x1.55554ep-2, 0x1.99a282p-3, 0x1.22e7eep-3, 0x1.0277b6p-3},
		F64: {0x1.555555555555ap-2, 0x1.99999999982e6p-3, 0x1.24924925c5f4cp-3, 0x1.c71c70c683b82p-4, 0x1.745d53db07436p-4,
			0x1.3b0b10fc625bep-4, 0x1.11d1e6d336d79p-4, 0x1.cdcbc297739e3p-5, 0x1.1f9a49dc3e9b1p-4},
	}
)

// nearZero is a + a**3*p(a*a).
func nearZero(b *builder, a float, terms map[Elem][]float64) float {
	square := b.Mul(a, a)
	return b.FMA(b.Mul(square, a), b.Horner(square, terms[b.recipe.Elem]...), a)
}

// bothPowers are e**a and e**-a for a >= 0, halved and times 2**(1-n): the first as a rounded number and its error.
func bothPowers(b *builder, a float) (up, upRest, down, n float) {
	head, tail, n := expReduced(b, atMost(b, a, b.pick(90, 711)))
	one := b.Const(1)
	up, upRest = b.FastTwoSum(one, expSum(b, head, tail))
	below := b.Add(one, expSum(b, b.Neg(head), b.Neg(tail)))
	down = b.Scale(below, atLeast(b, b.Mul(n, b.Const(-2)), -200))
	return up, upRest, down, n
}

// Sinh is the hyperbolic sine.
func Sinh(elem Elem) *Recipe {
	b := newBuilder(elem, "Sinh", "x")
	x := b.Param(0)
	a := b.Abs(x)
	up, upRest, down, n := bothPowers(b, a)
	far := b.Scale(b.Add(up, b.Sub(upRest, down)), b.Sub(n, b.Const(1)))
	y := b.WithSign(b.If(b.Less(a, b.Const(1)), nearZero(b, a, sinhTerms), far), x)
	return b.Return(ofNaN(b, x, y), 1.5, `(e**x - e**-x) / 2.
Below 1 a polynomial; above both powers by the reduction of Exp, the larger as a rounded number and its error.`)
}

// Cosh is the hyperbolic cosine.
func Cosh(elem Elem) *Recipe {
	b := newBuilder(elem, "Cosh", "x")
	x := b.Param(0)
	up, upRest, down, n := bothPowers(b, b.Abs(x))
	return b.Return(ofNaN(b, x, b.Scale(b.Add(up, b.Add(upRest, down)), b.Sub(n, b.Const(1)))), 1.5, `(e**x + e**-x) / 2.
As Sinh beyond 1.`)
}

// logOfPair is log(x + rest) for finite x > 0, rest small beside it, as a rounded number and its error.
func logOfPair(b *builder, x, rest float) (log, logRest float) {
	if b.double() {
		log, logRest = logPair64(b, x)
	} else {
		log, logRest = logPair(b, x)
	}
	return log, b.Add(logRest, b.Div(rest, x))
}

// logOfSum is log(a + root) for a >= 1/2, where root is √(a*a ± 1): from far on log(a) + log(2).
func logOfSum(b *builder, a, root, rootRest float) float {
	far := b.LessEqual(b.Const(0x1p40), a)
	sum, sumRest := b.TwoSum(a, root)
	sumRest = b.Add(sumRest, rootRest)
	zero := b.Const(0)
	log, rest := logOfPair(b, b.If(far, a, sum), b.If(far, zero, sumRest))
	y := b.Add(log, b.Add(rest, b.If(far, b.Rounded(0.693147180559945309417), zero)))
	return b.If(b.Equal(a, b.Inf()), a, y)
}

// Asinh is the inverse of Sinh.
func Asinh(elem Elem) *Recipe {
	b := newBuilder(elem, "Asinh", "x")
	x := b.Param(0)
	a := b.Abs(x)
	square, squareRest := b.TwoProduct(a, a)
	under, underRest := b.TwoSum(square, b.Const(1))
	root := b.Sqrt(under)
	lost := b.Add(b.FMA(b.Neg(root), root, under), b.Add(underRest, squareRest))
	far := logOfSum(b, a, root, b.Div(lost, b.Add(root, root)))
	y := b.WithSign(b.If(b.Less(a, b.Const(0.5)), nearZero(b, a, asinhTerms), far), x)
	return b.Return(ofNaN(b, x, y), 1.5, `log(x + √(x*x + 1)).
Below 1/2 a polynomial; above the sum and its logarithm, each as a rounded number and its error.`)
}

// Acosh is the inverse of Cosh.
func Acosh(elem Elem) *Recipe {
	b := newBuilder(elem, "Acosh", "x")
	x, one := b.Param(0), b.Const(1)
	root := b.Sqrt(b.Mul(b.Sub(x, one), b.Add(x, one)))
	y := logOfSum(b, x, root, b.Const(0))
	return b.Return(b.If(b.Less(x, one), b.NaN(), ofNaN(b, x, y)), 2, `log(x + √(x*x - 1)), NaN below 1.
The sum and its logarithm, each as a rounded number and its error.`)
}

// Atanh is the inverse of Tanh.
func Atanh(elem Elem) *Recipe {
	b := newBuilder(elem, "Atanh", "x")
	x, one := b.Param(0), b.Const(1)
	a := b.Abs(x)
	over, overRest := b.TwoSum(one, a)
	under, underRest := b.TwoSum(one, b.Neg(a))
	ratio, ratioRest := quotient(b, over, overRest, under, underRest)
	log, rest := logOfPair(b, ratio, ratioRest)
	far := b.Mul(b.Add(log, rest), b.Const(0.5))
	y := b.If(b.Less(a, b.Const(0.25)), nearZero(b, a, atanhTerms), far)
	y = b.If(b.Less(a, one), y, b.If(b.Equal(a, one), b.Inf(), b.NaN()))
	return b.Return(ofNaN(b, y, b.WithSign(y, x)), 1.5, `log((1+x)/(1-x)) / 2, NaN beyond 1.
Below 1/4 a polynomial; above the quotient and its logarithm, each as a rounded number and its error.`)
}
