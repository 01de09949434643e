package recipe

// led are the coefficients of a polynomial whose first has a rest.
type led struct {
	first, rest float64
	more        []float64
}

// led is the polynomial of x as a number and its error, where the first coefficient is its largest part.
func (b *builder) led(x, xRest float, terms map[Elem]led) (y, rest float) {
	of := terms[b.recipe.Elem]
	low := b.FMA(x, b.Horner(x, of.more...), b.FMA(xRest, b.Const(of.more[0]), b.Const(of.rest)))
	return b.FastTwoSum(b.Const(of.first), low)
}

// centered is (x-c)/(x+c), which is 0 at c, -1 at 0 and 1 at ∞.
func (b *builder) centered(x float, c float64) (t, rest float) {
	over, overRest := b.TwoSum(x, b.Const(-c))
	under, underRest := b.TwoSum(x, b.Const(c))
	return quotient(b, over, overRest, under, underRest)
}

// pairProduct is the product of two numbers with their errors.
func (b *builder) pairProduct(x, xRest, y, yRest float) (product, rest float) {
	product, rest = b.TwoProduct(x, y)
	return product, b.Add(rest, b.FMA(x, yRest, b.Mul(xRest, y)))
}
