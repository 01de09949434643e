package kern

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// extreme is the largest or smallest element of a row and its index.
type extreme[T dtype.Number] struct {
	value T
	at    int64
}

// MaxRow returns the largest element of a row that is not empty, and its first index. NaN is larger than any number.
func MaxRow[T dtype.Number](row []T) (T, int64) { return extremeRow(vec.Largest, larger, row) }

// MinRow returns the smallest element of a row that is not empty, and its first index. NaN is smaller than any number.
func MinRow[T dtype.Number](row []T) (T, int64) { return extremeRow(vec.Smallest, smaller, row) }

func larger[T dtype.Number](v, best T) bool  { return v > best }
func smaller[T dtype.Number](v, best T) bool { return v < best }

func extremeRow[T dtype.Number](loop vec.RowLoop, better func(v, best T) bool, row []T) (T, int64) {
	if len(row) <= piece {
		e := extremePiece(loop, better, row, 0)
		return e.value, e.at
	}
	e := inPieces(len(row), func(lo, hi int) extreme[T] { return extremePiece(loop, better, row[lo:hi], lo) }, func(a, b extreme[T]) extreme[T] {
		if better(b.value, a.value) || isNaN(b.value) && !isNaN(a.value) {
			return b
		}
		return a
	})
	return e.value, e.at
}

func extremePiece[T dtype.Number](loop vec.RowLoop, better func(v, best T) bool, row []T, start int) extreme[T] {
	if v, ok := vectorExtreme(loop, row); ok {
		return locate(row, v, start)
	}
	best, at := row[0], 0
	for i, v := range row {
		if isNaN(v) {
			best, at = v, i
			break
		}
		if better(v, best) {
			best, at = v, i
		}
	}
	return extreme[T]{best, int64(start + at)}
}

// vectorExtreme returns the largest element of a row, or the smallest, NaN where one is: of zeros of both signs any. It
// is not ok where no vector loop has one.
func vectorExtreme[T dtype.Number](loop vec.RowLoop, row []T) (best T, ok bool) {
	var result [1]T
	ok = vec.Rows(loop, len(row), nil, result[:], row)
	return result[0], ok
}

// locate returns the first element of a row that equals v, which is there, or the first NaN.
func locate[T dtype.Number](row []T, v T, start int) extreme[T] {
	var at [1]int64
	if !vec.Rows(vec.First, len(row), []T{v}, at[:], row) || at[0] < 0 {
		at[0] = int64(firstEqual(row, v))
	}
	return extreme[T]{row[at[0]], int64(start) + at[0]}
}

// extremesOfRows writes the extremes of at most rowBlock rows of n elements and their places. It does nothing, and tells so,
// where no vector loop has them.
func extremesOfRows[T dtype.Number](loop vec.RowLoop, value []T, index []int64, x []T, n int) bool {
	if !vec.Rows(loop, n, nil, value, x) || !vec.Rows(vec.First, n, value, index, x) {
		return false
	}
	for r, at := range index {
		row := x[r*n:][:n]
		if at < 0 {
			at = int64(firstEqual(row, value[r])) // NaN equals nothing
		}
		value[r], index[r] = row[at], at // of zeros the first
	}
	return true
}

// firstEqual returns the first index of v, where v is NaN that of the first NaN, -1 where there is none.
func firstEqual[T dtype.Number](x []T, v T) int {
	if isNaN(v) {
		return slices.IndexFunc(x, isNaN[T])
	}
	return slices.Index(x, v)
}

// ShareGrad divides dy evenly among the elements of x that equal y, the extreme of the row, and gives the others 0.
func ShareGrad[T dtype.Float](dy, y T, x, dx []T) {
	count := 0
	for _, v := range x {
		if v == y || isNaN(v) && isNaN(y) {
			count++
		}
	}
	share := dy / T(count)
	for i, v := range x {
		dx[i] = 0
		if v == y || isNaN(v) && isNaN(y) {
			dx[i] = share
		}
	}
}

// isNaN reports whether v is no number; an integer always is one.
func isNaN[T dtype.Number](v T) bool { return v != v }
