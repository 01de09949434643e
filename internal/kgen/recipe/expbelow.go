package recipe

// ExpBelow is e**x where x is not positive, as it is in a softmax: no more than that needs a sum of such powers.
func ExpBelow() *Recipe {
	b := newBuilder("ExpBelow", "x")
	y := expDown(b, atLeast(b, b.Param(0), -104))
	return b.Return(y, 0.95, `e**x for x <= 0, NaN for NaN.
As Exp, without what is for positive x.`)
}
