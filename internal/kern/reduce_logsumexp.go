package kern

import (
	"math"

	"cresset/dtype"
)

// LogSumExpRow returns log Σ eˣ of a row, shifted by the largest element so that nothing overflows; -Inf of no elements.
func LogSumExpRow[T dtype.Float](row []T) T {
	if len(row) == 0 {
		return T(math.Inf(-1))
	}
	largest, _ := MaxRow(row)
	if !isFinite(float64(largest)) {
		return largest // Inf - Inf would spoil the sum
	}
	if len(row) <= piece {
		return T(math.Log(sumExpPiece(row, largest)) + float64(largest))
	}
	sum := inPieces(len(row), func(lo, hi int) float64 { return sumExpPiece(row[lo:hi], largest) }, plus)
	return T(math.Log(sum) + float64(largest))
}

// LogSumExpGrad is dx = dy · eˣ⁻ʸ.
func LogSumExpGrad[T dtype.Float](dy, y T, x, dx []T) { scaledSoftmax(x, dx, []T{y, 0, dy}) }
