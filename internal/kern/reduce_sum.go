package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// SumMiddle is dst[o][i] = Σ_k src[o][k][i]. Floats are added in an order that n alone decides, as lanes.go and
// reduce_columns.go tell; sums of integers are int64, as PyTorch's.
func SumMiddle[D, S dtype.Number](dst []D, src []S, outer, n, inner int) {
	if inner == 1 && outer == 1 {
		dst[0] = SumRow[D](src)
		return
	}
	if inner == 1 {
		if isFloat[S]() {
			sumFloatRows(src, n, dst, 1)
			return
		}
		forEachLine(src, outer, n, func(at int, row []S) { dst[at] = SumRow[D](row) })
		return
	}
	if isFloat[S]() {
		sumFloatColumns(dst, src, outer, n, inner, 1)
		return
	}
	sumColumns(dst, src, outer, n, inner)
}

// MeanMiddle is dst[o][i] = Σ_k src[o][k][i] / n.
func MeanMiddle[D, S dtype.Float](dst []D, src []S, outer, n, inner int) {
	if inner == 1 {
		sumFloatRows(src, n, dst, float64(n))
		return
	}
	sumFloatColumns(dst, src, outer, n, inner, float64(n))
}

// sumFloatRows writes the sum of each row of n floats over a divisor.
func sumFloatRows[D, S dtype.Number](src []S, n int, dst []D, divisor float64) {
	if len(dst) == 1 {
		dst[0] = D(sumFloats(src) / divisor)
		return
	}
	par.For(len(dst), max(1, piece/max(n, 1)), func(lo, hi int) {
		var sums [rowBlock]float64
		for ; lo < hi; lo += rowBlock {
			next := min(lo+rowBlock, hi)
			sumRows(src[lo*n:next*n], n, sums[:next-lo])
			for r, sum := range sums[:next-lo] {
				dst[lo+r] = D(sum / divisor)
			}
		}
	})
}

// SumRow returns the sum of a row.
func SumRow[D, S dtype.Number](row []S) D {
	if isFloat[S]() {
		return D(sumFloats(row))
	}
	if len(row) <= piece {
		return D(sumIntegers(row))
	}
	return D(inPieces(len(row), func(lo, hi int) int64 { return sumIntegers(row[lo:hi]) }, plus))
}

func sumFloats[S dtype.Number](row []S) float64 {
	if len(row) <= piece {
		return sumPiece(row)
	}
	return inPieces(len(row), func(lo, hi int) float64 { return sumPiece(row[lo:hi]) }, plus)
}

func sumIntegers[S dtype.Number](s []S) int64 {
	var vector [1]int64
	switch x := any(s).(type) {
	case []int64:
		if vec.Rows(vec.Sum, len(x), nil, vector[:], x) {
			return vector[0]
		}
	case []int32:
		if vec.RowsInto(vec.SumI32, len(x), vector[:], x) {
			return vector[0]
		}
	case []uint8:
		return sumBytes(x)
	}
	var sum int64
	for _, v := range s {
		sum += int64(v)
	}
	return sum
}

// sumColumns adds rows of integers into strips of sums, without gathering.
func sumColumns[D, S dtype.Number](dst []D, src []S, outer, n, inner int) {
	forStrips(outer, n, inner, func(from, to, count int) {
		var space [stripColumns]int64
		sums := space[:count]
		for k := range n {
			addIntegers(sums, src[from+k*inner:][:count])
		}
		for i, v := range sums {
			dst[to+i] = D(v)
		}
	})
}

// addIntegers is sums[i] += row[i].
func addIntegers[S dtype.Number](sums []int64, row []S) {
	done := 0
	switch x := any(row).(type) {
	case []int64:
		done = vec.Binary(vec.Add, sums, sums, x)
	case []int32:
		done = vec.Into(vec.AddI32, sums, x)
	case []uint8:
		done = vec.Into(vec.AddU8, sums, x)
	}
	sums, row = sums[done:], row[done:len(sums)]
	for i, v := range row {
		sums[i] += int64(v)
	}
}

// isFloat reports whether T keeps fractions.
func isFloat[T dtype.Number]() bool {
	half := 0.5
	return T(half) != 0
}
