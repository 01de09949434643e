package tile

import (
	"fmt"
	"slices"

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
	p := product{writer: m.writer(f, s.String(), pairs, &tileCall, doc), shape: s, pairs: true}
	p.fn.Comment("K2 and K1 are the masks of the two vectors.")
	p.arg("cols", "AX")
	p.op("MOVL", "$-1", "R15")
	p.op("BZHIL", "AX", "R15", "R15")
	p.op("KMOVW", "R15", "K2")
	p.op("SHRL", "$16", "R15")
	p.op("KMOVW", "R15", "K1")
	p.label("tile")
	p.point()
	p.multiply("")
	p.round()
	p.nextTile("done")
}

// pairDots returns the dots that pairs have too: those of several rows. Both operands are read where they are, since two steps of k follow each other in a
// row of A and in a column of B; C is of float32.
func (m *machine) pairDots() [][2]int {
	return slices.DeleteFunc(slices.Clone(m.dots), func(s [2]int) bool { return s[0] == 1 })
}

// round stores the sums rounded to the nearest bfloat16, ties to even; every NaN becomes the same one.
func (p *product) round() {
	const one, half, nan, work = "Z28", "Z29", "Z30", "Z31"
	for _, c := range []struct{ bits, register string }{{"$1", one}, {"$0x7fff", half}, {"$0x7fc0", nan}} {
		p.op("MOVL", c.bits, "AX")
		p.op("VPBROADCASTD", "AX", c.register)
	}
	p.arg("c", "SI")
	p.arg("rowC", "R10")
	for i := range p.rows {
		for v, mask := range []string{"K2", "K1"} {
			sum := p.reg(p.sum(i, v))
			p.op("VCMPPS", "$3", sum, sum, "K3") // NaN
			p.op("VPSRLD", "$16", sum, work)
			p.op("VPANDD", one, work, work)
			p.op("VPADDD", half, work, work)
			p.op("VPADDD", sum, work, work)
			p.op("VPSRLD", "$16", work, work)
			p.op("VMOVDQA32", nan, "K3", work)
			p.op("VPMOVDW", work, "Y31")
			p.op("VMOVDQU16", "Y31", mask, at("SI", v*p.bytes/2))
		}
		p.add("R10", "SI")
	}
}

// gatherPairs packs rows: it joins the elements of two rows that follow each other, for one or two vectors.
func (m *machine) gatherPairs(f *asm.File) {
	n := m.lanes(pairs)
	w := m.writer(f, "gather", pairs, &tileCall, fmt.Sprintf("c[l][j] = the pair of a[2l][j] and a[2l+1][j] for up to %d columns j", 2*n))
	w.pointAtPanel()
	w.op("KXNORW", "K2", "K2", "K2")
	w.oneOrTwo(func(v int, whole bool) {
		mask, offset := "K1", ""
		if whole {
			mask = "K2"
		}
		if v > 0 {
			offset = fmt.Sprint(v * m.bytes / 2)
		}
		w.op("VPMOVZXWD.Z", offset+"(SI)", mask, "Z0")
		w.op("VPMOVZXWD.Z", offset+"(SI)(R10*1)", mask, "Z1")
		w.op("VPSLLD", "$16", "Z1", "Z1")
		w.op("VPORD", "Z1", "Z0", "Z0")
		w.op("VMOVDQU32", "Z0", at("BX", v*m.bytes))
	}, 2)
}
