package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// cumSumSquares is CumSumRows of floats for as many rows as are computed by vectors, whose number it returns.
func cumSumSquares[D, S dtype.Number](x []S, y []D, n int) (rows int) {
	switch x := any(x).(type) {
	case []float32:
		return cumSumVectors(x, any(y).([]float32), n)
	case []float64:
		return cumSumVectors(x, any(y).([]float64), n)
	}
	return 0
}

func cumSumVectors[T dtype.Float](x, y []T, n int) (rows int) {
	for step := vec.ScanRows(); step > 0 && n > 0 && (rows+step)*n <= len(x); rows += step {
		vec.CumSum(y[rows*n:], x[rows*n:], n)
	}
	return rows
}

// CumSumGrad is dx[k] = dy[k] + … + dy[n-1].
func CumSumGrad[T dtype.Float](dy, dx []T) {
	var sum float64
	for k := len(dy) - 1; k >= 0; k-- {
		sum += float64(dy[k])
		dx[k] = T(sum)
	}
}
