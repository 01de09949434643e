package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
)

// MatMulInt computes C = A·B in wrapping integer arithmetic, where A is [m, k],
// B is [k, n] and C is [m, n] with rows ldc elements apart.
func MatMulInt[T dtype.Integer](m, n, k int, a, b Matrix[T], c []T, ldc int) {
	par.For(m, grainOf(2*n*k), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := c[i*ldc:][:n]
			clear(row)
			for l := range k {
				x := a.Data[i*a.Row+l*a.Col]
				from := b.Data[l*b.Row:]
				for j := range row {
					row[j] += x * from[j*b.Col]
				}
			}
		}
	})
}
