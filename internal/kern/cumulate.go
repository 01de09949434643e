package kern

import (
	"math"

	"cresset/dtype"
)

// CumMax is y[k][i] = the largest of x[0][i] … x[k][i], and at[k][i] the last k that has it, for lo ≤ i < hi. NaN is larger
// than any number.
func CumMax[T dtype.Number](y []T, at []int64, x []T, inner, lo, hi int) {
	copy(y[lo:hi], x[lo:hi])
	clear(at[lo:hi])
	for k := 1; k*inner < len(x); k++ {
		row, from := k*inner, (k-1)*inner
		for i := lo; i < hi; i++ {
			y[row+i], at[row+i] = y[from+i], at[from+i]
			if v := x[row+i]; v >= y[from+i] || v != v {
				y[row+i], at[row+i] = v, int64(k)
			}
		}
	}
}

// CumMin is CumMax of the smallest. NaN is smaller than any number.
func CumMin[T dtype.Number](y []T, at []int64, x []T, inner, lo, hi int) {
	copy(y[lo:hi], x[lo:hi])
	clear(at[lo:hi])
	for k := 1; k*inner < len(x); k++ {
		row, from := k*inner, (k-1)*inner
		for i := lo; i < hi; i++ {
			y[row+i], at[row+i] = y[from+i], at[from+i]
			if v := x[row+i]; v <= y[from+i] || v != v {
				y[row+i], at[row+i] = v, int64(k)
			}
		}
	}
}

// LogCumSumExp is y[k] = log Σ eˣ over the elements up to k. The sum counts in units of e to the largest element so far, so that
// nothing overflows.
func LogCumSumExp[T dtype.Float](x, y []T) {
	most, sum := math.Inf(-1), 0.0
	for k, e := range x {
		switch v := float64(e); {
		case v > most:
			sum, most = float64(sum*math.Exp(most-v))+1, v
		case v == most: // also where both are infinite
			sum++
		default:
			sum += math.Exp(v - most)
		}
		y[k] = T(most + math.Log(sum))
	}
}
