package mem

import "math/bits"

// A size class is 2**k times 1, 1.25, 1.5 or 1.75, from 64 bytes up: a block wastes less than a fifth of itself, and
// neighbouring sizes share blocks. Between 64 and 256 bytes only the multiples of 64 are used.
const (
	minBits = 6
	classes = (bits.UintSize - 1 - minBits) * 4
)

// classOf returns the smallest class that holds n bytes, for 0 <= n <= 2**62.
func classOf(n int) int {
	n = max(n, 1<<minBits)
	if n <= 256 { // where steps are smaller than a cache line
		n = (n + 63) &^ 63
	}
	// With m = n-1 the class of an exact size is its own, and that of one more byte is the next: the top three bits of m
	// choose the step.
	m := uint(n - 1)
	top := bits.Len(m) - 1 // the power of two at or below m
	if top < minBits {
		return 0
	}
	step := int(m>>(top-2)) & 3
	return (top-minBits)*4 + step + 1
}

// classBytes returns the size of class c.
func classBytes(c int) int {
	return (4 + c%4) << (c/4 + minBits - 2)
}
