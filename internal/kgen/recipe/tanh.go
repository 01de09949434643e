package recipe

import "math"

// tanhRows are, for 16 intervals of t = |x| that cover 0 to tanhEnd, a center c and the coefficients of tanh(t) in powers of t-c. Each
// center is one for which the first coefficient, tanh(c), is nearly a float32; the others are fits to the least relative error, each
// rounded before the next was fitted.
var tanhRows = [16][]float64{
	{0, 0, 0x1p0, 0x1.b50edcp-21, -0x1.5561e8p-2, 0x1.b7afccp-11, 0x1.07082ap-3},
	{0x1.d1dp-3, 0x1.c9f15ap-3, 0x1.e66684p-1, -0x1.b30b62p-3, -0x1.13a3cap-2, 0x1.0b42eap-3, 0x1.539394p-4},
	{0x1.84d8p-2, 0x1.732c2ap-2, 0x1.bcbaep-1, -0x1.42679cp-2, -0x1.6748cep-3, 0x1.582cbap-3, 0x1.37e3eap-6},
	{0x1.0f46p-1, 0x1.f0e5dcp-2, 0x1.87709p-1, -0x1.7be4ap-2, -0x1.327be8p-4, 0x1.46eb22p-3, -0x1.1ea88ep-5},
	{0x1.82ep-1, 0x1.46e7c4p-1, 0x1.2f4674p-1, -0x1.834646p-2, 0x1.689f32p-5, 0x1.912f54p-4, -0x1.030778p-4},
	{0x1.0ebap0, 0x1.91c62ap-1, 0x1.897198p-2, -0x1.34beep-2, 0x1.bc7a82p-4, 0x1.056612p-6, -0x1.425a0ep-5},
	{0x1.5e22p0, 0x1.c19f4ap-1, 0x1.d49fb2p-3, -0x1.9b892cp-3, 0x1.9a67bap-4, -0x1.523fb4p-6, -0x1.525228p-7},
	{0x1.aaeep0, 0x1.dccc4cp-1, 0x1.0fef44p-3, -0x1.fa7ab4p-4, 0x1.225ec6p-4, -0x1.949112p-6, 0x1.2dfbb4p-9},
	{0x1.0f1ep1, 0x1.f166d4p-1, 0x1.cc7c8p-5, -0x1.bf5788p-5, 0x1.192412p-5, -0x1.f2154ap-7, 0x1.22edeap-8},
	{0x1.5d84p1, 0x1.fbaafcp-1, 0x1.1414ccp-6, -0x1.11b62ap-6, 0x1.66c356p-7, -0x1.5f3d9ep-8, 0x1.04c1b8p-9},
	{0x1.ab3p1, 0x1.feb582p-1, 0x1.4a1376p-8, -0x1.493196p-8, 0x1.b4b2dp-9, -0x1.b75378p-10, 0x1.587db8p-11},
	{0x1.f73p1, 0x1.ff9b1ep-1, 0x1.936002p-10, -0x1.9300ecp-10, 0x1.0c5be6p-10, -0x1.0fe55cp-11, 0x1.a62cfp-13},
	{0x1.36fcp2, 0x1.fff03ap-1, 0x1.f8c8dap-13, -0x1.f74d6ep-13, 0x1.4f1924p-13, -0x1.67c6a2p-14, 0x1.22c638p-15},
	{0x1.85fcp2, 0x1.fffeaap-1, 0x1.5615bep-16, -0x1.5517a6p-16, 0x1.c4cd04p-17, -0x1.e7838cp-18, 0x1.9bf252p-19},
	{0x1.d3dcp2, 0x1.ffffe2p-1, 0x1.e022f6p-20, -0x1.ded2eep-20, 0x1.3da288p-20, -0x1.55b6a4p-21, 0x1.231486p-22},
	{0x1.1186p3, 0x1.fffffep-1, 0x1.43fc92p-23, -0x1.2681e2p-21, -0x1.b04cbcp-25, 0x1.4e34eep-20, 0x1.02b88p-20},
}

var tanhTables = tablesOf("tanh", "the centers of Tanh's intervals, or coefficients of its polynomials.", tanhRows)

const tanhEnd = 9.0625 // where tanh is 1

// Tanh is the hyperbolic tangent.
func Tanh(elem Elem) *Recipe {
	b := newBuilder(elem, "Tanh", "x")
	x := b.Param(0)
	if b.double() {
		return b.Return(tanhQuotient(b, x), 1.3, `(e**x - e**-x) / (e**x + e**-x).
Below 0.5625 x + x**3*p(x*x) with p by Remez, above 1 - 2/(e**2x + 1), which is 1 from 20 on.`)
	}
	t := atMost(b, b.Abs(x), tanhEnd)
	// Four intervals for each power of two that the sum reaches: from 2 on its bits begin with the number of the interval.
	interval := b.Shr(b.ToBits(b.FMA(t, b.Const(3.296875), b.Const(2))), b.Int(21))
	d := b.Sub(t, b.At(tanhTables[0], interval))
	y := b.WithSign(b.HornerAt(d, interval, tanhTables[1:]), x)
	return b.Return(y, 1.1, `(e**x - e**-x) / (e**x + e**-x).
A polynomial for each of 16 intervals of |x|, all of them by Remez; 1 from 9.0625 on.`)
}

// tanhNear are the coefficients of (tanh(x) - x) / x**3 in powers of x*x for |x| <= 0.5625, by Remez.
var tanhNear = map[Elem][]float64{
	F32: {-0x1.555548p-2, 0x1.110c5ep-3, -0x1.b905c4p-5, 0x1.5811f6p-6, -0x1.9454fp-8},
	F64: {-0x1.555555555554cp-2, 0x1.111111111036cp-3, -0x1.ba1ba1b93ebfbp-5, 0x1.664f484b158abp-6,
		-0x1.226e2d35a9efp-7, 0x1.d6d24ee8f9128p-9, -0x1.7d8bec0f5b3f3p-10, 0x1.3463379cc8027p-11, -0x1.e82272f297efdp-13,
		0x1.59b1baf828904p-14, -0x1.3db91e68a57d9p-16},
}

// tanhQuotient is tanh without tables, of float32 with an error of 1.5 units in the last place: tables would take registers of the kernels of
// products on GPUs.
func tanhQuotient(b *builder, x float) float {
	f := b.format()
	// e**2|x| = 2**n * (1 + s) for -|x| = -n*log(2)/2 + r; what slope is for r has twice logistic's argument.
	below := negative(b, x)
	v := atLeast(b, below, b.pick(-10, -20))
	shifted, whole := rounded(b, v, -2*f.log2E, f.bias)
	p := power(b, shifted)
	var r float
	if b.double() {
		r = b.FMA(whole, b.Const(f.ln2Tail/2), b.FMAExact(whole, b.Const(f.ln2Head/2), v))
	} else {
		r = b.FMA(whole, b.Const(ln2/2), v) // as exact as is needed: the larger whole is, the less of it is seen
	}
	var slope []float64
	for k, c := range b.logistics().slope {
		slope = append(slope, math.Ldexp(c, k+1))
	}
	sum := b.FMA(b.Mul(p, r), b.Horner(r, slope...), b.Add(p, b.Const(1)))
	far := b.Sub(b.Const(1), b.Div(b.Const(2), sum))

	square := b.Mul(x, x)
	near := b.FMA(b.Mul(square, x), b.Horner(square, tanhNear[b.recipe.Elem]...), x)
	y := b.WithSign(b.If(b.Less(b.Const(-0.5625), below), near, far), x) // that of -0 gets lost in a sum
	if b.double() {
		y = b.If(b.IsNaN(x), b.NaN(), y)
	}
	return y
}
