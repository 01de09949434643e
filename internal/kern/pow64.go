package kern

import "math"

// pow64 is x**y = e**(y*log|x|), the logarithm and the product as pairs of numbers: math.Pow multiplies by squaring and
// loses as many ulps as y is large.
func pow64(x, y float64) float64 {
	ax := math.Abs(x)
	switch {
	case x == 1 || y == 0 || x == 0 || x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y)
	case y == 1:
		return x
	case y == 2:
		return x * x
	case x < 0 && math.Trunc(y) != y:
		return math.NaN()
	}
	log, rest := logPair64(ax)
	t := log * y
	size := math.Exp(t)
	if size != 0 && !math.IsInf(size, 1) {
		size += size * (math.FMA(log, y, -t) + rest*y)
	}
	if x < 0 && math.Mod(y, 2) != 0 {
		return -size
	}
	return size
}

// logPair64 is log(x) for finite x > 0 as a rounded number and its error: x = 2**e * m, s = (m-1)/(m+1) and
// log(m) = 2*(s + s**3*(1/3 + s**2*(1/5 + s**2*q(s**2)))), the errors of all but q carried along.
func logPair64(x float64) (log, rest float64) {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exponent = m*2, exponent-1
	}
	e := float64(exponent)
	over, under := m-1, m+1
	underRest := m - (under - 1)
	s := over / under
	sRest := (math.FMA(-s, under, over) - s*underRest) / under
	square, squareRest := twoProduct64(s, s)
	squareRest += 2 * s * sRest

	// The series of atanh; s**2 is below 0.0295, so the term after the last is below 2**-60 of the fifth part.
	q := 0.0
	for n := 23.0; n >= 7; n -= 2 {
		q = q*square + 1/n
	}
	r, rRest := twoSum64(0x1.999999999999ap-3, square*q)
	rRest += -0x1.999999999999ap-57
	r, rRest = productPair(square, squareRest, r, rRest)
	third, lost := twoSum64(0x1.5555555555555p-2, r)
	r, rRest = productPair(square, squareRest, third, lost+rRest+0x1.5555555555555p-56)
	r, rRest = productPair(s, sRest, r, rRest)
	half, lost := twoSum64(s, r)
	halfRest := lost + rRest + sRest

	const ln2Head, ln2Tail = 0x1.62e42fefa2000p-1, 0x1.9ef35793c7673p-41 // e*ln2Head is exact
	log, lost = twoSum64(e*ln2Head, 2*half)
	return twoSum64(log, lost+(2*halfRest+e*ln2Tail))
}

// productPair is the product of two numbers with errors.
func productPair(x, xRest, y, yRest float64) (product, rest float64) {
	product, rest = twoProduct64(x, y)
	return product, rest + (x*yRest + xRest*y)
}
