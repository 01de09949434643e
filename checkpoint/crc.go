package checkpoint

import (
	"hash/crc32"
	"sync"
)

// updateSum returns the CRC-32 of what sum is about with p behind it.
func updateSum(sum uint32, p []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, p) }

// joinSums returns the CRC-32 of two parts, of which the second has n bytes, by those of the parts. A zero byte behind a part
// multiplies its sum by x**8 in the polynomials that a CRC counts with, and n of them by the power of that.
func joinSums(first, second uint32, n int) uint32 {
	factor := uint32(1) << 31 // 1, since the lowest coefficient is the highest bit
	for k := 0; n > 0; n, k = n>>1, k+1 {
		if n&1 != 0 {
			factor = multiplySums(factor, byteShifts()[k])
		}
	}
	return multiplySums(first, factor) ^ second
}

// byteShifts are x**(8·2**k) modulo the polynomial of CRC-32.
var byteShifts = sync.OnceValue(func() (powers [63]uint32) {
	powers[0] = 1 << (31 - 8)
	for k := 1; k < len(powers); k++ {
		powers[k] = multiplySums(powers[k-1], powers[k-1])
	}
	return powers
})

// multiplySums returns the product of two polynomials modulo that of CRC-32.
func multiplySums(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		carry := b & 1
		b = b>>1 ^ crc32.IEEE*carry
	}
	return product
}
