package rng

import "math/bits"

// Philox returns four numbers of the counter-based generator Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as
// 1, 2, 3, 2011) at a counter of 128 bits, given by its halves. Any of them can be computed alone.
func Philox(key, low, high uint64) [4]uint32 {
	c0, c1, c2, c3 := uint32(low), uint32(low>>32), uint32(high), uint32(high>>32)
	k0, k1 := uint32(key), uint32(key>>32)
	for range 10 {
		high0, low0 := bits.Mul32(0xd2511f53, c0)
		high1, low1 := bits.Mul32(0xcd9e8d57, c2)
		c0, c1, c2, c3 = high1^c1^k0, low1, high0^c3^k1, low0
		k0 += 0x9e3779b9
		k1 += 0xbb67ae85
	}
	return [4]uint32{c0, c1, c2, c3}
}
