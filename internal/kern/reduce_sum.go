package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// SumMiddle is dst[o][i] = Σ_k src[o][k][i]. Floats are accumulated in float64 in an order that n alone decides; sums of
// integers are int64, as PyTorch's.
func SumMiddle[D, S dtype.Number](dst []D, src []S, outer, n, inner int) {
	if inner == 1 && outer == 1 {
		dst[0] = SumRow[D](src)
		return
	}
	if inner == 1 {
		if isFloat[S]() {
			sumFloatRows(src, n, dst, func(sum float64) D { return D(sum) })
			return
		}
		forEachLine(src, outer, n, func(at int, row []S) { dst[at] = SumRow[D](row) })
		return
	}
	if isFloat[S]() {
		sumColumns(dst, src, outer, n, inner, func(sum float64) D { return D(sum) })
		return
	}
	sumColumns(dst, src, outer, n, inner, func(sum int64) D { return D(sum) })
}

// MeanMiddle is dst[o][i] = Σ_k src[o][k][i] / n.
func MeanMiddle[T dtype.Float](dst, src []T, outer, n, inner int) {
	if inner == 1 {
		sumFloatRows(src, n, dst, func(sum float64) T { return T(sum / float64(n)) })
		return
	}
	sumColumns(dst, src, outer, n, inner, func(sum float64) T { return T(sum / float64(n)) })
}

// sumFloatRows writes what becomes of the sum of each row of n floats.
func sumFloatRows[D, S dtype.Number](src []S, n int, dst []D, result func(sum float64) D) {
	if len(dst) == 1 {
		dst[0] = result(sumFloats(src))
		return
	}
	par.For(len(dst), max(1, piece/max(n, 1)), func(lo, hi int) {
		var sums [rowBlock]float64
		for ; lo < hi; lo += rowBlock {
			next := min(lo+rowBlock, hi)
			sumRows(src[lo*n:next*n], n, sums[:next-lo])
			for r, sum := range sums[:next-lo] {
				dst[lo+r] = result(sum)
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
	var sum int64
	for _, v := range s {
		sum += int64(v)
	}
	return sum
}

const sumStrip = 512 // columns that are added side by side: their accumulators stay in the L1 cache

// sumColumns adds rows into strips of accumulators, without gathering; each column is added in its own order.
func sumColumns[D, S dtype.Number, A float64 | int64](dst []D, src []S, outer, n, inner int, result func(sum A) D) {
	strips := ceilDiv(inner, sumStrip)
	par.For(outer*strips, max(1, piece/max(n*min(inner, sumStrip), 1)), func(lo, hi int) {
		var space [sumStrip]A
		for s := lo; s < hi; s++ {
			o, first := s/strips, s%strips*sumStrip
			acc := space[:min(sumStrip, inner-first)]
			clear(acc)
			k := 0
			if sums, ok := any(acc).([]float64); ok && n >= 3 {
				k = addRows(sums, src[o*n*inner+first:], n, inner)
			}
			for ; k < n; k++ {
				for i, v := range src[(o*n+k)*inner+first:][:len(acc)] {
					acc[i] += A(v)
				}
			}
			for i, v := range acc {
				dst[o*inner+first+i] = result(v)
			}
		}
	})
}

// isFloat reports whether T keeps fractions.
func isFloat[T dtype.Number]() bool {
	half := 0.5
	return T(half) != 0
}
