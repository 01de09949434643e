package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// Reductions see their input as [outer][n][inner] and reduce the middle axis. What becomes of one run along that axis is
// told by a function of a row; a run that does not lie contiguously is gathered first. No result depends on the number
// of threads: a row longer than piece is always reduced in pieces of that length, and their results meet in order.

const (
	piece       = 1 << 15 // elements that one thread reduces at least
	reduceLanes = 16      // rows that are gathered together where inner is not 1: a cache line of float32
)

// Reduce is dst[o][i] = row(src[o][:][i]).
func Reduce[D, S dtype.Element](dst []D, src []S, outer, n, inner int, row func(row []S) D) {
	forEachRow(src, outer, n, inner, func(at int, s []S) { dst[at] = row(s) })
}

// ReducePair is dst[o][i], index[o][i] = row(src[o][:][i]).
func ReducePair[D, S dtype.Element](dst []D, index []int64, src []S, outer, n, inner int, row func(row []S) (D, int64)) {
	forEachRow(src, outer, n, inner, func(at int, s []S) { dst[at], index[at] = row(s) })
}

// forEachRow calls visit with every run along the middle axis, contiguous, and with the index of its result.
func forEachRow[S dtype.Element](src []S, outer, n, inner int, visit func(at int, row []S)) {
	if inner == 1 {
		par.For(outer, max(1, piece/max(n, 1)), func(lo, hi int) {
			for o := lo; o < hi; o++ {
				visit(o, src[o*n:(o+1)*n])
			}
		})
		return
	}
	blocks := ceilDiv(inner, reduceLanes)
	par.For(outer*blocks, max(1, piece/max(n*reduceLanes, 1)), func(lo, hi int) {
		rows := make([]S, reduceLanes*n)
		for b := lo; b < hi; b++ {
			o, first := b/blocks, b%blocks*reduceLanes
			count := min(reduceLanes, inner-first)
			for k := range n {
				for l, v := range src[(o*n+k)*inner+first:][:count] {
					rows[l*n+k] = v
				}
			}
			for l := range count {
				visit(o*inner+first+l, rows[l*n:(l+1)*n])
			}
		}
	})
}

// inPieces returns Σ part over the pieces of a row.
func inPieces[S dtype.Element, A float64 | int64](row []S, part func(s []S) A) A {
	if len(row) <= piece {
		return part(row)
	}
	parts := make([]A, ceilDiv(len(row), piece))
	par.Do(len(parts), func(i int) { parts[i] = part(row[i*piece : min((i+1)*piece, len(row))]) })
	sum := parts[0]
	for _, v := range parts[1:] {
		sum += v
	}
	return sum
}
