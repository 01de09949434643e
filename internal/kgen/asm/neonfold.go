package asm

import (
	"fmt"

	"cresset/internal/kgen/recipe"
)

var (
	neonAnd = neonLogic[recipe.IAnd]
	neonBIT = neonCode{"BIT", 0x6ea01c00}
	neonORN = neonCode{"ORN", 0x4ee01c00}
)

// fold takes a vector of elements into its accumulator.
func (m *neon) fold(p *placer, in *inst) {
	acc, x := p.in(in.acc), p.in(in.args[0])
	if !in.fold.IsSum() {
		mask := none
		if p.masked {
			mask = m.loadMask(p)
		}
		m.extreme(p, in.fold, acc, x, p.scratch(vectors), p.scratch(vectors), mask)
		return
	}
	if in.fold == recipe.FoldDot {
		product := p.scratch(vectors)
		m.three(p, neonThree[recipe.Mul], product, x, p.in(in.args[1]))
		x = product
	}
	if p.masked { // zeros leave a sum, which never is -0
		there := m.loadMask(p)
		m.logic(p, neonAnd, there, there, x)
		x = there
	}
	m.three(p, neonThree[recipe.Add], acc, acc, x)
}

// loadMask returns a register with ones where the last vector of a row has elements.
func (m *neon) loadMask(p *placer) int {
	r := p.scratch(vectors)
	p.fn.Op("FMOVQ", "("+neonMask+")", fmt.Sprintf("F%d", r))
	return r
}

// extreme keeps a NaN of the lanes in acc, and takes one in x unless none counts: of the last vector, where mask is ones.
// NEON's own maximum would put -0 before 0.
func (m *neon) extreme(p *placer, op recipe.FoldOp, acc, x, better, nan, mask int) {
	greater := neonCompare[recipe.Less]
	if isInt(p.elem) {
		greater = neonLess[false]
	}
	if op == recipe.FoldMin {
		m.three(p, greater, better, acc, x)
	} else {
		m.three(p, greater, better, x, acc)
	}
	if op != recipe.FoldTop && !isInt(p.elem) {
		m.three(p, neonCompare[recipe.IsNaN], nan, x, x)
		m.logic(p, neonORN, better, better, nan)
	}
	if mask != none {
		m.logic(p, neonAnd, better, better, mask)
	}
	m.logic(p, neonBIT, acc, x, better)
}

// unlessMultiple jumps unless the number of elements so far is a multiple of a power of two.
func (m *neon) unlessMultiple(fn *Func, count int, label string) {
	fn.Op("SUB", "R5", neonLength, "R16")
	fn.Op("TST", fmt.Sprintf("$%d", count-1), "R16")
	fn.Op("BNE", label)
}

func (m *neon) addFloats(fn *Func, from, to int) {
	p := &placer{program: &program{elem: recipe.F32}, fn: fn}
	m.three(p, neonThree[recipe.Add], to, to, from)
}

// addWidened adds a vector of float32 to two of float64.
func (m *neon) addWidened(fn *Func, from, to, spare int) {
	p := &placer{program: &program{elem: recipe.F64}, fn: fn}
	fn.Word(0x0e617800|uint32(from)<<5|uint32(spare), "FCVTL V%d.2D, V%d.2S", spare, from)
	m.three(p, neonThree[recipe.Add], to, to, spare)
	fn.Word(0x4e617800|uint32(from)<<5|uint32(spare), "FCVTL2 V%d.2D, V%d.4S", spare, from)
	m.three(p, neonThree[recipe.Add], to+1, to+1, spare)
}

func (m *neon) zero(fn *Func, r int) { m.logic(&placer{fn: fn}, neonLogic[recipe.IXor], r, r, r) }

// start makes an accumulator that has seen no element.
func (m *neon) start(p *placer, op recipe.FoldOp, r int) {
	if op.IsSum() {
		m.zero(p.fn, r)
		return
	}
	m.constant(p, r, startOf(op, p.elem))
}

// results joins the lanes of every fold and writes what they give.
func (m *neon) results(fn *Func, pl plan) {
	pl.join(m, fn, func(n int, f recipe.Fold, at, spare int) {
		size := resultSize(f, pl.elem)
		for bytes := m.bytes() / 2; bytes >= size; bytes /= 2 {
			fn.Op("VEXT", fmt.Sprintf("$%d", bytes), fmt.Sprintf("V%d.B16", at), fmt.Sprintf("V%d.B16", at), fmt.Sprintf("V%d.B16", spare))
			m.foldVectors(fn, f.Op, pl.elem, at, spare, spare+1)
		}
		fn.Op(map[int]string{4: "FMOVS", 8: "FMOVD"}[size], fmt.Sprintf("F%d", at), fmt.Sprintf("%d(%s)", n*size, neonResults))
	})
}

func (m *neon) foldVectors(fn *Func, op recipe.FoldOp, elem recipe.Elem, a, b, spare int) {
	if op.IsSum() {
		m.three(&placer{program: &program{elem: recipe.F64}, fn: fn}, neonThree[recipe.Add], a, a, b)
		return
	}
	p := &placer{program: &program{elem: elem}, fn: fn}
	m.extreme(p, op, a, b, spare, spare+1, none)
}
