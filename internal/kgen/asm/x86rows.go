package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// rowLoop adds the function of a loop over rows of n elements each, at least one. AX counts the elements of a row, CX has
// their number, R13 points to the row's results.
func (m *x86) rowLoop(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(functionName(l, elem, m.suffix()), comment(l), params(l)...)
	lanes := m.bytes() / elem.Size()
	m.beginRows(fn, l)
	fn.Label("row")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
	if pl.chains > pl.unit {
		m.several(fn, pl, pl.chains*lanes)
	}
	switch {
	case m.wide && pl.unit == 1:
		m.rest(fn, pl, lanes)
	case m.wide:
		m.single(fn, pl, pl.unit*lanes, "tail")
		m.tailVectors(fn, pl, lanes)
	case l.Halves():
		m.single(fn, pl, pl.unit*lanes, "done") // rows are whole units: see vec.HalfRows
	default:
		m.single(fn, pl, pl.unit*lanes, "tail")
		m.tailUnit(fn, pl, elem)
	}
	fn.Label("done")
	m.results(fn, pl)
	m.nextRow(fn, pl)
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// beginRows loads the arguments into registers.
func (m *x86) beginRows(fn *Func, l *recipe.Loop) {
	for n, o := range l.Operands() {
		fn.Op("MOVQ", fn.Arg(o.Name), x86Pointers[n])
	}
	if len(l.Scalars) > 0 {
		fn.Op("MOVQ", fn.Arg("scalars"), "DX")
	}
	if len(l.Folds) > 0 {
		fn.Op("MOVQ", fn.Arg("results"), "R13")
	}
	if l.Fetches {
		fn.Op("MOVQ", fn.Arg("next"), "R14")
	}
}

const lineBytes = 64 // of a cache line

// rowsAhead is the prefetch distance in bytes: at 4, 8 and 16 KiB the sums of rows of 16 MiB took
// 754, 725 and 739 us on Cascade Lake, 889 without.
const rowsAhead = 8 << 10

// prefetch prefetches as many elements as so many chains read of an operand: of what the caller reads next, to which R14
// points, or of what the loop itself will read, whose rows are contiguous.
func (m *x86) prefetch(fn *Func, pl plan, chains int) {
	switch {
	case pl.loop.Fetches:
		for at := 0; at < chains*m.bytes(); at += lineBytes {
			fn.Op("PREFETCHT0", fmt.Sprintf("%d(R14)(AX*%d)", at, pl.elem.Size()))
		}
	case pl.loop.Ahead:
		m.prefetchOperands(fn, pl, chains, pl.loop.Src, rowsAhead)
	}
}

// nextRow moves all pointers and repeats.
func (m *x86) nextRow(fn *Func, pl plan) {
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	for n, o := range pl.loop.Operands() {
		if !o.Same {
			fn.Op("LEAQ", fmt.Sprintf("(%s)(CX*%d)", x86Pointers[n], sizeIn(o.Elem, pl.elem)), x86Pointers[n])
		}
	}
	if pl.loop.Fetches {
		fn.Op("LEAQ", fmt.Sprintf("(R14)(CX*%d)", pl.elem.Size()), "R14")
	}
	switch n := len(pl.loop.Scalars) * pl.elem.Size(); {
	case pl.loop.Strided:
		fn.Op("ADDQ", fn.Arg("step"), "DX")
	case n > 0:
		fn.Op("ADDQ", fmt.Sprintf("$%d", n), "DX")
	}
	for _, f := range pl.loop.Folds {
		fn.Op("ADDQ", fmt.Sprintf("$%d", resultSize(f, pl.elem)), "R13")
	}
	fn.Op("DECQ", fn.Arg("rows"))
	fn.Op("JNZ", "row")
}

// beginTail leaves the number of elements that are left of a row in CX.
func (m *x86) beginTail(fn *Func) {
	fn.Label("tail")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("SUBQ", "AX", "CX")
	fn.Op("JLE", "done")
}

// tailVectors computes what is left of a row, less than a unit, vector by vector.
func (m *x86) tailVectors(fn *Func, pl plan, lanes int) {
	m.beginTail(fn)
	fn.Op("MOVL", "$-1", "R11")
	for c := range pl.unit {
		if c > 0 {
			fn.Op("SUBQ", fmt.Sprintf("$%d", lanes), "CX")
			fn.Op("JLE", "done")
		}
		m.maskTail(fn, lanes)
		pl.body(m, fn, c, 1, true)
	}
}

// tailUnit computes what is left of a row, less than a unit, in one go. R11 points to as many words of ones as elements
// are left, followed by zeros.
func (m *x86) tailUnit(fn *Func, pl plan, elem recipe.Elem) {
	m.beginTail(fn)
	fn.Op("NEGQ", "CX")
	bytes := pl.unit * m.bytes()
	words := make([]uint32, 2*bytes/4)
	for n := range len(words) / 2 {
		words[n] = 1<<32 - 1
	}
	fn.Op("LEAQ", m.pool.Words(words...), "R11")
	fn.Op("LEAQ", fmt.Sprintf("%d(R11)(CX*%d)", bytes, elem.Size()), "R11")
	pl.body(m, fn, 0, pl.unit, true)
}

// tail returns a register with ones where the tail's vector of a chain has elements.
func (m *x86) tail(p *placer, chain int) string {
	r := m.name(vectors, p.scratch(vectors))
	p.fn.Op("VMOVUPS", fmt.Sprintf("%d(R11)", chain*m.bytes()), r)
	return r
}

// resultSize is the size of what a fold results in.
func resultSize(f recipe.Fold, elem recipe.Elem) int {
	if f.Op.IsSum() || f.Op == recipe.FoldFirst {
		return 8
	}
	return elem.Size()
}
