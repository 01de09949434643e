package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// Registers of a loop over rows, beside those of loop.
const (
	neonPart    = "R9"  // elements of a row's last vector, where it is one in part
	neonResults = "R14" // the row's results
	neonRows    = "R15" // how many are left
	neonLength  = "R21" // elements of a row
	neonMask    = "R22" // as many words of ones as the last vector has, followed by zeros
)

// neonEnd is where operand n of a row ends.
func neonEnd(n int) string { return fmt.Sprintf("R%d", 10+n) }

// rowLoop adds the function of a loop over rows of n elements each, at least one. What is left of a row beyond whole
// vectors is copied to the stack, computed there as a vector, and copied back.
func (m *neon) rowLoop(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(functionName(l, elem, "NEON"), comment(l), params(l)...)
	fn.Stack = slotSize * len(l.Operands())
	lanes := neonBytes / elem.Size()
	for n, o := range l.Operands() {
		fn.Op("MOVD", fn.Arg(o.Name), fmt.Sprintf("R%d", n))
	}
	fn.Op("MOVD", fn.Arg("rows"), neonRows)
	fn.Op("MOVD", fn.Arg("n"), neonLength)
	if len(l.Scalars) > 0 {
		fn.Op("MOVD", fn.Arg("scalars"), "R6")
	}
	if len(l.Folds) > 0 {
		fn.Op("MOVD", fn.Arg("results"), neonResults)
	}
	fn.Op("MOVD", "$"+poolName+"(SB)", "R7")
	fn.Label("row")
	fn.Op("MOVD", neonLength, "R5")
	pl.fetchKept(m, fn)
	if pl.chains > pl.unit {
		m.repeat(fn, pl, "several", "single", pl.chains, lanes)
		fn.Label("single")
	}
	m.repeat(fn, pl, "whole", "tail", pl.unit, lanes)
	m.tail(fn, pl, lanes)
	fn.Label("done")
	m.results(fn, pl)
	m.nextRow(fn, pl)
	fn.Op("RET")
	fn.Stack += slotBase
}

// nextRow moves all pointers and repeats.
func (m *neon) nextRow(fn *Func, pl plan) {
	for n, o := range pl.loop.Operands() {
		r := fmt.Sprintf("R%d", n)
		if o.Same {
			fn.Op("SUB", scaled(neonLength, pl.elem.Size()), neonEnd(n), r)
			continue
		}
		fn.Op("MOVD", neonEnd(n), r)
	}
	switch n := len(pl.loop.Scalars) * pl.elem.Size(); {
	case pl.loop.Strided:
		fn.Op("MOVD", fn.Arg("step"), "R16")
		fn.Op("ADD", "R16", "R6")
	case n > 0:
		fn.Op("ADD", fmt.Sprintf("$%d", n), "R6")
	}
	for _, f := range pl.loop.Folds {
		fn.Op("ADD", fmt.Sprintf("$%d", resultSize(f, pl.elem)), neonResults)
	}
	fn.Op("SUBS", "$1", neonRows)
	fn.Op("BNE", "row")
}

// tail computes what is left of a row, less than a unit, vector by vector.
func (m *neon) tail(fn *Func, pl plan, lanes int) {
	fn.Label("tail")
	for n, o := range pl.loop.Operands() {
		fn.Op("ADD", scaled("R5", sizeIn(o.Elem, pl.elem)), fmt.Sprintf("R%d", n), neonEnd(n))
	}
	fn.Op("CBZ", "R5", "done")
	fn.Op("AND", fmt.Sprintf("$%d", lanes-1), "R5", neonPart)
	fn.Op("CBZ", neonPart, "copied")
	for n := range pl.loop.Src {
		at := pl.loop.SrcPlace(n)
		m.copyPart(fn, pl, at, fmt.Sprintf("in%d", n), "R16", "R17")
	}
	fn.Op("ADD", fmt.Sprintf("$%d", m.pool.place(maskBytes())+neonBytes), "R7", neonMask)
	fn.Op("SUB", scaled(neonPart, pl.elem.Size()), neonMask)
	fn.Label("copied")
	for c := range pl.unit - 1 {
		fn.Op("CMP", fmt.Sprintf("$%d", lanes), "R5")
		fn.Op("BLT", fmt.Sprintf("part%d", c))
		pl.body(m, fn, c, 1, false)
		fn.Op("SUB", fmt.Sprintf("$%d", lanes), "R5")
		fn.Op("CBZ", "R5", "done")
	}
	for c := pl.unit - 1; c >= 0; c-- {
		fn.Label(fmt.Sprintf("part%d", c))
		for n, o := range pl.loop.Operands() {
			before := c * lanes * sizeIn(o.Elem, pl.elem)
			fn.Op("MOVD", fmt.Sprintf("$%d(RSP)", slotBase+n*slotSize-before), fmt.Sprintf("R%d", n))
		}
		pl.body(m, fn, c, 1, true)
		if c > 0 {
			fn.Op("B", "out")
		}
	}
	fn.Label("out")
	for n := range pl.loop.Dst {
		m.copyPart(fn, pl, n, fmt.Sprintf("out%d", n), "R17", "R16")
	}
}

// copyPart copies the elements of an operand's last vector to the stack or back: from and to are R16, which points to the
// operand, and R17.
func (m *neon) copyPart(fn *Func, pl plan, operand int, label, from, to string) {
	size := sizeIn(pl.loop.Operands()[operand].Elem, pl.elem)
	move := map[int][2]string{2: {"MOVHU", "MOVH"}, 4: {"MOVWU", "MOVW"}, 8: {"MOVD", "MOVD"}}[size]
	fn.Op("SUB", scaled(neonPart, size), neonEnd(operand), "R16")
	fn.Op("MOVD", fmt.Sprintf("$%d(RSP)", slotBase+operand*slotSize), "R17")
	fn.Op("MOVD", neonPart, "R19")
	fn.Label(label)
	fn.Op(move[0]+".P", fmt.Sprintf("%d(%s)", size, from), "R20")
	fn.Op(move[1]+".P", "R20", fmt.Sprintf("%d(%s)", size, to))
	fn.Op("SUBS", "$1", "R19")
	fn.Op("BNE", label)
}

// maskBytes are ones and then zeros, a vector of each.
func maskBytes() []byte {
	b := make([]byte, 2*neonBytes)
	for n := range neonBytes {
		b[n] = 0xff
	}
	return b
}

// scaled is a register with a number of elements of a size, as an operand that counts bytes.
func scaled(register string, size int) string {
	return register + map[int]string{1: "", 2: "<<1", 4: "<<2", 8: "<<3"}[size]
}
