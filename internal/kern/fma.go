package kern

import "math"

//go:generate go run ../kgen

// Hardware rounds a*b + c once. The product of two float32 is exact in float64, so rounding product + c to float64 and
// then to float32 is nearly that; it differs only where the first rounding lands on a tie of the second. The functions
// below take the exact product, and the ones that are inlined look for such ties.

// fma32 rounds product + c once to float32.
func fma32(product, c float64) float32 {
	return float32(roundToOdd(product, c))
}

// fma32Const is fma32 for |c| >= 2**-78, or where the result turns out not to be below or at the least normal number:
// with such a c a subnormal sum is exact. Its cost is exactly what the compiler still inlines.
func fma32Const(product, c float64) float32 {
	if math.Float64bits(product+c)<<35 == 1<<63 {
		return fma32(product, c)
	}
	return float32(product + c)
}

// roundToOdd is product + c with an inexact result's last bit set, so that rounding it again, to two or more bits less,
// gives what rounding the exact sum would.
func roundToOdd(product, c float64) float64 {
	sum := product + c
	part := sum - product
	lost := (product - (sum - part)) + (c - part) // Knuth's TwoSum: sum + lost is exact
	bits := math.Float64bits(sum)
	if lost == 0 || lost != lost || bits&1 == 1 {
		return sum
	}
	if lost > 0 == (sum > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
