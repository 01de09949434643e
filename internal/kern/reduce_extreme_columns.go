package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// leastColumns is the least number of columns that are reduced side by side, which makes max_columns/128x128 nine times as fast
// and sum_columns/128x128 twelve times; fewer are gathered.
const leastColumns = 8

// An extremeKind is what the search for the largest element has and that for the smallest has otherwise.
type extremeKind[T dtype.Number] struct {
	rows    vec.RowLoop
	columns vec.Loop
	better  func(v, best T) bool
	pair    func(row []T) (T, int64)
}

// MaxMiddle writes the largest of src[o][:][i] to value[o][i] and its first index to index[o][i], either of which may be
// nil. NaN is larger than any number.
func MaxMiddle[T dtype.Number](value []T, index []int64, src []T, outer, n, inner int) error {
	k := extremeKind[T]{vec.Largest, vec.MaxColumns, larger[T], MaxRow[T]}
	return k.reduce(value, index, src, outer, n, inner)
}

// MinMiddle is MaxMiddle for the smallest elements. NaN is smaller than any number.
func MinMiddle[T dtype.Number](value []T, index []int64, src []T, outer, n, inner int) error {
	k := extremeKind[T]{vec.Smallest, vec.MinColumns, smaller[T], MinRow[T]}
	return k.reduce(value, index, src, outer, n, inner)
}

func (k *extremeKind[T]) reduce(value []T, index []int64, src []T, outer, n, inner int) error {
	switch {
	case inner >= leastColumns && n <= math.MaxInt32:
		k.ofColumns(value, index, src, outer, n, inner)
	case inner == 1 && n <= piece:
		k.ofLines(value, index, src, outer, n)
	default:
		return forEachRow(src, outer, n, inner, func(i int, row []T) {
			v, at := k.pair(row)
			if value != nil {
				value[i] = v
			}
			if index != nil {
				index[i] = at
			}
		})
	}
	return nil
}

// ofLines reduces rows of n elements, many in one call of a vector loop: max_rows/128x128 takes a quarter of the time so.
func (k *extremeKind[T]) ofLines(value []T, index []int64, src []T, outer, n int) {
	par.For(outer, max(1, piece/max(n, 1)), func(lo, hi int) {
		var values [rowBlock]T
		var places [rowBlock]int64
		for ; lo < hi; lo += rowsOf(n) {
			next := min(lo+rowsOf(n), hi)
			v, at, x := values[:next-lo], places[:next-lo], src[lo*n:next*n]
			if !extremesOfRows(k.rows, v, at, x, n) {
				for r := range v {
					v[r], at[r] = k.pair(x[r*n:][:n])
				}
			}
			if value != nil {
				copy(value[lo:], v)
			}
			if index != nil {
				copy(index[lo:], at)
			}
		}
	})
}

// ofColumns compares a strip of accumulators, the best elements of its columns and their rows, with one row after the other.
func (k *extremeKind[T]) ofColumns(value []T, index []int64, src []T, outer, n, inner int) {
	forStrips(outer, n, inner, func(from, to, count int) {
		var bestSpace [stripColumns]T
		var atSpace [stripColumns]int32
		best, at := bestSpace[:count], atSpace[:count]
		copy(best, src[from:])
		for r := 1; r < n; r++ {
			k.row(best, at, src[from+r*inner:][:count], r)
		}
		if value != nil {
			copy(value[to:], best)
		}
		if index == nil {
			return
		}
		for i, r := range at {
			index[to+i] = int64(r)
		}
	})
}

// row updates the best elements, and the rows that they come from, with row r.
func (k *extremeKind[T]) row(best []T, at []int32, row []T, r int) {
	for i := vec.Binary(k.columns, best, at, row, withBits[T](r)); i < len(best); i++ {
		v, b := row[i], best[i]
		if k.better(v, b) || v != v && b == b {
			best[i], at[i] = v, int32(r)
		}
	}
}

// withBits returns the number that has the bits of a small integer.
func withBits[T dtype.Number](n int) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = math.Float32frombits(uint32(n))
	case *float64:
		*p = math.Float64frombits(uint64(n))
	default:
		v = T(n)
	}
	return v
}
