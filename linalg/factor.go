package linalg

import "cresset/tensor"

// Cholesky returns the lower triangular l with l·lᵀ = a for symmetric positive definite a, or with Upper(true) the upper triangular u
// with uᵀ·u = a. Only that triangle of a is read. It panics where a is not positive definite.
func Cholesky(a *tensor.Tensor, opts ...TriangleOption) *tensor.Tensor {
	return inner.Cholesky(a, upper(opts))
}

// CholeskySolve returns the solution x of l·lᵀ·x = b, where l is what Cholesky returned, or of uᵀ·u·x = b with Upper(true).
func CholeskySolve(b, l *tensor.Tensor, opts ...TriangleOption) *tensor.Tensor {
	if upper(opts) {
		return inner.SolveTriangular(l, inner.SolveTriangular(transposed(l), b, false, true, false), true, true, false)
	}
	return inner.SolveTriangular(transposed(l), inner.SolveTriangular(l, b, false, true, false), true, true, false)
}

func transposed(a *tensor.Tensor) *tensor.Tensor { return a.Transpose(-2, -1) }

// LU returns p, l and u with p·l·u = a [m, n]: a permutation [m, m], a lower triangle [m, k] with ones on its diagonal and an upper
// triangle [k, n] for k = min(m, n). Pivots are the largest elements of their columns.
func LU(a *tensor.Tensor) (p, l, u *tensor.Tensor) { return inner.LU(a) }

// QR returns q, whose columns are orthonormal, and r, which is upper triangular, with q·r = a. The last mode counts; Reduced is that
// of none. There is no gradient in mode R, and none in mode Complete for more rows than columns.
func QR(a *tensor.Tensor, mode ...Mode) (q, r *tensor.Tensor) {
	m := Reduced
	if len(mode) > 0 {
		m = mode[len(mode)-1]
	}
	return inner.QR(a, string(m))
}
