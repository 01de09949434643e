package recipe

// erfcTerms are the coefficients of erfc(a)·e**(a*a)·(1 + 2a) in powers of t = (a-4)/(a+4), for a from 1/2 to where erfc becomes 0:
// interpolated at Chebyshev's nodes. The first has a rest.
var erfcTerms = map[Elem]led{
	F32: {0x1.3ba592p+0, -0x1.21dec00000000p-25, []float64{-0x1.1df1acp-3, 0x1.f7f5f2p-7, 0x1.16ebfcp-4, -0x1.9ddc4ap-4,
		0x1.8003c4p-4, -0x1.0f925cp-4, 0x1.2f3c2p-5, -0x1.0da18ep-6, 0x1.5e6c16p-8}},
	F64: {0x1.3ba5916e9fd7fp+0, -0x1.97d2c5d02934cp-55, []float64{-0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd5c5p-7, 0x1.16ecefcfa5497p-4, -0x1.9ddb23c3e7f7ap-4,
		0x1.7fee004e10231p-4, -0x1.0fb06dfe67463p-4, 0x1.3079edf6c55adp-5, -0x1.0962387e6d1fdp-6, 0x1.49c67276649d7p-8,
		-0x1.8d4aa0c545098p-11, -0x1.a1df1e6f582fcp-13, 0x1.3be0ca94ccb36p-13, -0x1.995952fbb5bcbp-16, -0x1.78a1cd63ebcd5p-17,
		0x1.7f1ecb776ebf6p-18, 0x1.4143c91212395p-22, -0x1.b9db813826981p-21, 0x1.21391f5cdae91p-24, 0x1.c7a2c5b0bf62fp-24,
		-0x1.a8144c0e671edp-27, -0x1.6d2987eb62d76p-27}},
}

// Erfc is 1 less the error function.
func Erfc(elem Elem) *Recipe {
	b := newBuilder(elem, "Erfc", "x")
	x, one := b.Param(0), b.Const(1)
	near := b.Sub(one, b.FMA(x, b.Horner(b.Mul(x, x), erfNear[elem]...), x))

	a := atMost(b, b.Abs(x), b.pick(10.125, 27.25))
	square, squareRest := b.TwoProduct(a, a)
	head, tail, n := expReduced(b, b.Neg(square), b.Neg(squareRest))
	power, powerRest := b.FastTwoSum(one, expSum(b, head, tail))
	t := b.Div(b.Sub(a, b.Const(4)), b.Add(a, b.Const(4)))
	g, gRest := b.led(t, b.Const(0), erfcTerms)
	over, overRest := b.TwoProduct(power, g)
	overRest = b.Add(overRest, b.FMA(power, gRest, b.Mul(powerRest, g)))
	under, underRest := b.TwoSum(b.Add(a, a), one)
	y, yRest := quotient(b, over, overRest, under, underRest)
	far := b.Scale(b.Add(y, yRest), n)
	far = b.If(b.Less(x, b.Const(0)), b.Sub(b.Const(2), far), far)
	return b.Return(ofNaN(b, x, b.If(b.Less(b.Abs(x), b.Const(0.5)), near, far)), 2, `1 - erf(x), without the loss of digits where that is small.
Below 1/2 by the polynomial of Erf, above e**(-x*x) * p(t) / (1 + 2|x|) with t = (|x|-4)/(|x|+4), each factor with its error.`)
}
