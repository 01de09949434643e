package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

const (
	columnRows  = 128 // rows that one call takes, of numbers that lie apart
	columnLeast = 8   // elements of a row that are worth a vector
)

// columned is sided with loops over rows for a column that meets them as the second operand, and as the first.
func columned[T dtype.Number](loop func(dst, a, b []T), l vec.Loop, second, first vec.RowLoop) Kernel {
	p := sidedPair[T](loop, l)
	p.columns = func(d []T, n int, a, b []T, around bool) bool {
		if len(b) < len(a) {
			return kern.BesideColumn(second, n, b, d, a, around)
		}
		return kern.BesideColumn(first, n, a, d, b, around)
	}
	return p.run
}

// mapColumns is pair.run where the rows of the result and of one operand lie side by side and the other is a column, one element
// for each row. It reports false, having done nothing, for other layouts.
func (p pair[D, A, B]) mapColumns(out, x, y *backend.View) bool {
	w := newWalk(out, x, y)
	defer walks.Put(w)
	if p.side == nil || w.size == 0 || w.loop.Rank < 2 || w.inner < columnLeast || !w.adjoins(0) || !w.sides() || x.IsConst() || y.IsConst() {
		return false
	}
	whole, column := 1, 2
	if w.loop.InnerStep(1) == 0 {
		whole, column = 2, 1
	}
	if !w.adjoins(whole) {
		return false
	}
	m := besideColumn[D, A, B]{pair: p, n: w.inner, around: w.size >= huge}
	rows, step := w.loop.Extents[w.loop.Rank-2], w.loop.Steps[column][w.loop.Rank-2]
	height := min(columnRows, max(1, vec.Around/m.n))
	d, a, b := data[D](out), data[A](x), data[B](y)
	par.For(w.loop.Runs(), max(1, pieceOf(w.size)/m.n), func(lo, hi int) {
		m := m // its room is the thread's own
		for lo < hi {
			count := min(height, rows-lo%rows, hi-lo)
			at := w.corner(lo, 0)
			a, b := a[at[1]:], b[at[2]:]
			if column == 2 {
				m.run(d[at[0]:][:count*m.n], a[:count*m.n], takeColumn(m.numbersB[:count], b, step))
			} else {
				m.run(d[at[0]:][:count*m.n], takeColumn(m.numbersA[:count], a, step), b[:count*m.n])
			}
			lo += count
		}
	})
	return true
}

func takeColumn[T dtype.Element](numbers, from []T, step int) []T {
	for i := range numbers {
		numbers[i] = from[i*step]
	}
	return numbers
}

// besideColumn is a pair of which one operand has a number for each row of n elements of the other.
type besideColumn[D, A, B dtype.Element] struct {
	pair[D, A, B]
	n        int
	around   bool
	numbersA [columnRows]A
	numbersB [columnRows]B
	roomA    []A
	roomB    []B
}

func (m *besideColumn[D, A, B]) run(d []D, a []A, b []B) {
	if m.columns != nil && m.columns(d, m.n, a, b, m.around) {
		return
	}
	for row := 0; row*m.n < len(d); row++ {
		d := d[row*m.n:][:m.n]
		if len(b) < len(a) {
			a := a[row*m.n:][:m.n]
			done := m.side(d, flat[A]{elems: a}, flat[B]{value: b[row], repeated: true})
			m.roomB = repeatIn(m.roomB, b[row], m.n-done)
			m.inChunks(done, func(lo, hi int) { m.loop(d[lo:hi], a[lo:hi], m.roomB[:hi-lo]) })
			continue
		}
		b := b[row*m.n:][:m.n]
		done := m.side(d, flat[A]{value: a[row], repeated: true}, flat[B]{elems: b})
		m.roomA = repeatIn(m.roomA, a[row], m.n-done)
		m.inChunks(done, func(lo, hi int) { m.loop(d[lo:hi], m.roomA[:hi-lo], b[lo:hi]) })
	}
}

// inChunks calls f for what is left of a row from done on.
func (m *besideColumn[D, A, B]) inChunks(done int, f func(lo, hi int)) {
	for lo := done; lo < m.n; lo += chunk {
		f(lo, min(lo+chunk, m.n))
	}
}

// repeatIn is a room that holds v n times, at most a chunk.
func repeatIn[T dtype.Element](room []T, v T, n int) []T {
	if len(room) < min(n, chunk) {
		room = make([]T, min(n, chunk))
	}
	fill(room[:min(n, chunk)], v)
	return room
}
