package linalg

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// Eigh returns the eigenvalues of symmetric matrices in ascending order, and the eigenvectors as columns v of a = v·diag(values)·vᵀ. Only
// the lower triangle is read, or with Upper(true) the upper. Eigenvectors are determined but for their signs; their gradients are infinite
// where eigenvalues are equal.
func Eigh(a *tensor.Tensor, opts ...TriangleOption) (values, vectors *tensor.Tensor) {
	return inner.Eigh(a, upper(opts))
}

// EigvalsH returns the eigenvalues of Eigh alone, whose gradients are finite.
func EigvalsH(a *tensor.Tensor, opts ...TriangleOption) *tensor.Tensor {
	return inner.EigvalsH(a, upper(opts))
}

// SVD returns u, s and vh with u·diag(s)·vh = a [m, n]: the k = min(m, n) singular values in descending order, and orthonormal columns of
// u [m, m] and rows of vh [n, n]; with FullMatrices(false) u is [m, k] and vh [k, n]. The vectors of a pair are determined but for a common
// sign; their gradients are infinite where singular values are equal, and vectors beyond the k first have none.
func SVD(a *tensor.Tensor, full ...FullMatrices) (u, s, vh *tensor.Tensor) {
	is := true
	for _, o := range full {
		is = bool(o)
	}
	return inner.SVD(a, is)
}

// SVDVals returns the singular values of SVD alone, whose gradients are finite.
func SVDVals(a *tensor.Tensor) *tensor.Tensor { return inner.SVDVals(a) }

// Cond returns the condition of each matrix, the norm of a times that of its inverse. For the 2-norm, that of a nil ord, it is the largest
// singular value divided by the smallest, for P(-2) the smallest divided by the largest, and matrices need not be square. It is +Inf for
// singular matrices.
func Cond(a *tensor.Tensor, ord Order) *tensor.Tensor {
	const name = "linalg.cond"
	given("linalg_cond", "input", 1, a)
	if a.Dim() < 2 {
		fail(name, tensor.ErrShape, name+": The input tensor A must have at least 2 dimensions.")
	}
	if p, ok := ord.(P); ord == nil || ok && math.Abs(float64(p)) == 2 {
		if a.NumEl() == 0 {
			return noMatrices(a)
		}
		s := inner.SVDVals(a)
		largest, smallest := s.Select(-1, 0), s.Select(-1, s.Size(-1)-1)
		if ord == P(-2) {
			return smallest.Div(largest)
		}
		return largest.Div(smallest)
	}
	if a.NumEl() == 0 {
		return noMatrices(a)
	}
	if m, n := a.Size(-2), a.Size(-1); m != n {
		fail(name, tensor.ErrShape, notSquare(fmt.Sprintf("%s(ord=%s)", name, ord.order()), m, n))
	}
	inverse, info := inner.InvEx(a)
	singular := info.NeScalar(0)
	inverse = inverse.MaskedFill(singular.Unsqueeze(-1).Unsqueeze(-1), 0) // it has no meaning there
	cond := MatrixNorm(a, ord, nil).Mul(MatrixNorm(inverse, ord, nil))
	return cond.MaskedFill(singular, math.Inf(1))
}

// noMatrices returns a zero for each matrix.
func noMatrices(a *tensor.Tensor) *tensor.Tensor {
	shape := a.Shape()
	return tensor.Like(a).Zeros(shape[:len(shape)-2]...)
}

// MatrixRank returns how many singular values of each matrix [m, n] are larger than ATol and than RTol times the largest, as int64. RTol is
// max(m, n) times the distance from 1 to the next number, or 0 where ATol is given. With Hermitian(true) the absolute values of the
// eigenvalues of EigvalsH are counted.
func MatrixRank(a *tensor.Tensor, opts ...ToleranceOption) *tensor.Tensor {
	const name = "linalg.matrix_rank"
	given("linalg_matrix_rank", "input", 1, a)
	if a.Dim() < 2 {
		fail(name, tensor.ErrShape, name+": The input tensor A must have at least 2 dimensions.")
	}
	o := tolerances(a, opts)
	return rankOf(a, magnitudes(a.Detach(), o.hermitian), o)
}

// rankOf counts the values of each matrix of a that are above the limit.
func rankOf(a, values *tensor.Tensor, o tolerance) *tensor.Tensor {
	if a.NumEl() == 0 {
		return noMatrices(a).To(dtype.Int64)
	}
	return values.Gt(o.limit(values)).SumAxes([]int{-1})
}

// magnitudes returns the singular values of a; of symmetric matrices by their eigenvalues.
func magnitudes(a *tensor.Tensor, hermitian bool) *tensor.Tensor {
	if hermitian {
		return inner.EigvalsH(a, false).Abs()
	}
	return inner.SVDVals(a)
}
