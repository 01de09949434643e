package recipe

// CPU returns the recipes that are for the CPU alone.
func CPU() []*Recipe { return []*Recipe{ExpBelow()} }

// ExpBelow is e**x where x is not positive, as it is in a softmax: no more than that needs a sum of such powers.
func ExpBelow() *Recipe {
	b := newBuilder("ExpBelow", "x")
	x := b.Param(0)
	whole, n := roundToInt(b, x, log2E)
	r := b.FMA(whole, b.Const(-ln2Tail), b.FMAExact(whole, b.Const(-ln2Head), x))
	y := b.Scale(b.Add(b.Const(1), b.FMA(b.Mul(r, r), expQuotient(b, r), r)), n)
	y = b.If(b.Less(x, b.Const(-104)), b.Const(0), y)
	return b.Return(y, 0.95, `e**x for x <= 0, NaN for NaN.
x = n*log(2) + r as for Exp, but r is a single number.`)
}
