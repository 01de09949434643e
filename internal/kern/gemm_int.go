package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// MatMulInt computes C = A·B in wrapping integer arithmetic, where A is [m, k], B is [k, n] and C is [m, n] with rows ldc elements
// apart.
func MatMulInt[T dtype.Integer](m, n, k int, a, b Matrix[T], c []T, ldc int) {
	par.For(m, grainOf(2*n*k), func(lo, hi int) {
		for i := lo; i < hi && n > 0; i++ {
			row := c[i*ldc:][:n]
			clear(row)
			for l := range k {
				addScaled(row, b.Data[l*b.Row:], b.Col, a.Data[i*a.Row+l*a.Col])
			}
		}
	})
}

// addScaled is sums[i] += a·x[i·step].
func addScaled[T dtype.Integer](sums, x []T, step int, a T) {
	at := 0
	for i := range sums {
		sums[i] += a * x[at]
		at += step
	}
}
