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
	shift := float64(MaxValueRow(row))
	if math.IsInf(shift, 0) {
		shift = 0 // the sum is infinite or zero, and Inf - Inf would spoil it
	}
	if len(row) <= piece {
		return T(math.Log(sumExp(row, shift)) + shift)
	}
	sum := inPieces(len(row), func(lo, hi int) float64 { return sumExp(row[lo:hi], shift) }, plus)
	return T(math.Log(sum) + shift)
}

func sumExp[T dtype.Float](x []T, shift float64) float64 {
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v) - shift)
	}
	return sum
}

// LogSumExpGrad is dx = dy · eˣ⁻ʸ.
func LogSumExpGrad[T dtype.Float](dy, y T, x, dx []T) {
	for i, v := range x {
		dx[i] = T(float64(dy) * math.Exp(float64(v)-float64(y)))
	}
}
