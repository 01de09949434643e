package kern

import "math"

// The float64 functions stand on package math, or on pairs of numbers where that is off by more than 2 ulp. For all of
// them dst is at least as long as src and may be the same slice.

func each64(dst, src []float64, fn func(float64) float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = fn(v)
	}
}

// ExpF64 computes e**x.
func ExpF64(dst, src []float64) { each64(dst, src, math.Exp) }

// Expm1F64 computes e**x - 1.
func Expm1F64(dst, src []float64) { each64(dst, src, math.Expm1) }

// LogF64 computes log(x).
func LogF64(dst, src []float64) { each64(dst, src, log64) }

// log64 is math.Log, whose assembly on amd64 takes subnormal numbers for normal ones.
func log64(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Log1pF64 computes log(1+x).
func Log1pF64(dst, src []float64) { each64(dst, src, math.Log1p) }

// SinF64 computes sin(x), x in radians.
func SinF64(dst, src []float64) { each64(dst, src, sin64) }

// CosF64 computes cos(x), x in radians.
func CosF64(dst, src []float64) { each64(dst, src, cos64) }

// TanhF64 computes (e**x - e**-x) / (e**x + e**-x).
func TanhF64(dst, src []float64) { each64(dst, src, math.Tanh) }

// SigmoidF64 computes 1/(1 + e**-x).
func SigmoidF64(dst, src []float64) { each64(dst, src, sigmoid64) }

// ErfF64 computes the error function.
func ErfF64(dst, src []float64) { each64(dst, src, math.Erf) }

// PowF64 computes a**b, element by element, with the special cases of C99.
func PowF64(dst, a, b []float64) {
	dst, b = dst[:len(a)], b[:len(a)]
	for i, v := range a {
		dst[i] = pow64(v, b[i])
	}
}

// RsqrtF64 computes 1/√x.
func RsqrtF64(dst, src []float64) { each64(dst, src, rsqrt64) }

// SiLUF64 computes x/(1 + e**-x); NaN at -∞, as PyTorch does.
func SiLUF64(dst, src []float64) { each64(dst, src, silu64) }

// GELUF64 computes x * Φ(x), the form with the error function; NaN at -∞, as PyTorch does.
func GELUF64(dst, src []float64) { each64(dst, src, gelu64) }

// GELUTanhF64 computes x/2 * (1 + tanh(√(2/π) * (x + 0.044715*x**3))); NaN at -∞, as PyTorch does.
func GELUTanhF64(dst, src []float64) { each64(dst, src, geluTanh64) }

// SoftplusF64 computes log(1 + e**x).
func SoftplusF64(dst, src []float64) { each64(dst, src, softplus64) }

func rsqrt64(x float64) float64 { return 1 / math.Sqrt(x) }

func softplus64(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// logistic64 is the sigmoid, as a number and its error, of v+rest or, where negative, of -(v+rest), for v >= 0.
func logistic64(v, rest float64, negative bool) (q, qRest float64) {
	e := math.Exp(-v)
	e -= e * rest
	d := 1 + e
	dRest := e - (d - 1)
	over := 1.0
	if negative {
		over = e
	}
	q = over / d
	return q, (math.FMA(-q, d, over) - q*dRest) / d
}

func sigmoid64(x float64) float64 {
	q, rest := logistic64(math.Abs(x), 0, x < 0)
	return q + rest
}

// expShift moves the argument of an exponential whose result would be subnormal before it meets its factors; then
// expUnshift, which is e**-expShift, is the last factor.
const (
	expShift   = 100
	expUnshift = 0x1.a8c1f14e2af5dp-145
)

// gated64 is x times the sigmoid of x's sign and the size of v+rest.
func gated64(x, v, rest float64) float64 {
	switch {
	case math.IsInf(x, -1) || x != x:
		return math.NaN()
	case x > 800:
		return x
	case x < 0 && v > 1000:
		return math.Copysign(0, -1)
	case x < 0 && v > 600:
		e := math.Exp(expShift - v) // below 2**-800 the sigmoid is the exponential
		return x * (e - e*rest) * expUnshift
	}
	q, qRest := logistic64(v, rest, x < 0)
	return math.FMA(x, q, x*qRest)
}

func silu64(x float64) float64 { return gated64(x, math.Abs(x), 0) }

func geluTanh64(x float64) float64 {
	// √(8/π) and 0.044715*√(8/π), each with what float64 leaves of it.
	const (
		linear, linearTail = 0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54
		cubic, cubicTail   = 0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61
	)
	a := min(math.Abs(x), 100)
	square, squareRest := twoProduct64(a, a)
	c, cRest := twoProduct64(square, cubic)
	cRest += squareRest*cubic + square*cubicTail + linearTail
	c, lost := twoSum64(linear, c)
	v, rest := twoProduct64(a, c)
	return gated64(x, v, rest+a*(cRest+lost))
}

func gelu64(x float64) float64 {
	const rootHalf, rootHalfTail = 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55
	switch {
	case math.IsInf(x, -1):
		return math.NaN()
	case x < -40:
		return math.Copysign(0, -1)
	case x < -37.5:
		return geluFar64(x)
	case x > 40:
		return x
	}
	// erfc(z+rest) = erfc(z) - rest * 2/√π * e**(-z*z), to first order.
	z, rest := twoProduct64(-x, rootHalf)
	rest -= x * rootHalfTail
	return x / 2 * (math.Erfc(z) - rest*(2/math.SqrtPi)*math.Exp(-z*z))
}

// geluFar64 is x*Φ(x) for -40 <= x < -37.5, where Φ becomes subnormal before the result does, by Laplace's continued
// fraction: Φ(-a) = φ(a) / (a + 1/(a + 2/(a + ...))).
func geluFar64(x float64) float64 {
	tail := -x
	for n := 8.0; n >= 1; n-- {
		tail = -x + n/tail
	}
	square, rest := twoProduct64(x, x/2)
	e := math.Exp(expShift - square)
	return x / tail * (e - e*rest) * (expUnshift / math.Sqrt2 / math.SqrtPi)
}

// twoProduct64 is x*y as a rounded product and its error.
func twoProduct64(x, y float64) (product, err float64) {
	product = float64(x * y) // rounded: a sum that follows must not fuse with it
	return product, math.FMA(x, y, -product)
}

// twoSum64 is x+y as a rounded sum and its error.
func twoSum64(x, y float64) (sum, err float64) {
	sum = x + y
	part := sum - x
	return sum, (x - (sum - part)) + (y - part)
}
