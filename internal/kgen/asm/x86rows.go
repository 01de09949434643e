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
	for n, o := range l.Operands() {
		fn.Op("MOVQ", fn.Arg(o.Name), x86Pointers[n])
	}
	if len(l.Scalars) > 0 {
		fn.Op("MOVQ", fn.Arg("scalars"), "DX")
	}
	if len(l.Folds) > 0 {
		fn.Op("MOVQ", fn.Arg("results"), "R13")
	}
	fn.Label("row")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
	if pl.chains > pl.unit {
		m.several(fn, pl, pl.chains*lanes)
	}
	if m.wide {
		m.rest(fn, pl, lanes)
	} else {
		m.single(fn, pl, pl.unit*lanes, "tail")
		m.tailUnit(fn, pl, elem)
	}
	fn.Label("done")
	m.results(fn, pl)
	m.nextRow(fn, pl)
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// nextRow moves all pointers and repeats.
func (m *x86) nextRow(fn *Func, pl plan) {
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	for n, o := range pl.loop.Operands() {
		if !o.Same {
			fn.Op("LEAQ", fmt.Sprintf("(%s)(CX*%d)", x86Pointers[n], pl.elem.Size()), x86Pointers[n])
		}
	}
	if n := len(pl.loop.Scalars) * pl.elem.Size(); n > 0 {
		fn.Op("ADDQ", fmt.Sprintf("$%d", n), "DX")
	}
	for _, f := range pl.loop.Folds {
		fn.Op("ADDQ", fmt.Sprintf("$%d", resultSize(f, pl.elem)), "R13")
	}
	fn.Op("DECQ", fn.Arg("rows"))
	fn.Op("JNZ", "row")
}

// tailUnit computes what is left of a row, less than a unit. R11 points to as many words of ones as elements are left,
// with zeros behind.
func (m *x86) tailUnit(fn *Func, pl plan, elem recipe.Elem) {
	fn.Label("tail")
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	fn.Op("SUBQ", "AX", "CX")
	fn.Op("JLE", "done")
	fn.Op("NEGQ", "CX")
	words := make([]uint32, 2*recipe.LaneBytes/4)
	for n := range len(words) / 2 {
		words[n] = 1<<32 - 1
	}
	fn.Op("LEAQ", m.pool.Words(words...), "R11")
	fn.Op("LEAQ", fmt.Sprintf("%d(R11)(CX*%d)", recipe.LaneBytes, elem.Size()), "R11")
	pl.body(m, fn, pl.unit, true)
}

// tail returns a register with ones where the tail's vector of a chain has elements.
func (m *x86) tail(p *placer, chain int) string {
	r := m.name(vectors, p.scratch(vectors))
	p.fn.Op("VMOVUPS", fmt.Sprintf("%d(R11)", chain*m.bytes()), r)
	return r
}

// resultSize is the size of what a fold results in.
func resultSize(f recipe.Fold, elem recipe.Elem) int {
	if f.Op.IsSum() {
		return recipe.F64.Size()
	}
	return elem.Size()
}
