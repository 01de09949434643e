package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/par"
)

// short is the least extent of an axis that is worth turning.
const short = 8

// transpose copies between layouts of which one lies along an axis that the other strides along. It reports false, having
// done nothing, for other layouts.
func transpose[T dtype.Element](out, in *backend.View) bool {
	w := newWalk(out, in)
	defer walks.Put(w)
	if w.size == 0 || !w.turn(1) {
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

// turn moves the axis along which operand k lies next to the innermost one, along which the first does. It reports false
// where there are no such two axes, or they are short.
func (w *walk) turn(k int) bool {
	l, last := &w.loop, w.loop.Rank-1
	if l.InnerStep(0) != 1 || l.InnerStep(k) <= 1 || l.Inner() < short {
		return false
	}
	for axis := range last {
		if l.Steps[k][axis] != 1 || l.Extents[axis] < short {
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

// A block is what mapAcross turns at a time: its elements stay in the L2 cache.
const (
	blockRows = 64
	blockCols = 1024
)

// mapAcross is pair.run where an operand lies across the result, as a transposed matrix does: blocks of it are turned, so
// that every cache line of it is read once. It reports false, having done nothing, for other layouts.
func mapAcross[D, A, B dtype.Element](loop func(dst []D, a []A, b []B), out, x, y *backend.View) bool {
	w := newWalk(out, x, y)
	defer walks.Put(w)
	if w.size == 0 || !w.turn(1) && !w.turn(2) {
		return false
	}
	rows, cols := w.loop.Extents[w.loop.Rank-2], w.inner
	panels := (rows + blockRows - 1) / blockRows
	par.For(w.loop.Runs()/rows*panels, max(1, grain/(blockRows*cols)), func(lo, hi int) {
		dst, a, b := newCursor[D](w, out, 0), newAcross[A](w, x, 1), newAcross[B](w, y, 2)
		for p := lo; p < hi; p++ {
			first := p % panels * blockRows
			for col := 0; col < cols; col += blockCols {
				at := w.corner(p/panels*rows+first, col)
				height, n := min(blockRows, rows-first), min(blockCols, cols-col)
				a.turn(w, &at, height, n)
				b.turn(w, &at, height, n)
				for row := range height {
					loop(dst.result(w, &at, n), a.row(w, &at, row, n), b.row(w, &at, row, n))
					w.down(&at)
				}
			}
		}
	})
	return true
}

// across reads an operand of a walk that turn has prepared, by blocks where it lies across the result.
type across[T dtype.Element] struct {
	cursor[T]
	block []T // turned; nil where the operand lies otherwise
	pitch int // between its rows
}

func newAcross[T dtype.Element](w *walk, v *backend.View, operand int) across[T] {
	c := across[T]{cursor: newCursor[T](w, v, operand)}
	if w.loop.InnerStep(operand) > 1 && w.loop.Steps[operand][w.loop.Rank-2] == 1 {
		c.pitch = min(blockCols, w.inner)
		c.block = make([]T, c.pitch*min(blockRows, w.loop.Extents[w.loop.Rank-2]))
	}
	return c
}

// turn fills the block whose corner is at.
func (c *across[T]) turn(w *walk, at *[layout.MaxOperands]int, rows, cols int) {
	if c.block != nil {
		kern.Transpose(c.block, c.pitch, c.data[at[c.operand]:], w.loop.InnerStep(c.operand), cols, rows)
	}
}

// row returns n elements of a row of the block, which begins at at.
func (c *across[T]) row(w *walk, at *[layout.MaxOperands]int, row, n int) []T {
	if c.block != nil {
		return c.block[row*c.pitch:][:n]
	}
	return c.load(w, at, n)
}
