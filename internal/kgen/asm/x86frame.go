package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

// AVX512 returns the file of all loops for AVX-512, and AVX2 that for AVX2 with FMA.
func AVX512(loops []*recipe.Loop) *File { return x86File(loops, true) }

// AVX2 returns the file of all loops for AVX2 with FMA.
func AVX2(loops []*recipe.Loop) *File { return x86File(loops, false) }

func x86File(loops []*recipe.Loop, wide bool) *File {
	f := &File{}
	m := &x86{wide: wide, pool: &f.pool}
	for _, l := range loops {
		for _, elem := range l.Elems {
			if l.Rows {
				m.rowLoop(f, l, elem)
				if m.streams(l, elem) {
					m.streamRows(f, l, elem)
				}
				continue
			}
			m.loop(f, l, elem)
			if m.streams(l, elem) {
				m.stream(f, l, elem)
			}
		}
	}
	return f
}

func (m *x86) suffix() string {
	if m.wide {
		return "AVX512"
	}
	return "AVX2"
}

// loop adds a loop's function for one type of number. Under AVX-512 it computes n elements, else as many whole vectors
// as n elements hold. AX counts elements, CX has their number.
func (m *x86) loop(f *File, l *recipe.Loop, elem recipe.Elem) {
	pl := newPlan(m, l, elem)
	fn := f.Func(functionName(l, elem, m.suffix()), comment(l), params(l)...)
	lanes := m.bytes() / elem.Size()
	m.begin(fn, pl)
	if pl.chains > 1 {
		m.several(fn, pl, pl.chains*lanes)
	}
	if m.wide {
		m.rest(fn, pl, lanes)
	} else {
		m.single(fn, pl, lanes, "done")
	}
	fn.Label("done")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}

// begin loads the arguments, and the values that stay there, into registers.
func (m *x86) begin(fn *Func, pl plan) {
	for n, o := range pl.loop.Operands() {
		fn.Op("MOVQ", fn.Arg(o.Name), x86Pointers[n])
	}
	fn.Op("MOVQ", fn.Arg("n"), "CX")
	if len(pl.loop.Scalars) > 0 {
		fn.Op("MOVQ", fn.Arg("scalars"), "DX")
	}
	fn.Op("XORL", "AX", "AX")
	pl.fetchKept(m, fn)
}

// several is the loop over as many vectors at once as there are chains.
func (m *x86) several(fn *Func, pl plan, step int) {
	fn.Op("LEAQ", fmt.Sprintf("-%d(CX)", step), "BX")
	fn.Op("CMPQ", "AX", "BX")
	fn.Op("JGT", "single")
	fn.Op("PCALIGN", "$32")
	fn.Label("several")
	m.prefetch(fn, pl, pl.chains)
	pl.body(m, fn, 0, pl.chains, false)
	fn.Op("ADDQ", fmt.Sprintf("$%d", step), "AX")
	pl.endOfRun(m, fn, "severalOn")
	fn.Op("CMPQ", "AX", "BX")
	fn.Op("JLE", "several")
	fn.Label("single")
}

// rest is the loop over what is left, one vector at a time, the last one perhaps in part.
func (m *x86) rest(fn *Func, pl plan, lanes int) {
	fn.Op("SUBQ", "AX", "CX")
	fn.Op("JLE", "done")
	fn.Op(map[bool]string{true: "MOVQ", false: "MOVL"}[lanes > 32], "$-1", "R11")
	fn.Label("masked")
	m.maskTail(fn, lanes)
	pl.body(m, fn, 0, 1, true)
	fn.Op("ADDQ", fmt.Sprintf("$%d", lanes), "AX")
	pl.endOfRun(m, fn, "maskedOn")
	fn.Op("SUBQ", fmt.Sprintf("$%d", lanes), "CX")
	fn.Op("JGT", "masked")
}

// maskTail sets a bit in tailMask for each of the elements of a vector that are there: of CX elements, with ones in R11.
func (m *x86) maskTail(fn *Func, lanes int) {
	fn.Op("MOVL", fmt.Sprintf("$%d", lanes), "R12")
	fn.Op("CMPQ", "CX", "R12")
	fn.Op("CMOVQLT", "CX", "R12")
	if lanes > 32 {
		fn.Op("BZHIQ", "R12", "R11", "R12")
		fn.Op("KMOVQ", "R12", tailMask)
		return
	}
	fn.Op("BZHIL", "R12", "R11", "R12")
	fn.Op("KMOVW", "R12", tailMask)
}

// single is the loop over the whole vectors that are left, step elements at a time.
func (m *x86) single(fn *Func, pl plan, step int, next string) {
	fn.Op("SUBQ", fmt.Sprintf("$%d", step), "CX")
	fn.Op("CMPQ", "AX", "CX")
	fn.Op("JGT", next)
	fn.Label("whole")
	if pl.chains == pl.unit { // else what is left here is short
		m.prefetch(fn, pl, pl.unit)
	}
	pl.body(m, fn, 0, pl.unit, false)
	fn.Op("ADDQ", fmt.Sprintf("$%d", step), "AX")
	pl.endOfRun(m, fn, "wholeOn")
	fn.Op("CMPQ", "AX", "CX")
	fn.Op("JLE", "whole")
}
