package tensor

import (
	"fmt"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/op"
)

// svd returns u, s and vh with u·diag(s)·vh = x: the k = min(m, n) singular values in descending order, and as columns of u and rows of vh
// k vectors each, or complete bases.
func (x *Tensor) svd(full bool) (u, s, vh *Tensor) {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_svd", x)
	}
	const name = "linalg.svd"
	m := x.matrices(name, "linalg_svd_cpu")
	if full {
		return x.singular(name, m, m.rows, m.cols)
	}
	k := min(m.rows, m.cols)
	return x.singular(name, m, k, k)
}

// svdVals is svd without the vectors where no gradient needs them.
func (x *Tensor) svdVals() *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_svdvals", x)
	}
	const name = "linalg.svd" // as PyTorch has it
	m := x.matrices(name, "linalg_svd_cpu")
	k := 0
	if x.node != nil {
		k = min(m.rows, m.cols)
	}
	_, s, _ := x.singular(name, m, k, k)
	return s
}

// singular is svd with so many columns of u and rows of vh: k of each, complete bases, or none.
func (x *Tensor) singular(name string, m matrices, columns, rows int) (u, s, vh *Tensor) {
	u = x.empty(op.SVD, x.dtype, m.shape(m.rows, columns))
	s = x.empty(op.SVD, x.dtype, m.vectors(min(m.rows, m.cols)))
	vh = x.empty(op.SVD, x.dtype, m.shape(rows, m.cols))
	info := x.empty(op.SVD, dtype.Int64, m.batch)
	launch(op.SVD, x.dtype, nil, []*Tensor{u, s, vh, info}, []*Tensor{x})
	x.failWhere(info, name, func(n int64) string {
		finite := func(v float64) bool { return !math.IsNaN(v - v) }
		if !slices.ContainsFunc(hostSlice[float64](x), func(v float64) bool { return !finite(v) }) {
			return fmt.Sprintf("The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated singular values (error code: %d).", n)
		}
		return "The algorithm failed to converge because the input matrix contained non-finite values."
	})
	for _, n := range []*node{record(u, op.SVD, svdGradU, nil, x), record(s, op.SVD, svdGradS, nil, x), record(vh, op.SVD, svdGradV, nil, x)} {
		n.save(x)
		n.derive(u, s, vh)
	}
	return u, s, vh
}

// singularVectors returns the factors, of complete bases the k first vectors: the others have no gradient. Where they are to be
// differentiated they are computed again with a record.
func (b *backprop) singularVectors() (u, s, vh *Tensor) {
	if b.creates {
		return b.saved(0).svd(false)
	}
	s = b.saved(2)
	k := s.Size(-1)
	return b.saved(1).Narrow(-1, 0, k), s, b.saved(3).Narrow(-2, 0, k)
}

// svdGradS is u·diag(ds)·vh.
func svdGradS(b *backprop, ds *Tensor) {
	u, _, vh := b.singularVectors()
	b.give(0, u.Mul(ds.Unsqueeze(-2)).MatMul(vh))
}

// svdGradU is u·(skew(uᵀ·du)/e)·diag(s)·vh, and where u is not square (1 - u·uᵀ)·du·diag(s)⁻¹·vh besides, with skew(a) = a - aᵀ and
// e[i, j] = s[j]² - s[i]². It is infinite where singular values are equal.
func svdGradU(b *backprop, du *Tensor) {
	u, s, vh := b.singularVectors()
	b.give(0, turned(u, s, du.Narrow(-1, 0, s.Size(-1))).MatMul(vh))
}

// svdGradV is svdGradU of the transposed matrices.
func svdGradV(b *backprop, dvh *Tensor) {
	u, s, vh := b.singularVectors()
	b.give(0, turned(vh.mT(), s, dvh.Narrow(-2, 0, s.Size(-1)).mT()).MatMul(u.mT()).mT())
}

// turned returns the gradient of one basis, but for the product with the other.
func turned(u, s, du *Tensor) *Tensor {
	inner := u.mT().MatMul(du)
	g := u.MatMul(inner.Sub(inner.mT()).Div(gaps(s.Square())).Mul(s.Unsqueeze(-2)))
	if u.Size(-2) > u.Size(-1) {
		g = g.Add(du.Sub(u.MatMul(inner)).Div(s.Unsqueeze(-2)))
	}
	return g
}
