package ptx

import "math/bits"

func countOnes(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(bits.OnesCount32(a[i]))
	}
}

func countOnes64(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(bits.OnesCount64(a[i]))
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

func reverse(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = bits.Reverse32(a[i])
	}
}

func reverse64(d, a, _, _ *lanes64) {
	for i := range d {
		d[i] = bits.Reverse64(a[i])
	}
}

// findU and findS are bfind: the highest bit that differs from the sign, or all
// ones where there is none.
func findU(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(bits.Len32(a[i]) - 1)
	}
}

func findS(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(bits.Len32(a[i]^uint32(int32(a[i])>>31)) - 1)
	}
}

func findU64(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(bits.Len64(a[i]) - 1)
	}
}

func findS64(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(bits.Len64(a[i]^uint64(int64(a[i])>>63)) - 1)
	}
}

// fieldMask has ones at length bits from pos on; PTX reads eight bits of each.
func fieldMask(pos, length uint32) uint64 {
	return (uint64(1)<<(length&255) - 1) << (pos & 255)
}

func extractU(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = a[i] >> (b[i] & 255) & uint32(fieldMask(0, c[i]))
	}
}

// extractS repeats the field's highest bit, or the word's where the field goes past it.
func extractS(d, a, b, c *lanes32) {
	for i := range d {
		pos, n := b[i]&255, c[i]&255
		d[i] = 0
		if n > 0 {
			top := min(pos+n-1, 31)
			d[i] = uint32(int32(a[i]<<(31-top)) >> (31 - top) >> min(pos, 31))
			if pos > 31 {
				d[i] = uint32(int32(a[i]) >> 31)
			}
		}
	}
}

func extractU64(d, a *lanes64, b, c *lanes32) {
	for i := range d {
		d[i] = a[i] >> (b[i] & 255) & fieldMask(0, c[i])
	}
}

func extractS64(d, a *lanes64, b, c *lanes32) {
	for i := range d {
		pos, n := b[i]&255, c[i]&255
		d[i] = 0
		if n > 0 {
			top := min(pos+n-1, 63)
			d[i] = uint64(int64(a[i]<<(63-top)) >> (63 - top) >> min(pos, 63))
			if pos > 63 {
				d[i] = uint64(int64(a[i]) >> 63)
			}
		}
	}
}

// insert is bfi.b32: a's low bits into c.
func insert(pos int32, length int32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		d, a, c := w.to32(in.d, mask), &w.r32[in.a], &w.r32[in.b]
		p, n := &w.r32[pos], &w.r32[length]
		for i := range d {
			m := uint32(fieldMask(p[i], n[i]))
			d[i] = c[i]&^m | a[i]<<(p[i]&255)&m
		}
		w.keep32(in.d, mask)
		return nil
	}
}

func insert64(pos, length int32) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		d, a, c := w.to64(in.d, mask), &w.r64[in.a], &w.r64[in.b]
		p, n := &w.r32[pos], &w.r32[length]
		for i := range d {
			m := fieldMask(p[i], n[i])
			d[i] = c[i]&^m | a[i]<<(p[i]&255)&m
		}
		w.keep64(in.d, mask)
		return nil
	}
}

// Funnel shifts: of the 64 bits b:a.

func funnelLeftWrap(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) << (c[i] & 31) >> 32)
	}
}

func funnelLeftClamp(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) << min(c[i], 32) >> 32)
	}
}

func funnelRightWrap(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) >> (c[i] & 31))
	}
}

func funnelRightClamp(d, a, b, c *lanes32) {
	for i := range d {
		d[i] = uint32((uint64(b[i])<<32 | uint64(a[i])) >> min(c[i], 32))
	}
}

// permute is prmt: each digit of c chooses a byte of b:a, and its high bit
// repeats that byte's sign instead.
func permute(d, a, b, c *lanes32) {
	for i := range d {
		bytes := uint64(b[i])<<32 | uint64(a[i])
		sel, out := c[i], uint32(0)
		for k := range 4 {
			digit := sel >> (4 * k)
			v := uint32(bytes>>(digit&7*8)) & 255
			if digit&8 != 0 {
				v = uint32(int32(v<<24)>>31) & 255
			}
			out |= v << (8 * k)
		}
		d[i] = out
	}
}

// logic is lop3: the table tells the result for each of the eight combinations.
func logic(table uint32) op32 {
	return func(d, a, b, c *lanes32) {
		for i := range d {
			var out uint32
			for k := range uint32(8) {
				if table>>k&1 != 0 {
					out |= (a[i] ^ ^-(k >> 2 & 1)) & (b[i] ^ ^-(k >> 1 & 1)) & (c[i] ^ ^-(k & 1))
				}
			}
			d[i] = out
		}
	}
}
