package recipe

// binaryParts are 1/log(2), log(2), 1/log(10) and log10(2) in two parts, the first part of the last so short that its products with
// exponents are exact.
var binaryParts = map[Elem]struct{ log2E, ln2, log10E, log10Of2 [2]float64 }{
	F32: {[2]float64{0x1.715476p0, 0x1.4ae0cp-26}, [2]float64{0x1.62e43p-1, -0x1.05c61p-29}, [2]float64{0x1.bcb7b2p-2, -0x1.5b235ep-27},
		[2]float64{0x1.344p-2, 0x1.3509f8p-18}},
	F64: {[2]float64{0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56}, [2]float64{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
		[2]float64{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, [2]float64{0x1.34413509f8p-2, -0x1.80433b83b532ap-44}},
}

// times is x times a constant in two parts.
func times(b *builder, x float, constant [2]float64) float {
	return b.FMA(x, b.Const(constant[0]), b.Mul(x, b.Const(constant[1])))
}

// Exp2 is 2**x.
func Exp2(elem Elem) *Recipe {
	b := newBuilder(elem, "Exp2", "x")
	x := atMost(b, atLeast(b, b.Param(0), b.pick(-151, -1076)), b.pick(129, 1025))
	_, n := rounded(b, x, 1, 0)
	return b.Return(b.Scale(expMantissa(b, times(b, b.Sub(x, n), binaryParts[elem].ln2)), n), 1.3, `2**x.
x = n + f, 2**x = 2**n * e**(f*log(2)), the power as for Exp.`)
}

// logToBase is e*unit + log(m)*scale for x = m * 2**e: with log(1+f) = f + rest the products that count are added with their errors.
func logToBase(b *builder, x float, unit, scale [2]float64) float {
	m, e := b.Split(x)
	f := b.Sub(m, b.Const(1))
	var rest float
	if b.double() {
		s, more, half := logTerms64(b, f)
		rest = b.FMA(s, more, b.Neg(half))
	} else {
		rest = b.Mul(b.Mul(f, f), logQuotient(b, f))
	}
	product, lost := b.TwoProduct(f, b.Const(scale[0]))
	lost = b.Add(lost, b.FMA(rest, b.Const(scale[0]), b.Mul(f, b.Const(scale[1]))))
	sum, sumLost := b.FastTwoSum(b.Mul(e, b.Const(unit[0])), product)
	return finiteLog(b, b.Add(sum, b.Add(sumLost, b.FMA(e, b.Const(unit[1]), lost))), e)
}

// Log2 is the logarithm to the base 2.
func Log2(elem Elem) *Recipe {
	b := newBuilder(elem, "Log2", "x")
	y := logToBase(b, b.Param(0), [2]float64{1, 0}, binaryParts[elem].log2E)
	return b.Return(y, 1.7, `log(x) / log(2).
x = m * 2**e, e + log(m)/log(2), the logarithm of m as for Log.`)
}

// Log10 is the logarithm to the base 10.
func Log10(elem Elem) *Recipe {
	b := newBuilder(elem, "Log10", "x")
	y := logToBase(b, b.Param(0), binaryParts[elem].log10Of2, binaryParts[elem].log10E)
	return b.Return(y, 1.5, `log(x) / log(10).
x = m * 2**e, e*log10(2) + log(m)/log(10), the logarithm of m as for Log.`)
}

// Hypot is √(x*x + y*y).
func Hypot(elem Elem) *Recipe {
	b := newBuilder(elem, "Hypot", "x", "y")
	x, y := b.Abs(b.Param(0)), b.Abs(b.Param(1))
	// Large numbers are made small and small ones large, so that no square of the larger one leaves the range.
	large, small, one := b.pick(0x1p60, 0x1p500), b.pick(0x1p-40, 0x1p-400), b.Const(1)
	up, down := b.Const(b.pick(0x1p90, 0x1p600)), b.Const(b.pick(0x1p-70, 0x1p-600))
	most := b.If(b.Less(x, y), y, x)
	choose := func(down, up float) float {
		return b.If(b.Less(b.Const(large), most), down, b.If(b.Less(most, b.Const(small)), up, one))
	}
	factor, back := choose(down, up), choose(b.Const(b.pick(0x1p70, 0x1p600)), b.Const(b.pick(0x1p-90, 0x1p-600)))
	x, y = b.Mul(x, factor), b.Mul(y, factor)
	high, low := b.If(b.Less(x, y), y, x), b.If(b.Less(x, y), x, y)
	z := b.Mul(b.Sqrt(b.FMA(high, high, b.Mul(low, low))), back)
	z = b.If(b.Either(b.IsNaN(x), b.IsNaN(y)), b.NaN(), z)
	infinite := b.Either(b.Equal(b.Abs(b.Param(0)), b.Inf()), b.Equal(b.Abs(b.Param(1)), b.Inf()))
	return b.Return(b.If(infinite, b.Inf(), z), 1.5, `√(x*x + y*y), ∞ where either is infinite.
The larger number's square is not rounded before the sum; both are scaled where it would leave the range.`)
}
