package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/par"
)

// short is the least extent of an axis that is worth turning.
const short = 8

// transpose copies between layouts of which one lies along an axis that the other strides along. It reports false, having
// done nothing, for other layouts.
func transpose[T dtype.Element](out, in *backend.View) bool {
	w := newWalk(out, in)
	defer walks.Put(w)
	if w.size == 0 || !w.turn() {
		return false
	}
	last := w.loop.Rank - 1
	cols, rows := w.loop.Extents[last-1], w.loop.Extents[last] // of the matrix that is turned, in
	dst, src := data[T](out), data[T](in)
	rowDst, rowSrc := w.loop.Steps[0][last-1], w.loop.Steps[1][last]
	panels := (cols + kern.TransposePanel - 1) / kern.TransposePanel
	par.For(w.loop.Runs()/cols*panels, max(1, grain/(kern.TransposePanel*rows)), func(lo, hi int) {
		for p := lo; p < hi; p++ {
			first := p % panels * kern.TransposePanel
			run := p/panels*cols + first
			kern.Transpose(dst[w.loop.Start(0, run):], rowDst, src[w.loop.Start(1, run):], rowSrc, rows, min(kern.TransposePanel, cols-first))
		}
	})
	return true
}

// turn moves the axis along which the second operand lies next to the innermost one, along which the first does. It
// reports false where there are no such two axes, or they are short.
func (w *walk) turn() bool {
	l, last := &w.loop, w.loop.Rank-1
	if l.InnerStep(0) != 1 || l.InnerStep(1) == 1 || l.Inner() < short {
		return false
	}
	for axis := range last {
		if l.Steps[1][axis] != 1 || l.Extents[axis] < short {
			continue
		}
		for ; axis < last-1; axis++ {
			l.Extents[axis], l.Extents[axis+1] = l.Extents[axis+1], l.Extents[axis]
			for k := range l.N {
				l.Steps[k][axis], l.Steps[k][axis+1] = l.Steps[k][axis+1], l.Steps[k][axis]
			}
		}
		return true
	}
	return false
}
