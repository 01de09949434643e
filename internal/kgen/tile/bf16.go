package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Products of bfloat16 take two steps of k at a time: A and B are packed as pairs, 4 bytes each, whose products
// VDPBF16PS adds to sums in float32. The micro-kernel is that of float32 with another instruction in its middle, and
// rounds what it stores.

var pairs = elem{"BF16", 4, "PS", "SS"}

// pairProduct is the micro-kernel of so many rows and two vectors.
func (m *machine) pairProduct(f *asm.File, rows int) {
	s := shape{rows, 2}
	doc := fmt.Sprintf("c[i][j] = Σ a[i][l] · b[l][j] for pairs a and b, %d rows i and %d columns j of bfloat16", rows, 2*m.lanes(pairs))
	p := product{machine: m, shape: s, elem: pairs, pairs: true, fn: newFunc(f, m.functionName(s.String(), pairs), doc)}
	fn := p.fn
	fn.Comment("K2 and K1 are the masks of the two vectors.")
	fn.Op("MOVQ", tileCall.at("cols"), "AX")
	fn.Op("MOVL", "$-1", "R15")
	fn.Op("BZHIL", "AX", "R15", "R15")
	fn.Op("KMOVW", "R15", "K2")
	fn.Op("SHRL", "$16", "R15")
	fn.Op("KMOVW", "R15", "K1")
	fn.Label("tile")
	p.point()
	p.clear()
	p.multiply("")
	p.round()
	nextTile(fn, "done")
}

// round stores the sums rounded to the nearest bfloat16, ties to even; every NaN becomes the same one.
func (p *product) round() {
	fn := p.fn
	const one, half, nan, work = "Z28", "Z29", "Z30", "Z31"
	for _, c := range []struct{ bits, register string }{{"$1", one}, {"$0x7fff", half}, {"$0x7fc0", nan}} {
		fn.Op("MOVL", c.bits, "AX")
		fn.Op("VPBROADCASTD", "AX", c.register)
	}
	fn.Op("MOVQ", tileCall.at("c"), "SI")
	fn.Op("MOVQ", tileCall.at("rowC"), "R10")
	for i := range p.rows {
		for v := range p.vectors {
			sum, mask := p.sum(i, v), p.mask(v)
			if mask == "" {
				mask = "K2"
			}
			fn.Op("VCMPPS", "$3", sum, sum, "K3") // NaN
			fn.Op("VPSRLD", "$16", sum, work)
			fn.Op("VPANDD", one, work, work)
			fn.Op("VPADDD", half, work, work)
			fn.Op("VPADDD", sum, work, work)
			fn.Op("VPSRLD", "$16", work, work)
			fn.Op("VMOVDQA32", nan, "K3", work)
			fn.Op("VPMOVDW", work, "Y31")
			fn.Op("VMOVDQU16", "Y31", mask, at("SI", v*p.bytes/2))
		}
		fn.Op("ADDQ", "R10", "SI")
	}
}

// multiplyPairs adds the products of pairs x and y to a register. Go's assembler has no name for the instruction: its
// bytes are the EVEX prefix of 512 bits in map 0F38 with F3, the opcode, and the registers.
func multiplyPairs(fn *asm.Func, y, x, sum string) {
	var m, v, r uint32
	for _, s := range []struct {
		name string
		n    *uint32
	}{{y, &m}, {x, &v}, {sum, &r}} {
		fmt.Sscanf(s.name, "Z%d", s.n)
	}
	not := func(n, bit uint32) uint32 { return ^n >> bit & 1 }
	p0 := not(r, 3)<<7 | not(m, 4)<<6 | not(m, 3)<<5 | not(r, 4)<<4 | 2
	p1 := ^v&15<<3 | 1<<2 | 2
	p2 := uint32(2)<<5 | not(v, 4)<<3
	fn.Op(fmt.Sprintf("LONG $%#08x; WORD $%#04x // VDPBF16PS %s, %s, %s", 0x62|p0<<8|p1<<16|p2<<24, 0x52|(0xc0|r&7<<3|m&7)<<8, y, x, sum))
}

// gatherPairs packs rows: it joins the elements of two rows that follow each other, for one or two vectors.
func (m *machine) gatherPairs(f *asm.File) {
	n := m.lanes(pairs)
	fn := newFunc(f, m.functionName("gather", pairs), fmt.Sprintf("c[l][j] = the pair of a[2l][j] and a[2l+1][j] for up to %d columns j", 2*n))
	fn.Op("MOVQ", tileCall.at("a"), "SI")
	fn.Op("MOVQ", tileCall.at("rowA"), "R10")
	fn.Op("MOVQ", tileCall.at("c"), "BX")
	fn.Op("MOVQ", tileCall.at("rowC"), "R13")
	fn.Op("MOVQ", tileCall.at("k"), "CX")
	fn.Op("MOVQ", tileCall.at("cols"), "AX")
	fn.Op("KXNORW", "K2", "K2", "K2")
	fn.Op("CMPQ", "AX", fmt.Sprintf("$%d", n))
	fn.Op("JGT", "two")
	for vectors, label := range []string{"oneRow", "twoRows"} {
		vectors++
		if vectors == 2 {
			fn.Label("two")
		}
		maskOf(fn, n, vectors)
		fn.Label(label)
		for v := range vectors {
			mask := "K1"
			if v < vectors-1 {
				mask = "K2"
			}
			offset := ""
			if v > 0 {
				offset = fmt.Sprint(v * m.bytes / 2)
			}
			fn.Op("VPMOVZXWD.Z", offset+"(SI)", mask, "Z0")
			fn.Op("VPMOVZXWD.Z", offset+"(SI)(R10*1)", mask, "Z1")
			fn.Op("VPSLLD", "$16", "Z1", "Z1")
			fn.Op("VPORD", "Z1", "Z0", "Z0")
			fn.Op("VMOVDQU32", "Z0", at("BX", v*m.bytes))
		}
		fn.Op("LEAQ", "(SI)(R10*2)", "SI")
		fn.Op("ADDQ", "R13", "BX")
		fn.Op("DECQ", "CX")
		fn.Op("JNZ", label)
		fn.Op("VZEROUPPER")
		fn.Op("RET")
	}
}
