package recipe

// logistic is what 1/(1+e**-v) and its mirror image have in common: for v = vHead+vTail, 0 <= v <= 110, the sigmoid of v
// or, where negative, of -v is (q+rest) * scale. The scale keeps a subnormal result from being rounded twice.
func logistic(b *builder, vHead, vTail float, negative mask) (q, rest, scale float) {
	head, tail, n := expReducedPair(b, b.Neg(vHead), b.Neg(vTail))
	sum := expSum(b, head, tail)
	one := b.Const(1)

	// e = e**-v as a rounded number and its error. Below 2**-64 it no longer counts beside 1.
	least := b.IfInt(b.ILess(n, b.Int(-64)), b.Int(-64), n)
	e, eRest := b.FastTwoSum(one, sum)
	power := powerOfTwo(b, least)
	e, eRest = b.Mul(e, power), b.Mul(eRest, power)
	d, dRest := b.FastTwoSum(one, e)
	dRest = b.Add(dRest, eRest)

	over := b.If(negative, e, one)
	overRest := b.If(negative, eRest, b.Const(0))
	scale = b.If(negative, powerOfTwo(b, b.ISub(n, least)), one)
	r := b.Div(one, d)
	q = b.Mul(over, r)
	rest = b.FMA(b.Neg(q), d, over)
	rest = b.Add(rest, b.FMA(b.Neg(q), dRest, overRest))
	return q, b.Mul(rest, r), scale
}

// gated is x * sigmoid(v) for the v of the sign of x and the size of vHead+vTail, with PyTorch's NaN at -∞. Beyond
// limit the sigmoid is 0 or 1.
func gated(b *builder, x, vHead, vTail float, limit float64) float {
	q, rest, scale := logistic(b, vHead, vTail, b.Less(x, b.Const(0)))
	y := b.Mul(b.FMA(x, q, b.Mul(x, rest)), scale)
	y = b.If(b.Less(x, b.Const(-limit)), b.NegZero(), y)
	y = b.If(b.Less(b.Const(limit), x), x, y)
	return b.If(b.Not(b.Less(b.NegInf(), x)), b.NaN(), y)
}

// Sigmoid is 1/(1 + e**-x).
func Sigmoid() *Recipe {
	b := newBuilder("Sigmoid", "x")
	x := b.Param(0)
	q, rest, scale := logistic(b, b.Abs(x), b.Const(0), b.Less(x, b.Const(0)))
	y := b.Mul(b.Add(q, rest), scale)
	y = b.If(b.Less(x, b.Const(-105)), b.Const(0), y)
	y = b.If(b.Less(b.Const(20), x), b.Const(1), y)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 0.9, `1/(1 + e**-x).
With e = e**-|x| and its rounding error: 1/(1+e), or e/(1+e) for negative x, and the quotient's error added.`)
}

// SiLU is x * sigmoid(x).
func SiLU() *Recipe {
	b := newBuilder("SiLU", "x")
	x := b.Param(0)
	y := gated(b, x, b.Abs(x), b.Const(0), 110)
	return b.Return(y, 1, `x/(1 + e**-x); NaN at -∞, as in PyTorch.
Sigmoid's quotient and its error, both multiplied by x.`)
}

// Tanh is the hyperbolic tangent.
func Tanh() *Recipe {
	b := newBuilder("Tanh", "x")
	x := b.Param(0)
	a := b.Abs(x)
	square := b.Mul(a, a)
	p := b.Horner(square, -0x1.555548p-2, 0x1.110c5ep-3, -0x1.b905c4p-5, 0x1.5811f6p-6, -0x1.9454fp-8)
	near := b.FMA(b.Mul(square, a), p, a)
	e := expNear(b, b.Add(a, a))
	far := b.Sub(b.Const(1), b.Div(b.Const(2), b.Add(e, b.Const(1))))
	far = b.If(b.Less(b.Const(10), a), b.Const(1), far)
	y := b.WithSign(b.If(b.Less(a, b.Const(0.5625)), near, far), x)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.5, `(e**x - e**-x) / (e**x + e**-x).
Below 0.5625 x + x**3*p(x*x) with p by Remez, above 1 - 2/(e**2x + 1).`)
}

// Softplus is log(1 + e**x).
func Softplus() *Recipe {
	b := newBuilder("Softplus", "x")
	x := b.Param(0)
	a := b.Abs(x)
	y := log1pNear(b, expFull(b, b.Neg(a)))
	y = b.If(b.Less(b.Const(0), x), b.Add(x, y), y)
	y = b.If(b.Less(x, b.Const(-104)), b.Const(0), y)
	y = b.If(b.Less(b.Const(104), x), x, y)
	y = b.If(b.IsNaN(x), b.NaN(), y)
	return b.Return(y, 1.8, `log(1 + e**x): Softplus for beta 1 and no threshold.
max(x, 0) + log1p(e**-|x|).`)
}
