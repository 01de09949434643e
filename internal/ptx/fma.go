package ptx

import "math"

// fma32 returns a*b+c rounded once. The product is exact in float64; the sum is
// rounded to odd where rounding it twice could differ from rounding it once.
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := float64(p + q)
	n := math.Float64bits(s)
	if e := n >> 52 & 0x7ff; n&0x1fffffff != 0x10000000 && e > 1023-127 {
		return float32(s)
	}
	return float32(addToOdd(p, q))
}

// addToOdd returns p+q rounded to odd: an inexact sum has its last bit set, so
// that rounding it to a shorter format rounds as the exact sum does.
func addToOdd(p, q float64) float64 {
	s := float64(p + q)
	n := math.Float64bits(s)
	if n&1 != 0 || math.IsInf(s, 0) || s != s {
		return s
	}
	// Knuth's TwoSum: the error of the sum, exactly.
	t := float64(s - p)
	err := float64(p-float64(s-t)) + float64(q-t)
	switch {
	case err == 0:
		return s
	case err > 0 == (s > 0):
		return math.Float64frombits(n + 1)
	}
	return math.Float64frombits(n - 1)
}
