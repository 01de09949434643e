package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/par"
)

// tile is the side of a square that a transposing copy turns at a time: a row of it fills cache lines, of four bytes one.
const tile = 16

// transpose copies between layouts of which one lies along an axis that the other strides along, in squares, so that every
// cache line is read and written once. It reports false, having done nothing, for other layouts.
func transpose[T dtype.Element](out, in *backend.View) bool {
	w := newWalk(out, in)
	defer walks.Put(w)
	if w.size == 0 || !w.turn() {
		return false
	}
	last := w.loop.Rank - 1
	rows, cols := w.loop.Extents[last-1], w.loop.Extents[last]
	m := turned[T]{data[T](out), data[T](in), w.loop.Steps[0][last-1], w.loop.Steps[1][last]}
	panels := (rows + tile - 1) / tile
	par.For(w.loop.Runs()/rows*panels, max(1, grain/(tile*cols)), func(lo, hi int) {
		for p := lo; p < hi; p++ {
			first := p % panels * tile
			run := p/panels*rows + first
			m.panel(w.loop.Start(0, run), w.loop.Start(1, run), min(tile, rows-first), cols)
		}
	})
	return true
}

// turn moves the axis along which the second operand lies next to the innermost one, along which the first does. It
// reports false where there are no such two axes, or they are short.
func (w *walk) turn() bool {
	l, last := &w.loop, w.loop.Rank-1
	if l.InnerStep(0) != 1 || l.InnerStep(1) == 1 || l.Inner() < tile {
		return false
	}
	for axis := range last {
		if l.Steps[1][axis] != 1 || l.Extents[axis] < tile {
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

// turned is a matrix whose rows lie dstStep apart in dst and whose columns lie srcStep apart in src.
type turned[T dtype.Element] struct {
	dst, src         []T
	dstStep, srcStep int
}

// panel copies a few rows, at most tile.
func (m *turned[T]) panel(to, from, rows, cols int) {
	var square [tile][tile]T
	done := 0
	for ; rows == tile && done+tile <= cols; done += tile {
		for c := range tile {
			column := (*[tile]T)(m.src[from+(done+c)*m.srcStep:])
			for r := range tile {
				square[r][c] = column[r]
			}
		}
		for r := range tile {
			*(*[tile]T)(m.dst[to+r*m.dstStep+done:]) = square[r]
		}
	}
	for r := range rows {
		row := m.dst[to+r*m.dstStep:][:cols]
		for c := done; c < cols; c++ {
			row[c] = m.src[from+c*m.srcStep+r]
		}
	}
}
