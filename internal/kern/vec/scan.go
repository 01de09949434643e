package vec

import (
	"unsafe"

	"cresset/dtype"
)

// ScanRows returns how many rows CumSum computes at a time, 0 where there is no assembly.
func ScanRows() int {
	if current != AVX2 && current != AVX512 {
		return 0
	}
	return Lanes[float64]()
}

// CumSum is y[i*n+k] = Σ x[i*n+j] over j ≤ k for ScanRows() rows of n elements. Sums are of float64, each rounded to y.
func CumSum[T dtype.Float](y, x []T, n int) {
	rows, size := ScanRows(), sizeOf[T]()
	_, _ = x[rows*n-1], y[rows*n-1] // This fails where one is too short.
	var sums [8]float64
	whole, step := n&^(rows-1), most/rows
	for k := 0; k < whole; k += step {
		runScan[T](unsafe.Pointer(&call{a: pointer(x, k), c: pointer(y, k), from: unsafe.Pointer(&sums), rowA: n * size,
			k: min(step, whole-k) / rows}))
	}
	for i, sum := range sums[:rows] {
		for k := i*n + whole; k < (i+1)*n; k++ {
			sum += float64(x[k])
			y[k] = T(sum)
		}
	}
}
