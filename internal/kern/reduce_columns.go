package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// addRows adds as many rows as three go into n to sums, in order, and returns their number.
func addRows[S dtype.Number](sums []float64, src []S, n, stride int) int {
	loop := vec.AddRowsF32 + vec.Float64
	if _, ok := any(src).([]float64); ok {
		loop = vec.AddRowsF64
	}
	k := 0
	for ; k+3 <= n; k += 3 {
		a, b, c := src[k*stride:][:len(sums)], src[(k+1)*stride:][:len(sums)], src[(k+2)*stride:][:len(sums)]
		for i := vec.Ternary(loop, sums, a, b, c); i < len(sums); i++ {
			sums[i] = sums[i] + float64(a[i]) + float64(b[i]) + float64(c[i])
		}
	}
	return k
}

// leastColumns is how many columns are worth their own accumulators; fewer are gathered.
const leastColumns = 8

// MaxMiddle writes the largest of src[o][:][i] to value[o][i] and its first index to index[o][i], either of which may be
// nil. NaN is larger than any number.
func MaxMiddle[T dtype.Number](value []T, index []int64, src []T, outer, n, inner int) error {
	if f, ok := any(src).([]float32); ok && inner >= leastColumns && n <= math.MaxInt32 {
		values, _ := any(value).([]float32)
		extremeColumns(vec.MaxColumns, values, index, f, outer, n, inner)
		return nil
	}
	return extremeRows(value, index, src, outer, n, inner, MaxRow[T], MaxValueRow[T])
}

// MinMiddle is MaxMiddle for the smallest elements. NaN is smaller than any number.
func MinMiddle[T dtype.Number](value []T, index []int64, src []T, outer, n, inner int) error {
	if f, ok := any(src).([]float32); ok && inner >= leastColumns && n <= math.MaxInt32 {
		values, _ := any(value).([]float32)
		extremeColumns(vec.MinColumns, values, index, f, outer, n, inner)
		return nil
	}
	return extremeRows(value, index, src, outer, n, inner, MinRow[T], MinValueRow[T])
}

// extremeRows reduces rows one by one.
func extremeRows[T dtype.Number](value []T, index []int64, src []T, outer, n, inner int, pair func(row []T) (T, int64), single func(row []T) T) error {
	switch {
	case index == nil:
		return Reduce(value, src, outer, n, inner, single)
	case value == nil:
		return Reduce(index, src, outer, n, inner, func(row []T) int64 {
			_, at := pair(row)
			return at
		})
	}
	return ReducePair(value, index, src, outer, n, inner, pair)
}

// extremeColumns holds the best elements of a strip of columns, and their rows, against one row after the other.
func extremeColumns(loop vec.Loop, value []float32, index []int64, src []float32, outer, n, inner int) {
	strips := ceilDiv(inner, sumStrip)
	par.For(outer*strips, max(1, piece/max(n*min(inner, sumStrip), 1)), func(lo, hi int) {
		var bestSpace [sumStrip]float32
		var atSpace [sumStrip]int32
		for s := lo; s < hi; s++ {
			o, first := s/strips, s%strips*sumStrip
			count := min(sumStrip, inner-first)
			best, at := bestSpace[:count], atSpace[:count]
			copy(best, src[o*n*inner+first:])
			clear(at)
			for k := 1; k < n; k++ {
				extremeRow(loop, best, at, src[(o*n+k)*inner+first:][:count], k)
			}
			to := o*inner + first
			if value != nil {
				copy(value[to:], best)
			}
			if index != nil {
				for i, k := range at {
					index[to+i] = int64(k)
				}
			}
		}
	})
}

// extremeRow takes row k into the best elements and the rows that they come from.
func extremeRow(loop vec.Loop, best []float32, at []int32, row []float32, k int) {
	for i := vec.Binary(loop, best, at, row, math.Float32frombits(uint32(k))); i < len(best); i++ {
		v, b := row[i], best[i]
		if loop == vec.MaxColumns && v > b || loop == vec.MinColumns && v < b || v != v && b == b {
			best[i], at[i] = v, int32(k)
		}
	}
}
