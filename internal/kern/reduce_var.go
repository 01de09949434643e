package kern

import (
	"math"

	"cresset/dtype"
)

// VarRow returns Σ (x - mean)² / (n - correction) of a row: NaN where the divisor is not positive.
func VarRow[T dtype.Float](row []T, correction float64) T { return T(variance(row, correction)) }

// StdRow returns the square root of VarRow.
func StdRow[T dtype.Float](row []T, correction float64) T {
	return T(math.Sqrt(variance(row, correction)))
}

func variance[T dtype.Float](row []T, correction float64) float64 {
	n := float64(len(row))
	if len(row) <= piece {
		return momentsOf(row).variance * n / max(n-correction, 0)
	}
	shift := T(sumFloats(row) / n)
	d := inPieces(len(row), func(lo, hi int) deviations { return deviationsPiece(row[lo:hi], shift) }, deviations.plus)
	return d.moments(float64(shift), n).variance * n / max(n-correction, 0)
}

// VarGrad is dx = dy · 2 (x - mean) / (n - correction).
func VarGrad[T dtype.Float](dy T, x, dx []T, correction float64) {
	spreadGrad(float64(dy), x, dx, correction)
}

// StdGrad is VarGrad of dy / 2y, where y is the standard deviation; nothing flows where that is 0.
func StdGrad[T dtype.Float](dy, y T, x, dx []T, correction float64) {
	if y == 0 {
		spreadGrad(0, x, dx, correction)
		return
	}
	spreadGrad(float64(dy)/(2*float64(y)), x, dx, correction)
}

func spreadGrad[T dtype.Float](dy float64, x, dx []T, correction float64) {
	n := float64(len(x))
	mean, scale := sumFloats(x)/n, 2/(n-correction)*dy
	for i, v := range x {
		dx[i] = T(scale * (float64(v) - mean))
	}
}
