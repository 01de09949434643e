package recipe

// logPair64 is log(x) for x >= 0 as a rounded number and its error, good to 2**-65 of log(x), as logPair.
func logPair64(b *builder, x float) (log, rest float) {
	m, e := b.Split(x)
	one := b.Const(1)
	over, under := b.Sub(m, one), b.Add(m, one)
	underRest := b.Sub(m, b.Sub(under, one))
	inverse := b.Div(one, under)
	s := b.Mul(over, inverse)
	sRest := b.Mul(b.FMA(b.Neg(s), underRest, b.FMA(b.Neg(s), under, over)), inverse)
	log, rest = logSeries{
		terms: []float64{0x1.9999999999b30p-3, 0x1.2492492457d6ep-3, 0x1.c71c722d645bap-4, 0x1.745ce9e4329eep-4, 0x1.3b1eebddc8062p-4,
			0x1.0f7fee49c9488p-4, 0x1.0e427bb25b5b2p-4},
		third: [2]float64{0x1.5555555555555p-2, 0x1.5555555555555p-56},
	}.pair(b, s, sRest, e)
	return finiteLog(b, log, e), rest
}

// parity64 is the distance of |y| from the nearest even integer, by half: 0 where y is even but not 0, 1/2 where it is odd.
func parity64(b *builder, y float) float {
	const (
		even = 0x1p53    // from here on every float64 is
		some = 0x1p-1000 // stands for what has no half
	)
	half := b.Mul(atMost(b, atLeast(b, b.Abs(y), some), even), b.Const(0.5))
	rounded := b.Sub(b.Add(half, b.Const(even/2)), b.Const(even/2))
	return b.Abs(b.Sub(half, rounded))
}

// powDouble is Pow of float64.
func powDouble() *Recipe {
	b := newBuilder(F64, "Pow", "x", "y")
	x, y := b.Param(0), b.Param(1)
	ax, zero, one := b.Abs(x), b.Const(0), b.Const(1)

	// The logarithm of 0 and of ∞ lets the power be what it has to be. An infinite y may be finite as well, so that it makes 1 of ±1.
	log, logRest := logPair64(b, ax)
	bounded := atMost(b, atLeast(b, y, -0x1p996), 0x1p996)
	t, tRest := b.TwoProduct(log, bounded)
	tRest = b.FMA(logRest, bounded, tRest)
	head, tail, n := expReduced(b, t, tRest)
	size := b.Scale(b.Add(one, expSum(b, head, tail)), n)
	size = b.If(b.Less(t, b.Const(-746)), zero, size)
	size = b.If(b.Less(b.Const(710), t), b.Inf(), size)

	parity := parity64(b, y)
	sign := b.And(b.ToBits(b.If(b.Equal(parity, b.Const(0.5)), x, zero)), b.signBit())
	z := b.FromBits(b.Xor(b.ToBits(size), sign))
	fractional := b.Less(zero, b.Mul(parity, b.Sub(b.Const(0.5), parity)))
	base := b.If(fractional, x, zero)
	z = b.If(b.Both(b.Less(base, zero), b.Less(b.NegInf(), base)), b.NaN(), z)
	z = b.If(b.Either(b.Equal(x, one), b.Equal(y, zero)), one, z)
	return b.Return(z, 1, `x**y with the special cases of C99.
e**(y*log|x|), the logarithm and the product each as a rounded number and its error, as for float32.`)
}
