package ptx

import "math/bits"

// word is how a register file stores a lane; number is how an operation reads it. Readers cut off what lies above their
// type, so results need no cleaning, and what does not depend on the sign is the same for all types of a file.
type (
	word   interface{ uint32 | uint64 }
	number interface {
		uint16 | int16 | uint32 | int32 | uint64 | int64
	}
)

// The busiest loops of the package take four lanes a step, which halves their time, and the race detector leaves them out: the registers of a
// warp belong to the one goroutine that runs it, and what it loads and stores is watched.

func move[T word](d, a, _, _ *[32]T) { *d = *a }

//go:norace
func add[T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = a[i] + b[i]
		d[i+1] = a[i+1] + b[i+1]
		d[i+2] = a[i+2] + b[i+2]
		d[i+3] = a[i+3] + b[i+3]
	}
}

//go:norace
func sub[T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

//go:norace
func mul[T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = a[i] * b[i]
		d[i+1] = a[i+1] * b[i+1]
		d[i+2] = a[i+2] * b[i+2]
		d[i+3] = a[i+3] * b[i+3]
	}
}

//go:norace
func mad[T word](d, a, b, c *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = a[i]*b[i] + c[i]
		d[i+1] = a[i+1]*b[i+1] + c[i+1]
		d[i+2] = a[i+2]*b[i+2] + c[i+2]
		d[i+3] = a[i+3]*b[i+3] + c[i+3]
	}
}

func negate[T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = -a[i]
	}
}

//go:norace
func and[T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = a[i] & b[i]
		d[i+1] = a[i+1] & b[i+1]
		d[i+2] = a[i+2] & b[i+2]
		d[i+3] = a[i+3] & b[i+3]
	}
}

//go:norace
func or[T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

//go:norace
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

//go:norace
func smaller[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = T(min(N(a[i]), N(b[i])))
	}
}

//go:norace
func larger[T word, N number](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = T(max(N(a[i]), N(b[i])))
	}
}

// absolute leaves the least number, which has no opposite, as it is.
func absolute[T word, N number](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = T(max(N(a[i]), -N(a[i])))
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

// Shifts by the width or more leave nothing but copies of the sign.

//go:norace
func shiftLeft(d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

//go:norace
func shiftRight[N number](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(N(a[i]) >> b[i])
	}
}

//go:norace
func shiftLeft64(d, a *lanes64, b *lanes32) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shiftRight64[N number](d, a *lanes64, b *lanes32) {
	for i := range d {
		d[i] = uint64(N(a[i]) >> b[i])
	}
}

// funnelRight and the clamped forms are funnelLeft for the lower half and for distances up to 32.

func funnelRight(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) >> (c[i] & 31))
	}
}

func funnelLeftClamped(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) << min(c[i], 32) >> 32)
	}
}

func funnelRightClamped(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) >> min(c[i], 32))
	}
}

// funnelLeft shifts the 64 bits b:a by the low five bits of c and keeps the upper half: with a = b a rotation.
func funnelLeft(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) << (c[i] & 31) >> 32)
	}
}

func extract64(w *warp, in *instr, mask uint32) *Fault {
	d, a, from, count := w.to64(in.d, mask), &w.r64[in.a], &w.r32[in.b], &w.r32[in.c]
	for i := range d {
		d[i] = a[i] >> (from[i] & 255) & (uint64(1)<<(count[i]&255) - 1)
	}
	w.keep64(in.d, mask)
	return nil
}

// extract is bfe.u32: c bits of a from bit b on; PTX reads eight bits of each.
func extract(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = a[i] >> (b[i] & 255) & uint32(uint64(1)<<(c[i]&255)-1)
	}
}

func leadingZeros(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(bits.LeadingZeros32(a[i]))
	}
}

func leadingZeros64(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(bits.LeadingZeros64(a[i]))
	}
}

// Products: the upper half, and twice the width.

func mulHigh16[N int16 | uint16](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(uint16(int32(N(a[i])) * int32(N(b[i])) >> 16))
	}
}

func mulHigh32[N int32 | uint32](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int64(N(a[i])) * int64(N(b[i])) >> 32)
	}
}

func mulHigh64(d, a, b, _ *lanes64) {
	for i := range d {
		d[i], _ = bits.Mul64(a[i], b[i])
	}
}

func mulWide16[N int16 | uint16](d, a, b, _ *lanes32) {
	for i := range d {
		d[i] = uint32(int32(N(a[i])) * int32(N(b[i])))
	}
}

//go:norace
func mulWide32[N int32 | uint32](d *lanes64, a, b *lanes32) {
	for i := 0; i < 32; i += 4 {
		d[i] = uint64(int64(N(a[i])) * int64(N(b[i])))
		d[i+1] = uint64(int64(N(a[i+1])) * int64(N(b[i+1])))
		d[i+2] = uint64(int64(N(a[i+2])) * int64(N(b[i+2])))
		d[i+3] = uint64(int64(N(a[i+3])) * int64(N(b[i+3])))
	}
}
