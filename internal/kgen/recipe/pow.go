package recipe

// logPair is log(x) for finite x > 0 as a rounded number and its error, good to 2**-35 of log(x):
// x = 2**e * m, s = (m-1)/(m+1), log(m) = 2*(s + s**3*(1/3 + s*s*q(s*s))), the errors carried along.
func logPair(b *builder, x float) (log, rest float) {
	subnormal := b.Less(x, b.Const(0x1p-126))
	normal := b.If(subnormal, b.Mul(x, b.Const(0x1p24)), x)
	offset := b.IfInt(subnormal, b.Int(24), b.Int(0))
	const rootHalf = 0x3f3504f3 // the bits of √½, the least mantissa
	exponent := b.And(b.ISub(b.ToBits(normal), b.Int(rootHalf)), b.Int(-1<<23))
	m := b.FromBits(b.ISub(b.ToBits(normal), exponent))
	e := b.FromInt(b.ISub(b.Sar(exponent, b.Int(23)), offset))

	one := b.Const(1)
	over, under := b.Sub(m, one), b.Add(m, one)
	underRest := b.Sub(m, b.Sub(under, one))
	s := b.Div(over, under)
	sRest := b.FMA(b.Neg(s), under, over)
	sRest = b.Div(b.FMA(b.Neg(s), underRest, sRest), under)
	return logSeries{
		terms: []float64{0x1.999ap-3, 0x1.245274p-3, 0x1.dfa4fcp-4},
		third: [2]float64{0x1.555556p-2, -0x1.555556p-27},
	}.pair(b, s, sRest, e)
}

// logSeries is what a pair for the logarithm is made of: the coefficients of q, and 1/3 as a number and its rest.
type logSeries struct {
	terms []float64
	third [2]float64
}

// pair is e*log(2) + 2*(s + s**3*(1/3 + s*s*q(s*s))).
func (n logSeries) pair(b *builder, s, sRest, e float) (log, rest float) {
	square, squareRest := b.TwoProduct(s, s)
	squareRest = b.FMA(b.Add(s, s), sRest, squareRest)

	third, thirdRest := b.FastTwoSum(b.Const(n.third[0]), b.Mul(square, b.Horner(square, n.terms...)))
	thirdRest = b.Add(thirdRest, b.Const(n.third[1]))
	w, wRest := b.TwoProduct(square, third)
	wRest = b.FMA(square, thirdRest, b.FMA(squareRest, third, wRest))
	z, zRest := b.TwoProduct(s, w)
	zRest = b.FMA(s, wRest, b.FMA(sRest, w, zRest))
	half, halfRest := b.FastTwoSum(s, z)
	halfRest = b.Add(halfRest, b.Add(zRest, sRest))

	log, lost := b.FastTwoSum(b.Mul(e, b.Const(b.format().ln2Head)), b.Add(half, half))
	rest = b.FMA(e, b.Const(b.format().ln2Tail), b.Add(halfRest, halfRest))
	return b.FastTwoSum(log, b.Add(lost, rest))
}

// isInteger tells for x >= 0 whether x is an integer, ∞ included.
func isInteger(b *builder, x float) mask {
	const unit = 0x1p23 // from here on every float32 is one
	rounded := b.Sub(b.Add(x, b.Const(unit)), b.Const(unit))
	return b.Either(b.Equal(rounded, x), b.LessEqual(b.Const(unit), x))
}

// Pow is x to the power y.
func Pow(elem Elem) *Recipe {
	if elem == F64 {
		return powDouble()
	}
	b := newBuilder(elem, "Pow", "x", "y")
	x, y := b.Param(0), b.Param(1)
	ax, ay := b.Abs(x), b.Abs(y)
	zero, one, inf := b.Const(0), b.Const(1), b.Inf()

	log, logRest := logPair(b, ax)
	t, tRest := b.TwoProduct(log, y)
	tRest = b.FMA(logRest, y, tRest)
	head, tail, n := expReduced(b, t, tRest)
	size := b.Scale(b.Add(one, expSum(b, head, tail)), n)
	size = b.If(b.Less(t, b.Const(-105)), zero, size)
	size = b.If(b.Less(b.Const(90), t), inf, size)

	// Where x or y is infinite or x is 0, the result is 0 or ∞.
	rising, falling := b.Less(one, ax), b.Less(y, zero)
	grows := b.Either(b.Both(rising, b.Not(falling)), b.Both(b.Not(rising), falling))
	extreme := b.Either(b.Equal(ax, zero), b.Either(b.Equal(ax, inf), b.Equal(ay, inf)))
	size = b.If(extreme, b.If(grows, inf, zero), size)

	whole := isInteger(b, ay)
	odd := b.Both(whole, b.Not(isInteger(b, b.Mul(ay, b.Const(0.5)))))
	signed := b.Both(odd, b.ILess(b.ToBits(x), b.Int(0)))
	z := b.If(signed, b.Neg(size), size)
	imaginary := b.Both(b.Less(x, zero), b.Both(b.Not(whole), b.Less(ax, inf)))
	z = b.If(imaginary, b.NaN(), z)
	z = b.If(b.Both(b.Equal(ax, one), b.Equal(ay, inf)), one, z)
	z = b.If(b.Either(b.IsNaN(x), b.IsNaN(y)), b.NaN(), z)
	z = b.If(b.Either(b.Equal(x, one), b.Equal(y, zero)), one, z)
	return b.Return(z, 1, `x**y with the special cases of C99.
e**(y*log|x|), the logarithm and the product each as a rounded number and its error.`)
}

// Rsqrt is 1/√x.
func Rsqrt(elem Elem) *Recipe {
	b := newBuilder(elem, "Rsqrt", "x")
	y := b.Div(b.Const(1), b.Sqrt(b.Param(0)))
	y = b.If(b.IsNaN(y), b.NaN(), y)
	return b.Return(y, 1.5, `1/√x; -∞ at -0.
Two correctly rounded steps.`)
}

// All returns the elementary functions of a type of float that kernels written by hand may call too.
func All(elem Elem) []*Recipe {
	return made(elem, Exp, Expm1, Log, Log1p, Sin, Cos, Tanh, Sigmoid, Erf, Pow, Rsqrt, Tan, SiLU, GELU, GELUTanh, Softplus)
}

// Alone returns those that are ops and no more.
func Alone(elem Elem) []*Recipe {
	return made(elem, Asin, Acos, Atan, Atan2, Sinh, Cosh, Asinh, Acosh, Atanh, Hypot, Exp2, Log2, Log10, Erfc, Erfinv,
		Lgamma, Digamma, Trigamma)
}

// Parts returns functions that are parts of ops: a softmax's power, and a derivative that needs more than its function.
func Parts(elem Elem) []*Recipe { return made(elem, ExpBelow, GELUSlope) }

func made(elem Elem, functions ...func(Elem) *Recipe) (all []*Recipe) {
	for _, f := range functions {
		all = append(all, f(elem))
	}
	return all
}
