package lapack

import (
	"math"

	"cresset/dtype"
)

// cholesky makes a, of which it reads the lower triangle, the lower triangular l with l·lᵀ = a, and clears what lies above. It
// returns 0, or the order of the first leading minor that is not positive; a is undefined then.
func cholesky[T dtype.Float](a matrix[T]) int {
	n := a.Rows
	for start := 0; start < n; start += block {
		end := min(start+block, n)
		// All that the columns before contribute to these.
		left := a.part(start, 0, end-start, start)
		a.part(start, start, n-start, end-start).addProduct(-1, a.part(start, 0, n-start, start).view(), left.view().Transposed(), start)
		for j := start; j < end; j++ {
			pivot := a.row(j)[j] - dot(a.row(j)[start:j], a.row(j)[start:j])
			if !(pivot > 0) {
				return j + 1
			}
			root := T(math.Sqrt(float64(pivot)))
			a.row(j)[j] = root
			for i := j + 1; i < n; i++ {
				a.row(i)[j] = (a.row(i)[j] - dot(a.row(i)[start:j], a.row(j)[start:j])) / root
			}
			clear(a.row(j)[j+1:])
		}
	}
	return 0
}
