package ptx

import "math/bits"

// word is how a register file stores a lane; number is how an operation reads it.
// Readers cut off what lies above their type, so results need no cleaning.
type (
	word   interface{ uint32 | uint64 }
	number interface {
		uint16 | int16 | uint32 | int32 | uint64 | int64
	}
)

// The busiest loops of the package take four lanes a step, which halves their time.

func move[T word](d, a, _, _ *[32]T) { *d = *a }

func add[T word, N number](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = T(N(a[i]) + N(b[i]))
		d[i+1] = T(N(a[i+1]) + N(b[i+1]))
		d[i+2] = T(N(a[i+2]) + N(b[i+2]))
		d[i+3] = T(N(a[i+3]) + N(b[i+3]))
	}
}

func sub[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = T(N(a[i]) - N(b[i]))
	}
}

func mul[T word, N number](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = T(N(a[i]) * N(b[i]))
		d[i+1] = T(N(a[i+1]) * N(b[i+1]))
		d[i+2] = T(N(a[i+2]) * N(b[i+2]))
		d[i+3] = T(N(a[i+3]) * N(b[i+3]))
	}
}

func mad[T word, N number](d, a, b, c *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = T(N(a[i])*N(b[i]) + N(c[i]))
		d[i+1] = T(N(a[i+1])*N(b[i+1]) + N(c[i+1]))
		d[i+2] = T(N(a[i+2])*N(b[i+2]) + N(c[i+2]))
		d[i+3] = T(N(a[i+3])*N(b[i+3]) + N(c[i+3]))
	}
}

func smaller[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = T(min(N(a[i]), N(b[i])))
	}
}

func larger[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = T(max(N(a[i]), N(b[i])))
	}
}

func absolute[T word, N number](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = T(max(N(a[i]), -N(a[i])))
		if N(a[i]) == -N(a[i]) { // the least number has no opposite
			d[i] = a[i]
		}
	}
}

func negate[T word, N number](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = T(-N(a[i]))
	}
}

// divide gives all ones for a division by zero, which PTX leaves open.
func divide[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		if q := N(b[i]); q != 0 {
			d[i] = T(N(a[i]) / q)
		} else {
			d[i] = ^T(0)
		}
	}
}

// remainder gives the dividend for a division by zero.
func remainder[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		if q := N(b[i]); q != 0 {
			d[i] = T(N(a[i]) % q)
		} else {
			d[i] = a[i]
		}
	}
}

// sumOfDifferences is sad: c + |a - b|.
func sumOfDifferences[T word, N number](d, a, b, c *[32]T) {
	for i := range d {
		x, y := N(a[i]), N(b[i])
		d[i] = T(N(c[i]) + max(x, y) - min(x, y))
	}
}

func and[T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = a[i] & b[i]
		d[i+1] = a[i+1] & b[i+1]
		d[i+2] = a[i+2] & b[i+2]
		d[i+3] = a[i+3] & b[i+3]
	}
}

func or[T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor[T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func not[T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = ^a[i]
	}
}

func zeroNot[T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = 0
		if a[i] == 0 {
			d[i] = 1
		}
	}
}

// Shifts by the width or more leave nothing but copies of the sign.

func shiftLeft[N number](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(N(a[i]) << b[i])
	}
}

func shiftRight[N number](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(N(a[i]) >> b[i])
	}
}

func shiftLeft64(d, a *lanes64, b, _ *lanes32) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shiftRight64[N number](d, a *lanes64, b, _ *lanes32) {
	for i := range d {
		d[i] = uint64(N(a[i]) >> b[i])
	}
}

// Products: the upper half, and twice the width.

func mulHigh16[N int16 | uint16](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int32(N(a[i])) * int32(N(b[i])) >> 16)
	}
}

func mulHigh32[N int32 | uint32](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int64(N(a[i])) * int64(N(b[i])) >> 32)
	}
}

func madHigh32[N int32 | uint32](d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32(int64(N(a[i]))*int64(N(b[i]))>>32) + c[i]
	}
}

func mulHighU64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i], _ = bits.Mul64(a[i], b[i])
	}
}

func mulHighS64(d, a, b, _ *lanes64) {
	for i := range d {
		high, _ := bits.Mul64(a[i], b[i])
		d[i] = high - a[i]&uint64(int64(b[i])>>63) - b[i]&uint64(int64(a[i])>>63)
	}
}

func madHighU64(d, a, b, c *lanes64) {
	for i := range d {
		high, _ := bits.Mul64(a[i], b[i])
		d[i] = high + c[i]
	}
}

func mulWide16[N int16 | uint16](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int32(N(a[i])) * int32(N(b[i])))
	}
}

func madWide16[N int16 | uint16](d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32(int32(N(a[i]))*int32(N(b[i]))) + c[i]
	}
}

func mulWide32[N int32 | uint32](d *lanes64, a, b *lanes32, _ *lanes64) {
	for i := 0; i < 32; i += 4 {
		d[i] = uint64(int64(N(a[i])) * int64(N(b[i])))
		d[i+1] = uint64(int64(N(a[i+1])) * int64(N(b[i+1])))
		d[i+2] = uint64(int64(N(a[i+2])) * int64(N(b[i+2])))
		d[i+3] = uint64(int64(N(a[i+3])) * int64(N(b[i+3])))
	}
}

func madWide32[N int32 | uint32](d *lanes64, a, b *lanes32, c *lanes64) {
	for i := range d {
		d[i] = uint64(int64(N(a[i]))*int64(N(b[i]))) + c[i]
	}
}

// mul24 keeps the lower 32 bits of the product of the lower 24.
func mul24U(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = (a[i] & 0xffffff) * (b[i] & 0xffffff)
	}
}

func mul24S(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int32(a[i]) << 8 >> 8 * (int32(b[i]) << 8 >> 8))
	}
}
