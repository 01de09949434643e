package recipe

// geluDouble is GELU of float64.
func geluDouble() *Recipe {
	b := newBuilder(F64, "GELU", "x")
	x := b.Param(0)
	t := atMost(b, b.Abs(x), geluEnd64)
	m := millsOf64(b, t)
	p, n := gauss64(b, t)
	// t*M(t) = s + sRest times 1 + m.excess, and e**(-t*t/2) = 2**n times 1 + p: only what exceeds s is rounded before the end.
	s := b.Mul(t, m.inverse)
	sRest := b.Mul(b.FMA(b.Neg(s), m.rest, b.FMA(b.Neg(s), m.under, t)), m.inverse)
	more := b.Add(b.FMA(m.excess, p, m.excess), p)
	half := b.Add(s, b.FMA(s, more, b.FMA(sRest, more, sRest)))
	tail := b.Scale(half, b.Sub(n, b.Const(1)))
	positive := b.If(b.Less(x, b.NegZero()), b.NegZero(), x) // x, or -0 where x has that sign
	y := b.If(b.Less(b.NegInf(), x), b.Sub(positive, tail), b.NaN())
	return b.Return(y, 1.5, `x * Φ(x) = x/2 * (1 + erf(x/√2)); NaN at -∞, as in PyTorch.
max(x, 0) - t*Φ(-t) with t = |x|, and t*Φ(-t) = e**(-t*t/2) * t*M(t), where M(t) is Mills' ratio by √2π.`)
}

const geluEnd64 = 38.75 // where x*Φ(-x) has vanished

// A mills64 is M(t) = Φ(-t) * e**(t*t/2), Mills' ratio of the normal distribution by √2π, as (1 + excess) / (2*(under + rest)).
type mills64 struct {
	excess, under, rest float
	inverse             float // nearly 1/under
}

// millsOf64 is M(t) for 0 <= t <= geluEnd64. With u = 1 + 5t/4, 2*u*M(t) is between 1 and 1.19; what it exceeds 1 by is
// v*p(v-1) with v = 2t/(t+5.5) and p by Remez. Both quotients come from one division.
func millsOf64(b *builder, t float) mills64 {
	const rise = 1.25
	under := b.FMA(t, b.Const(rise), b.Const(1))
	rest := b.FMA(t, b.Const(rise), b.Sub(b.Const(1), under))
	beside := b.Add(t, b.Const(5.5))
	inverse := b.Div(b.Const(1), b.Mul(under, beside))
	v := b.Mul(b.Mul(b.Add(t, t), under), inverse)
	p := b.Horner(b.Sub(v, b.Const(1)),
		0x1.b9f2a81050cdap-4, -0x1.0cba26609d418p-2, 0x1.308afb6cac71cp-2, -0x1.00dbbf3ffeb26p-2, 0x1.5da0ca9234383p-3, -0x1.856231c73755ep-4,
		0x1.5bc6799d994ffp-5, -0x1.d1d922c499f88p-7, 0x1.7475197c9dc81p-9, 0x1.42dababc598c6p-13, -0x1.5aae3369e48cfp-12, 0x1.69a67f8ec0fc8p-14,
		0x1.c288252e4dd93p-17, -0x1.bfd4a0590104dp-17, 0x1.1764a6bf11749p-20, 0x1.a30aa0db32f71p-20, -0x1.82ac12d501295p-22, -0x1.84c05631ecd49p-23,
		0x1.119a8de9f5371p-24, 0x1.9573928486f20p-26, -0x1.ed216288f8be9p-28, -0x1.89315855cd06ap-29)
	return mills64{b.Mul(v, p), under, rest, b.Mul(beside, inverse)}
}

// gauss64 is e**(-t*t/2) as 1 + p times 2**n.
func gauss64(b *builder, t float) (p, n float) {
	square, rest := b.TwoProduct(b.Mul(t, b.Const(-0.5)), t)
	head, tail, n := expReduced(b, square, rest)
	return expSum(b, head, tail), n
}

// geluSlopeDouble is GELUSlope of float64.
func geluSlopeDouble() *Recipe {
	b := newBuilder(F64, "GELUSlope", "x")
	x := b.Param(0)
	t := atMost(b, b.Abs(x), geluEnd64)
	m := millsOf64(b, t)
	p, n := gauss64(b, t)
	const density, densityTail = 0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56 // 1/√2π
	lost := b.FMA(b.Neg(m.inverse), m.rest, b.FMA(b.Neg(m.inverse), m.under, b.Const(1)))
	half := b.Mul(b.Const(0.5), m.inverse)
	ratio := b.FMA(b.Const(-densityTail), t, b.FMA(half, b.Add(m.excess, lost), half))
	slope := b.FMA(b.Const(-density), t, ratio)
	tail := b.Scale(b.FMA(slope, p, slope), n)
	y := b.If(b.Less(x, b.Const(0)), tail, b.Sub(b.Const(1), tail))
	y = b.If(b.Less(b.Abs(x), b.Inf()), y, b.NaN())
	return b.Return(y, 2, `Φ(x) + x*φ(x), with an error in units of the larger summand's last place; NaN at ±∞, as in PyTorch.
With t = |x|, Φ(-t) - t*φ(t) = e**(-t*t/2) * (M(t) - t/√2π), as for GELU; where x is positive, 1 less that.`)
}
