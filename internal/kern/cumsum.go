package kern

import "cresset/dtype"

// CumSumRow is y[k] = x[0] + … + x[k]. Floats are added in float64, integers in int64.
func CumSumRow[D, S dtype.Number](x []S, y []D) {
	if isFloat[S]() {
		var sum float64
		for k, v := range x {
			sum += float64(v)
			y[k] = D(sum)
		}
		return
	}
	var sum int64
	for k, v := range x {
		sum += int64(v)
		y[k] = D(sum)
	}
}

// CumSumGrad is dx[k] = dy[k] + … + dy[n-1].
func CumSumGrad[T dtype.Float](dy, dx []T) {
	var sum float64
	for k := len(dy) - 1; k >= 0; k-- {
		sum += float64(dy[k])
		dx[k] = T(sum)
	}
}
