package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// cholesky returns the lower triangular l with l·lᵀ = x, or the upper triangular u with uᵀ·u = x. Only that triangle of x is read.
func (x *Tensor) cholesky(upper bool) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_cholesky", x)
	}
	m := x.squares("linalg.cholesky", "cholesky_cpu")
	if upper {
		return x.mT().cholesky(false).mT()
	}
	l := x.like(op.Cholesky, x.dtype)
	info := x.empty(op.Cholesky, dtype.Int64, m.batch)
	launch(op.Cholesky, x.dtype, nil, []*Tensor{l, info}, []*Tensor{x})
	x.failWhere(info, "linalg.cholesky", func(n int64) string {
		return "The factorization could not be completed because the input is not positive-definite" +
			fmt.Sprintf(" (the leading minor of order %d is not positive-definite).", n)
	})
	record(l, op.Cholesky, choleskyGrad, nil, x).save(l)
	return l
}

// choleskyGrad is l⁻ᵀ·(p + pᵀ)·l⁻¹ / 2, where p is the lower triangle of lᵀ·dl with half its diagonal.
func choleskyGrad(b *backprop, dl *Tensor) {
	l := b.saved(0)
	p := l.mT().MatMul(dl)
	both := p.Tril(0).Add(p.Tril(-1).mT()).MulScalar(0.5)
	left := l.mT().solveTriangular(both, true, true, false)
	b.give(0, l.solveTriangular(left, false, false, false))
}
