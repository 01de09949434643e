package recipe

// logistic is over/(1 + e**t) for e**t = 2**n * e**r, -126 < n < 174 and |r| <= log(2)/2. Beyond 2**64 the 1 does not count; a
// power that is left out there comes last, so that a subnormal result is rounded once.
func logistic(b *builder, over, r float, n integ) float {
	sum := b.FMA(b.Mul(r, r), expQuotient(b, r), r) // e**r - 1
	large := b.ILess(b.Int(64), n)
	later := b.IfInt(large, n, b.Int(0))
	power := powerOfTwo(b, b.ISub(n, later))
	// 2**n + 1 is exact below 2**24; from there on the 1 goes to the smaller summand.
	early := b.If(b.ILess(n, b.Int(24)), power, b.Const(0))
	late := b.Sub(power, early)
	one := b.If(large, b.Const(0), b.Const(1))
	under := b.Add(b.FMA(power, sum, b.Add(early, one)), late)
	return b.Scale(b.Div(over, under), b.ISub(b.Int(0), later))
}

// atLeast is x, or low where that is larger; NaN stays.
func atLeast(b *builder, x float, low float64) float {
	return b.If(b.Less(x, b.Const(low)), b.Const(low), x)
}

// atMost is x, or high where that is smaller; NaN stays.
func atMost(b *builder, x float, high float64) float {
	return b.If(b.Less(b.Const(high), x), b.Const(high), x)
}

// Sigmoid is 1/(1 + e**-x).
func Sigmoid() *Recipe {
	b := newBuilder("Sigmoid", "x")
	x := b.Param(0)
	r, n := expRest(b, b.Neg(atMost(b, atLeast(b, x, -110), 80)))
	y := b.If(b.IsNaN(x), b.NaN(), logistic(b, b.Const(1), r, n))
	return b.Return(y, 1.7, `1/(1 + e**-x).
The exponential as for Exp, but added to 1 before it is rounded; below -110 the result is 0, above 80 it is 1.`)
}

// SiLU is x * sigmoid(x).
func SiLU() *Recipe {
	b := newBuilder("SiLU", "x")
	x := b.Param(0)
	over := atLeast(b, x, -110)
	r, n := expRest(b, b.Neg(atMost(b, over, 80)))
	y := b.If(b.Not(b.Less(b.NegInf(), x)), b.NaN(), logistic(b, over, r, n))
	return b.Return(y, 1.8, `x/(1 + e**-x); NaN at -∞, as in PyTorch.
Sigmoid's quotient with x in its numerator.`)
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
