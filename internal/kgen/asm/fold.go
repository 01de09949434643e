package asm

import (
	"math"

	"cresset/internal/kgen/recipe"
)

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

// startOf is what the lanes start with of a fold that is no sum: 1, or what is less or more than any number.
func startOf(op recipe.FoldOp, elem recipe.Elem) uint64 {
	sign := uint64(1) << (8*elem.Size() - 1)
	switch {
	case op == recipe.FoldProduct:
		return math.Float64bits(1)
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

// eachFold visits the folds with the first of the registers that hold a fold's lanes and their number, which is totals for
// one that adds in runs.
func (pl plan) eachFold(totals int, visit func(n int, f recipe.Fold, at, count int)) {
	first, total := 0, len(pl.loop.Folds)*pl.unit
	for n, f := range pl.loop.Folds {
		if f.Op.InRuns(pl.elem) {
			visit(n, f, total, totals)
			total += totals
		} else {
			visit(n, f, first, pl.unit)
		}
		first += pl.unit
	}
}
