package recipe

// Tan is the tangent of x radians; that of float64 is called TanNear, since it is right where |x| < 2**32 alone.
func Tan(elem Elem) *Recipe {
	r := trig(elem, "Tan", "tan(x)", func(b *builder, x, a float) float {
		y := b.tangent(a)
		return b.FromBits(b.Xor(b.ToBits(y), b.And(b.ToBits(x), b.signBit())))
	})
	r.ULP = 1.8
	return r
}

// tangent is sin(a)/cos(a), the two and their quotient each as a rounded number and its error.
func (b *builder) tangent(a float) float {
	head, tail, q := reduced(b, a)
	terms, top := trigTerms[b.recipe.Elem], 8*b.recipe.Elem.Size()-1
	square, squareRest := b.TwoProduct(head, head)
	sine, sineRest := b.FastTwoSum(head, b.FMA(b.Mul(square, head), b.Horner(square, terms.sine...), tail))
	c := b.FMA(square, b.Horner(square, terms.cosine...), b.Const(-0.5))
	cosine, cosineRest := b.FastTwoSum(b.Const(1), b.FMA(square, c, b.Neg(b.Mul(head, tail))))
	cosineRest = b.FMA(squareRest, b.Const(-0.5), cosineRest)

	odd := b.ILess(b.Shl(q, b.Int(top)), b.Int(0)) // where the tangent is -cos/sin of what remains
	over, overRest := b.If(odd, cosine, sine), b.If(odd, cosineRest, sineRest)
	under, underRest := b.If(odd, sine, cosine), b.If(odd, sineRest, cosineRest)
	y, yRest := quotient(b, over, overRest, under, underRest)
	return b.FromBits(b.Xor(b.ToBits(b.Add(y, yRest)), b.Shl(q, b.Int(top))))
}

// quotient is (over+overRest)/(under+underRest) as a rounded number and its error, where the rests are small beside what they
// belong to.
func quotient(b *builder, over, overRest, under, underRest float) (y, rest float) {
	y = b.Div(over, under)
	left := b.FMA(b.Neg(y), under, over)
	left = b.Add(left, b.FMA(b.Neg(y), underRest, overRest))
	return y, b.Div(left, under)
}
