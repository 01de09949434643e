package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// span is about how many elements of a row that repeats lie side by side: enough that a call costs little, and few enough
// that they stay in the L1 cache beside the other operands. Of a huge result they are so many that it is written around the
// caches; those of the row then stay in the L2 cache.
const span = 2048

func spanOf(n int) int {
	if n < huge {
		return span
	}
	return vec.Around + span
}

// mapRepeated is pair.run where an operand is a row that all rows of the result meet, as a bias is: a few copies of the row
// are laid side by side, and the loop takes as many rows of the others at once, without a thought for where one ends. It
// reports false, having done nothing, for other layouts.
func mapRepeated[D, A, B dtype.Element](loop func(dst []D, a []A, b []B), out, x, y *backend.View) (bool, error) {
	w := newWalk(out, x, y)
	defer walks.Put(w)
	if !w.repeats() {
		return false, nil
	}
	rows, cols := w.loop.Extents[w.loop.Rank-2], w.inner
	copies := min(copiesOf(cols, spanOf(w.size)), rows)
	share := (pieceOf(w.size)/cols + copies) / copies * copies
	dst := data[D](out)
	return true, kern.ForWithLoans(w.loop.Runs()/rows, max(1, pieceOf(w.size)/(rows*cols)), copies*cols, func(lo, hi int, spaceA []A, spaceB []B) {
		for plane := lo; plane < hi; plane++ {
			first := plane * rows
			m := matrix[D, A, B]{
				loop, dst[w.loop.Start(0, first):], repeatedOf(w, x, 1, first, spaceA), repeatedOf(w, y, 2, first, spaceB), cols, copies,
			}
			if par.Inline(rows, share) {
				m.run(0, rows)
				continue
			}
			shared := m // which the team keeps, unlike m
			par.For(rows, share, shared.run)
		}
	})
}

// matrix is a result of rows side by side, and its operands.
type matrix[D, A, B dtype.Element] struct {
	loop         func(dst []D, a []A, b []B)
	dst          []D
	a            repeated[A]
	b            repeated[B]
	cols, copies int
}

// run computes rows.
func (m *matrix[D, A, B]) run(lo, hi int) {
	for ; lo < hi; lo += m.copies {
		from, to := lo*m.cols, min(lo+m.copies, hi)*m.cols
		m.loop(m.dst[from:to], m.a.part(from, to), m.b.part(from, to))
	}
}

// repeated is an operand that has all rows, or copies of one.
type repeated[T dtype.Element] struct {
	elems []T
	isRow bool
}

// repeatedOf returns an operand's rows from a run on, in space where it has one for all.
func repeatedOf[T dtype.Element](w *walk, v *backend.View, operand, run int, space []T) repeated[T] {
	elems := data[T](v)[w.loop.Start(operand, run):]
	if !w.isRow(operand) {
		return repeated[T]{elems: elems}
	}
	n := copy(space, elems[:w.inner])
	for n < len(space) {
		n += copy(space[n:], space[:n])
	}
	return repeated[T]{space, true}
}

func (r *repeated[T]) part(from, to int) []T {
	if r.isRow {
		return r.elems[:to-from]
	}
	return r.elems[from:to]
}

// repeats reports whether the rows of the result lie side by side, those of the operands too or one row serves all, and that
// of at least one does.
func (w *walk) repeats() bool {
	if w.size == 0 || w.loop.Rank < 2 || w.inner > vec.Around || !w.adjoins(0) {
		return false
	}
	found := false
	for k := 1; k < w.loop.N; k++ {
		switch {
		case w.isRow(k):
			found = true
		case !w.adjoins(k):
			return false
		}
	}
	return found
}

// adjoins reports whether the rows of operand k lie side by side.
func (w *walk) adjoins(k int) bool {
	return w.loop.InnerStep(k) == 1 && w.loop.Steps[k][w.loop.Rank-2] == w.inner
}

// isRow reports whether operand k is one row for all.
func (w *walk) isRow(k int) bool {
	return w.loop.InnerStep(k) == 1 && w.loop.Steps[k][w.loop.Rank-2] == 0
}

// line is how many float32 fill a cache line.
const line = 16

// copiesOf returns how many copies of a row lie side by side: about span elements, and where that is not far more so many
// that the next row starts where a cache line does.
func copiesOf(cols, span int) int {
	n := (span + cols - 1) / cols
	unit := line / min(cols&-cols, line)
	if whole := (n + unit - 1) / unit * unit; whole*cols <= 2*span {
		return whole
	}
	return n
}
