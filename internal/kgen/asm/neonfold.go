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
	if in.fold == recipe.FoldProduct {
		m.foldProduct(p, acc, x)
		return
	}
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
	m.three(p, neonAddition(p.elem), acc, acc, x)
}

// neonAddition adds numbers of a type.
func neonAddition(elem recipe.Elem) neonCode {
	if isInt(elem) {
		return neonThree[recipe.IAdd]
	}
	return neonThree[recipe.Add]
}

// foldProduct multiplies, of the last vector only by what is there.
func (m *neon) foldProduct(p *placer, acc, x int) {
	if !p.masked {
		m.three(p, neonThree[recipe.Mul], acc, acc, x)
		return
	}
	product := p.scratch(vectors)
	m.three(p, neonThree[recipe.Mul], product, acc, x)
	m.logic(p, neonBIT, acc, product, m.loadMask(p))
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

// endOfRun ends the runs of sums of float32 that are full, else jumps to the label after that.
func (m *neon) endOfRun(fn *Func, pl plan, after string) {
	l := pl.loop
	if len(l.Folds) == 0 || !l.Folds[0].Op.InRuns(pl.elem) {
		return
	}
	lanes := l.Lanes * recipe.LaneBytes / pl.elem.Size()
	fn.Op("SUB", "R5", neonLength, "R16")
	fn.Op("TST", fmt.Sprintf("$%d", recipe.RunLength*lanes-1), "R16")
	fn.Op("BNE", after)
	m.endRuns(fn, pl)
	fn.Label(after)
}

// endRuns adds what the runs of float32 gave to their totals, and starts new ones.
func (m *neon) endRuns(fn *Func, pl plan) {
	first, total, vector := 0, len(pl.loop.Folds)*pl.unit, recipe.LaneBytes/m.bytes()
	p := &placer{program: &program{elem: pl.elem}, fn: fn}
	for _, f := range pl.loop.Folds {
		if !f.Op.InRuns(pl.elem) {
			return
		}
		for half := pl.unit / 2; half >= vector; half /= 2 {
			for r := range half {
				m.three(p, neonThree[recipe.Add], first+r, first+r, first+half+r)
			}
		}
		for r := range vector {
			m.addWidened(fn, first+r, total+2*r, pl.accumulators()-1)
		}
		for r := range pl.unit {
			m.zero(p, first+r)
		}
		first, total = first+pl.unit, total+totalsOf(m)
	}
}

// addWidened adds a vector of float32 to two of float64.
func (m *neon) addWidened(fn *Func, from, to, spare int) {
	p := &placer{program: &program{elem: recipe.F64}, fn: fn}
	fn.Word(0x0e617800|uint32(from)<<5|uint32(spare), "FCVTL V%d.2D, V%d.2S", spare, from)
	m.three(p, neonThree[recipe.Add], to, to, spare)
	fn.Word(0x4e617800|uint32(from)<<5|uint32(spare), "FCVTL2 V%d.2D, V%d.4S", spare, from)
	m.three(p, neonThree[recipe.Add], to+1, to+1, spare)
}

func (m *neon) zero(p *placer, r int) { m.logic(p, neonLogic[recipe.IXor], r, r, r) }

// start makes an accumulator that has seen no element.
func (m *neon) start(p *placer, op recipe.FoldOp, r int) {
	if op.IsSum() {
		m.zero(p, r)
		return
	}
	m.constant(p, r, startOf(op, p.elem))
}

// results joins the lanes of every fold, in pairs that are half of what is left apart, and writes what they give. The
// registers after the accumulators are free.
func (m *neon) results(fn *Func, pl plan) {
	m.endRuns(fn, pl)
	spare := pl.accumulators()
	pl.eachFold(totalsOf(m), func(n int, f recipe.Fold, at, count int) {
		for half := count / 2; half > 0; half /= 2 {
			for r := range half {
				m.foldLanes(fn, f.Op, pl.elem, at+r, at+half+r, spare)
			}
		}
		size := resultSize(f, pl.elem)
		for bytes := m.bytes() / 2; bytes >= size; bytes /= 2 {
			fn.Op("VEXT", fmt.Sprintf("$%d", bytes), fmt.Sprintf("V%d.B16", at), fmt.Sprintf("V%d.B16", at), fmt.Sprintf("V%d.B16", spare))
			m.foldLanes(fn, f.Op, pl.elem, at, spare, spare+1)
		}
		fn.Op(map[int]string{4: "FMOVS", 8: "FMOVD"}[size], fmt.Sprintf("F%d", at), fmt.Sprintf("%d(%s)", n*size, neonResults))
	})
}

// foldLanes folds the lanes of register b with those of a, into a. The spare register and the next one may change.
func (m *neon) foldLanes(fn *Func, op recipe.FoldOp, elem recipe.Elem, a, b, spare int) {
	if op.IsSum() && !isInt(elem) {
		elem = recipe.F64
	}
	p := &placer{program: &program{elem: elem}, fn: fn}
	switch {
	case op.IsSum():
		m.three(p, neonAddition(elem), a, a, b)
		return
	case op == recipe.FoldProduct:
		m.three(p, neonThree[recipe.Mul], a, a, b)
		return
	}
	m.extreme(p, op, a, b, spare, spare+1, none)
}
