package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// neonTranspose packs columns, as transpose does for the other machines. Rows that are not there are those of row 0.
func neonTranspose(f *asm.File, e elem) {
	n := neonBytes / e.size
	m := newArmFunc(f, "transpose", e, fmt.Sprintf("c[l][i] = a[i][l] for up to %d rows i of a", n))
	m.field(tileCall.at("a"), reg(1))
	m.field(tileCall.at("rowA"), armScratch)
	for i := 1; i < n; i++ {
		m.op("ADD", armScratch, reg(i), reg(1+i))
	}
	m.field(tileCall.at("cols"), armScratch)
	for i := 1; i < n; i++ {
		m.op("CMP", fmt.Sprintf("$%d", i), armScratch)
		m.op("CSEL", "GT", reg(1+i), reg(1), reg(1+i))
	}
	m.field(tileCall.at("c"), armC)
	m.field(tileCall.at("rowC"), armRowC)
	m.field(tileCall.at("k"), armK)
	m.fn.Label("square")
	for i := range n {
		m.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, reg(1+i)), float(i))
	}
	for _, r := range m.exchange() {
		m.op("FMOVQ", float(r), "("+armC+")")
		m.op("ADD", armRowC, armC)
	}
	m.op("SUBS", fmt.Sprintf("$%d", n), armK)
	m.op("BGT", "square")
	m.op("RET")
}

// exchange transposes the square whose rows are the first registers, and returns the registers of its columns.
func (m *armFunc) exchange() []int {
	step := func(form string, x, y, even, odd int) {
		name := func(n int) string { return fmt.Sprintf("V%d.%s", n, form) }
		m.op("VTRN1", name(y), name(x), name(even))
		m.op("VTRN2", name(y), name(x), name(odd))
	}
	if m.size == 8 {
		step("D2", 0, 1, 2, 3)
		return []int{2, 3}
	}
	step("S4", 0, 1, 4, 5)
	step("S4", 2, 3, 6, 7)
	step("D2", 4, 6, 0, 2)
	step("D2", 5, 7, 1, 3)
	return []int{0, 1, 2, 3}
}

// neonGather packs rows: it copies vectors of each, the last one over the one before, or single numbers.
func neonGather(f *asm.File, e elem) {
	m := newArmFunc(f, "gather", e, "c[l][j] = a[l][j] for columns j")
	const from, to, left = "R1", "R2", "R3"
	lanes, whole := fmt.Sprintf("$%d", m.lanes()), fmt.Sprintf("%d", neonBytes)
	m.field(tileCall.at("a"), reg(4))
	m.field(tileCall.at("rowA"), reg(5))
	m.field(tileCall.at("c"), armC)
	m.field(tileCall.at("rowC"), armRowC)
	m.field(tileCall.at("k"), armK)
	m.fn.Label("row")
	m.op("MOVD", reg(4), from)
	m.op("MOVD", armC, to)
	m.field(tileCall.at("cols"), left)
	m.op("CMP", lanes, left)
	m.op("BLT", "single")
	m.fn.Label("vector")
	m.op("FMOVQ.P", whole+"("+from+")", "F0")
	m.op("FMOVQ.P", "F0", whole+"("+to+")")
	m.op("SUB", lanes, left)
	m.op("CMP", lanes, left)
	m.op("BGE", "vector")
	m.op("CBZ", left, "next")
	m.op("SUB", lanes, left)
	m.op("ADD", m.scaled(left), from)
	m.op("ADD", m.scaled(left), to)
	m.op("FMOVQ", "("+from+")", "F0")
	m.op("FMOVQ", "F0", "("+to+")")
	m.op("B", "next")
	m.fn.Label("single")
	m.op(m.move()+".P", fmt.Sprintf("%d(%s)", m.size, from), "F0")
	m.op(m.move()+".P", "F0", fmt.Sprintf("%d(%s)", m.size, to))
	m.op("SUBS", "$1", left)
	m.op("BNE", "single")
	m.fn.Label("next")
	m.op("ADD", reg(5), reg(4))
	m.op("ADD", armRowC, armC)
	m.op("SUBS", "$1", armK)
	m.op("BNE", "row")
	m.op("RET")
}
