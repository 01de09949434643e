package kern

import "math"

// The float64 companions of the generated float32 functions, from the standard library. dst is at least as long as src
// and may be the same slice.

// Exp64 computes e**x for each element.
func Exp64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Exp(v)
	}
}

// Expm164 computes e**x - 1 for each element.
func Expm164(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Expm1(v)
	}
}

// Log64 computes the natural logarithm of each element.
func Log64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Log(v)
	}
}

// Log1p64 computes log(1 + x) for each element.
func Log1p64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Log1p(v)
	}
}

// Sin64 computes the sine of each element.
func Sin64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Sin(v)
	}
}

// Cos64 computes the cosine of each element.
func Cos64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Cos(v)
	}
}

// Tanh64 computes the hyperbolic tangent of each element.
func Tanh64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Tanh(v)
	}
}

// Sigmoid64 computes 1/(1 + e**-x) for each element.
func Sigmoid64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = 1 / (1 + math.Exp(-v))
	}
}

// Erf64 computes the error function of each element.
func Erf64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = math.Erf(v)
	}
}

// Pow64 computes a**b for each pair of elements, with the special cases of C99.
func Pow64(dst, a, b []float64) {
	dst, b = dst[:len(a)], b[:len(a)]
	for i, v := range a {
		dst[i] = math.Pow(v, b[i])
	}
}

// Rsqrt64 computes 1/√x for each element.
func Rsqrt64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = 1 / math.Sqrt(v)
	}
}

// SiLU64 computes x/(1 + e**-x) for each element; NaN at -∞.
func SiLU64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = v / (1 + math.Exp(-v))
	}
}

// GELU64 computes x·Φ(x) for each element; NaN at -∞. The complement keeps the digits of negative x.
func GELU64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = 0.5 * v * math.Erfc(-v/math.Sqrt2)
	}
}

// GELUTanh64 computes x/2·(1 + tanh u) with u = √(2/π)·(x + 0.044715·x³) for each element, as x/(1 + e**-2u).
func GELUTanh64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = v / (1 + math.Exp(-2*geluScale*(v+float64(geluCubic*v*v*v))))
	}
}

// Softplus64 computes log(1 + e**x) for each element.
func Softplus64(dst, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
	}
}

// The constants of GELU's approximation by tanh.
const (
	geluScale = math.Sqrt2 * math.SqrtPi / math.Pi // √(2/π)
	geluCubic = 0.044715
)
