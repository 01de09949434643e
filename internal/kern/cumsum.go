package kern

import "cresset/dtype"

// CumSumGrad is dx[k] = dy[k] + … + dy[n-1].
func CumSumGrad[T dtype.Float](dy, dx []T) {
	var sum float64
	for k := len(dy) - 1; k >= 0; k-- {
		sum += float64(dy[k])
		dx[k] = T(sum)
	}
}
