package asm

import "cresset/internal/kgen/recipe"

// Folds keep their lanes in registers from iteration to iteration, in accumulators: vectors of the machine that follow
// each other as the lanes do. A body has a multiple of unit chains, so that each chain always meets the same lanes.

// unitOf returns how many vectors of elements hold one of each lane.
func unitOf(m machine, l *recipe.Loop, elem recipe.Elem) int {
	if len(l.Folds) == 0 {
		return 1
	}
	return recipe.LaneBytes / m.bytes()
}

// perVector returns how many accumulators a fold has for one vector of elements: two where it widens them.
func perVector(f recipe.Fold, elem recipe.Elem) int {
	if f.Op.IsSum() && elem == recipe.F32 {
		return 2
	}
	return 1
}

// accumulators returns all of a loop's.
func accumulators(m machine, l *recipe.Loop, elem recipe.Elem) []value {
	var all []value
	for _, f := range l.Folds {
		for range unitOf(m, l, elem) * perVector(f, elem) {
			all = append(all, value{shared: accumulator, bits: uint64(f.Op), scalar: len(all)})
		}
	}
	return all
}

// folds adds the instructions that take values into accumulators.
func (w *lowering) folds(unit int) {
	first := 0
	for _, f := range w.loop.Folds {
		per := perVector(f, w.elem)
		for c := range w.of {
			in := inst{kind: fold, dst: none, fold: f.Op, chain: c}
			for _, r := range f.Args {
				in.args = append(in.args, w.of[c][r])
			}
			for k := range per {
				in.accs = append(in.accs, w.share(value{shared: accumulator, bits: uint64(f.Op), scalar: first + c%unit*per + k}))
			}
			w.insts = append(w.insts, in)
		}
		first += unit * per
	}
}
