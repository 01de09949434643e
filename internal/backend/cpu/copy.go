package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// moveStrided copies elements between layouts, without scratch: what is strided is read and written where it lies.
func moveStrided[T dtype.Element](out, in *backend.View) {
	w := newWalk(out, in)
	dst, src := data[T](out), data[T](in)
	w.run(func(lo, hi int) {
		w.rows(lo, hi, func(at *[layout.MaxOperands]int, rows, n int) {
			d, s := stridedOf(w, dst, at, 0), stridedOf(w, src, at, 1)
			d.copyFrom(s, rows, n)
		})
	})
}

// rows calls visit for what [lo, hi) has of each matrix of whole runs, or for its tiles where a run has several, with the
// operands' storage offsets, the number of rows and of elements in each.
func (w *walk) rows(lo, hi int, visit func(at *[layout.MaxOperands]int, rows, n int)) {
	if w.perRun > 1 {
		w.tiles(lo, hi, func(at *[layout.MaxOperands]int, n int) { visit(at, 1, n) })
		return
	}
	height := 1
	if w.loop.Rank > 1 {
		height = w.loop.Extents[w.loop.Rank-2]
	}
	for lo < hi {
		at, rows := w.corner(lo, 0), min(height-lo%height, hi-lo)
		visit(&at, rows, w.inner)
		lo += rows
	}
}

// strided is a matrix as it lies: how far its rows, and the elements of one, lie apart.
type strided[T dtype.Element] struct {
	elems     []T
	row, step int
}

// stridedOf returns the rows of an operand from at on.
func stridedOf[T dtype.Element](w *walk, elems []T, at *[layout.MaxOperands]int, operand int) strided[T] {
	m := strided[T]{elems: elems[at[operand]:], step: w.loop.InnerStep(operand)}
	if w.loop.Rank > 1 {
		m.row = w.loop.Steps[operand][w.loop.Rank-2]
	}
	return m
}

// batch is how many elements of a line are copied without a check; fewer are copied sooner by themselves than by a call.
const batch = 8

// copyFrom copies rows of n elements from src, which does not overlap.
func (m strided[T]) copyFrom(src strided[T], rows, n int) {
	for r := range rows {
		to, from := m.elems[r*m.row:], src.elems[r*src.row:]
		switch {
		case m.step == 1 && src.step == 1 && n >= batch:
			copy(to[:n], from[:n])
		case m.step == 1 && src.step == 0:
			fill(to[:n], from[0])
		case m.step == 1:
			takeEvery(to[:n], from, src.step)
		case src.step == 1:
			putEvery(to, m.step, from[:n])
		default:
			for i := range n {
				to[i*m.step] = from[i*src.step]
			}
		}
	}
}

// takeEvery copies dst[i] = src[i*step], as of every second column.
func takeEvery[T dtype.Element](dst, src []T, step int) {
	for step == 2 && len(dst) > batch {
		d, s := (*[batch]T)(dst), (*[2 * batch]T)(src)
		d[0], d[1], d[2], d[3] = s[0], s[2], s[4], s[6]
		d[4], d[5], d[6], d[7] = s[8], s[10], s[12], s[14]
		dst, src = dst[batch:], src[2*batch:]
	}
	at := 0
	for i := range dst {
		dst[i] = src[at]
		at += step
	}
}

// putEvery copies dst[i*step] = src[i], as of what is stacked in pairs.
func putEvery[T dtype.Element](dst []T, step int, src []T) {
	for step == 2 && len(src) > batch {
		d, s := (*[2 * batch]T)(dst), (*[batch]T)(src)
		d[0], d[2], d[4], d[6] = s[0], s[1], s[2], s[3]
		d[8], d[10], d[12], d[14] = s[4], s[5], s[6], s[7]
		dst, src = dst[2*batch:], src[batch:]
	}
	at := 0
	for _, v := range src {
		dst[at] = v
		at += step
	}
}
