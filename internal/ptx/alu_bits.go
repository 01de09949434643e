package ptx

import "math/bits"

// Instructions on single bits and bytes.

// permute is prmt.b32: each of four nibbles of c names a byte of b:a, its highest bit that the byte's sign is wanted.
func permute(d, a, b, c *lanes32) {
	for i := range d {
		from, v := uint64(b[i])<<32|uint64(a[i]), uint32(0)
		for k := range 4 {
			pick := c[i] >> (4 * k)
			one := uint8(from >> (8 * (pick & 7)))
			if pick&8 != 0 {
				one = uint8(int8(one) >> 7)
			}
			v |= uint32(one) << (8 * k)
		}
		d[i] = v
	}
}

func population(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(bits.OnesCount32(a[i]))
	}
}

func population64(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(bits.OnesCount64(a[i]))
	}
}

func reverse(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = bits.Reverse32(a[i])
	}
}

// extractSigned is bfe.s32: what lies above the field is its highest bit, or the number's where the field reaches beyond it.
func extractSigned(d, a, b, c *lanes32) {
	for i := range d {
		at, n := b[i]&255, c[i]&255
		if n == 0 {
			d[i] = 0
			continue
		}
		top := min(at+n-1, 31)
		d[i] = uint32(int64(uint64(a[i])<<(63-top)) >> (63 - top) >> at)
	}
}

// dotBytes is dp4a.s32.s32: the sum of products of four signed bytes, and c.
func dotBytes(d, a, b, c *lanes32) {
	for i := range d {
		sum := int32(c[i])
		for k := 0; k < 32; k += 8 {
			sum += int32(int8(a[i]>>k)) * int32(int8(b[i]>>k))
		}
		d[i] = uint32(sum)
	}
}

// logic is lop3.b32: bit i of table is the result for the bits i>>2, i>>1 and i of a, b and c.
func logic(table uint8) op32 {
	return func(d, a, b, c *lanes32) {
		var v lanes32
		for t := range 8 {
			if table>>t&1 == 0 {
				continue
			}
			na, nb, nc := inverse(t&4 == 0), inverse(t&2 == 0), inverse(t&1 == 0)
			for i := range v {
				v[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc)
			}
		}
		*d = v
	}
}

func inverse(not bool) uint32 { return truth(not) }

// lop3.b32 d, a, b, c, table.
func (b *body) lop3(o *opcode, args []operand) instr {
	t := b.types(o, 1)[0]
	b.want(o.name, args, 5)
	if t.name != "b32" || args[4].kind != intOperand || args[4].number > 255 {
		b.unknown(o)
	}
	return instr{kind: kind32, op32: logic(uint8(args[4].number)),
		d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t), c: b.source(args[3], t)}
}

// bfi.b32 d, a, b, at, n: n bits of a put into b.
func (b *body) bfi(o *opcode, args []operand) instr {
	t := b.types(o, 1)[0]
	b.want(o.name, args, 5)
	if t.name != "b32" {
		b.unknown(o)
	}
	count := b.source(args[4], t)
	return instr{kind: kindExec, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t), c: b.source(args[3], t),
		exec: func(w *warp, in *instr, mask uint32) *Fault {
			from, into, at, n := &w.r32[in.a], &w.r32[in.b], &w.r32[in.c], &w.r32[count]
			d := w.to32(in.d, mask)
			for i := range d {
				field := (uint32(1)<<(n[i]&255) - 1) << (at[i] & 255)
				d[i] = into[i]&^field | from[i]<<(at[i]&255)&field
			}
			w.keep32(in.d, mask)
			return nil
		}}
}

func mulWideAdd[N int32 | uint32](d *lanes64, a, b *lanes32, c *lanes64) {
	for i := range d {
		d[i] = uint64(int64(N(a[i]))*int64(N(b[i]))) + c[i]
	}
}

// madWide makes an exec of it.
func madWide(op func(d *lanes64, a, b *lanes32, c *lanes64)) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		op(w.to64(in.d, mask), &w.r32[in.a], &w.r32[in.b], &w.r64[in.c])
		w.keep64(in.d, mask)
		return nil
	}
}
