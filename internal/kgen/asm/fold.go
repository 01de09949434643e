package asm

import "cresset/internal/kgen/recipe"

// Folds keep their lanes in registers from iteration to iteration, in accumulators: successive vector registers hold successive
// lanes. A body has a multiple of unit chains, so that each chain always adds to the same lanes. The registers after the
// accumulators of all folds hold the totals of those that are made in runs, and a vector for the end of a run.

// unitOf returns how many vectors of elements hold one of each lane.
func unitOf(m machine, l *recipe.Loop) int {
	if len(l.Folds) == 0 {
		return 1
	}
	return l.Lanes * recipe.LaneBytes / m.bytes()
}

// totalsOf returns how many vectors hold the totals of a fold in runs: as many float64 as there are float32 in LaneBytes.
func totalsOf(m machine) int { return 2 * recipe.LaneBytes / m.bytes() }

// accumulators returns what a loop's folds keep.
func accumulators(m machine, l *recipe.Loop, elem recipe.Elem) []value {
	var all []value
	add := func(op recipe.FoldOp, count int) {
		for range count {
			all = append(all, value{shared: accumulator, bits: uint64(op), scalar: len(all)})
		}
	}
	totals := 0
	for _, f := range l.Folds {
		if f.Op == recipe.FoldFirst {
			return nil
		}
		add(f.Op, unitOf(m, l))
		if f.Op.InRuns(elem) {
			totals += totalsOf(m)
		}
	}
	if totals > 0 {
		add(recipe.FoldSum, totals+1)
	}
	return all
}

// folds adds the instructions that take the values of a chain into accumulators.
func (w *lowering) folds(c, unit int) {
	for n, f := range w.loop.Folds {
		in := inst{kind: fold, dst: none, fold: f.Op, chain: c}
		if f.Op != recipe.FoldFirst {
			in.acc = w.accs[n*unit+c%unit]
		}
		for _, r := range f.Args {
			in.args = append(in.args, w.of[c][r])
		}
		w.insts = append(w.insts, in)
	}
}

// startOf is what the lanes start with of a fold that is no sum: what is less or more than any number.
func startOf(op recipe.FoldOp, elem recipe.Elem) uint64 {
	sign := uint64(1) << (8*elem.Size() - 1)
	switch {
	case isInt(elem) && op == recipe.FoldMin:
		return sign - 1
	case isInt(elem):
		return sign
	}
	bits := uint64(0xfff << 52)
	if elem == recipe.F32 {
		bits = 0x1ff << 23
	}
	if op == recipe.FoldMin {
		bits &^= sign
	}
	return bits
}

func isInt(elem recipe.Elem) bool { return elem == recipe.I32 || elem == recipe.I64 }

// A folder is a machine that folds.
type folder interface {
	machine
	// addFloats adds a register of float32 to another, addWidened one to two of float64, and zero clears one.
	addFloats(fn *Func, from, to int)
	addWidened(fn *Func, from, to, spare int)
	zero(fn *Func, r int)
	// unlessMultiple jumps unless the number of elements so far is a multiple of a power of two.
	unlessMultiple(fn *Func, count int, label string)
	// foldVectors folds the lanes of register b with those of a, into a. The spare register and the next one may change.
	foldVectors(fn *Func, op recipe.FoldOp, elem recipe.Elem, a, b, spare int)
}

// inRuns reports whether the loop's folds are sums that are made in runs.
func (pl plan) inRuns() bool {
	return len(pl.loop.Folds) > 0 && pl.loop.Folds[0].Op.InRuns(pl.elem)
}

// endOfRun ends runs that are full, else jumps to the label after that.
func (pl plan) endOfRun(m folder, fn *Func, after string) {
	if !pl.inRuns() {
		return
	}
	m.unlessMultiple(fn, recipe.RunLength*pl.loop.Lanes*recipe.LaneBytes/pl.elem.Size(), after)
	pl.endRuns(m, fn)
	fn.Label(after)
}

// endRuns adds what runs gave to their totals, and starts new ones.
func (pl plan) endRuns(m folder, fn *Func) {
	first, total, vector := 0, len(pl.loop.Folds)*pl.unit, recipe.LaneBytes/m.bytes()
	for _, f := range pl.loop.Folds {
		if !f.Op.InRuns(pl.elem) {
			return
		}
		for half := pl.unit / 2; half >= vector; half /= 2 {
			for r := range half {
				m.addFloats(fn, first+half+r, first+r)
			}
		}
		for r := range vector {
			m.addWidened(fn, first+r, total+2*r, pl.accumulators()-1)
		}
		for r := range pl.unit {
			m.zero(fn, first+r)
		}
		first, total = first+pl.unit, total+totalsOf(m)
	}
}

// join joins the vectors of every fold's lanes, in pairs that are half of what is left apart, and visits the folds with the register
// that is left, which is of totals for one that adds in runs. The registers from spare on are free.
func (pl plan) join(m folder, fn *Func, visit func(n int, f recipe.Fold, at, spare int)) {
	pl.endRuns(m, fn)
	first, total, spare := 0, len(pl.loop.Folds)*pl.unit, pl.accumulators()
	for n, f := range pl.loop.Folds {
		at, count := first, pl.unit
		if f.Op.InRuns(pl.elem) {
			at, count = total, totalsOf(m)
			total += count
		}
		for half := count / 2; half > 0; half /= 2 {
			for r := range half {
				m.foldVectors(fn, f.Op, pl.elem, at+r, at+half+r, spare)
			}
		}
		visit(n, f, at, spare)
		first += pl.unit
	}
}
