package ptx

import "math"

// fmaF32 computes a*b+c, rounded once. The product is exact in float64; the sum is rounded to odd where rounding it twice
// could differ from rounding it once.
//
//go:norace
func fmaF32(d, a, b, c *lanes32) {
	for i := range d {
		p, q := float64(f32(a[i]))*float64(f32(b[i])), float64(f32(c[i]))
		s := float64(p + q)
		if twice(s) {
			s = addToOdd(p, q)
		}
		d[i] = u32(float32(s))
	}
}

// twice reports whether rounding s to float32 may depend on what was lost when it was rounded to float64: it lies half way
// between two float32 numbers, or among the subnormal ones. Nothing was lost of a sum that is zero, which most are at the edges of tiles.
func twice(s float64) bool {
	n := math.Float64bits(s)
	return n<<35 == 1<<63 || n<<1-1 < (1023-126)<<53-1
}

// addToOdd returns p+q rounded to odd: an inexact sum has its last bit set, so that rounding it to a shorter format rounds
// as the exact sum does.
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
