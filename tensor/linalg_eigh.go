package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// eigh returns the eigenvalues of symmetric matrices in ascending order, and the eigenvectors as columns. The lower triangle is read, or
// the upper.
func (x *Tensor) eigh(upper bool) (values, vectors *Tensor) {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_eigh", x)
	}
	m := x.squares("linalg.eigh", "linalg_eigh_cpu")
	return x.eigen("linalg.eigh", m, m.cols, upper)
}

// eigvalsH is eigh without the vectors where no gradient needs them.
func (x *Tensor) eigvalsH(upper bool) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one("linalg_eigvalsh", x)
	}
	const name = "linalg.eigh" // as PyTorch has it
	m := x.squares(name, "linalg_eigh_cpu")
	columns := 0
	if x.node != nil {
		columns = m.cols
	}
	values, _ := x.eigen(name, m, columns, upper)
	return values
}

// eigen is eigh with so many columns of vectors: all or none.
func (x *Tensor) eigen(name string, m matrices, columns int, upper bool) (values, vectors *Tensor) {
	values = x.empty(op.Eigh, x.dtype, m.vectors(m.rows))
	vectors = x.empty(op.Eigh, x.dtype, m.shape(m.rows, columns))
	info := x.empty(op.Eigh, dtype.Int64, m.batch)
	read := x
	if upper {
		read = x.Detach().mT()
	}
	launch(op.Eigh, x.dtype, nil, []*Tensor{values, vectors, info}, []*Tensor{read})
	x.failWhere(info, name, func(n int64) string {
		return fmt.Sprintf("The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues (error code: %d).", n)
	})
	for _, n := range []*node{record(values, op.Eigh, eigenvaluesGrad, upper, x), record(vectors, op.Eigh, eigenvectorsGrad, upper, x)} {
		n.save(x)
		n.derive(values, vectors)
	}
	return values, vectors
}

// eigenvectors returns the values and the vectors; where these are to be differentiated, computed again with a record.
func (b *backprop) eigenvectors() (l, v *Tensor) {
	if b.creates {
		return b.saved(0).eigh(b.params().(bool))
	}
	return b.saved(1), b.saved(2)
}

// eigenvaluesGrad is v·diag(dl)·vᵀ.
func eigenvaluesGrad(b *backprop, dl *Tensor) {
	_, v := b.eigenvectors()
	b.give(0, v.Mul(dl.Unsqueeze(-2)).MatMul(v.mT()))
}

// eigenvectorsGrad is v·((p - pᵀ)/2e)·vᵀ with p = vᵀ·dv and e[i, j] = l[j] - l[i]. It is infinite where eigenvalues are equal.
func eigenvectorsGrad(b *backprop, dv *Tensor) {
	l, v := b.eigenvectors()
	p := v.mT().MatMul(dv)
	turn := p.Sub(p.mT()).MulScalar(0.5).Div(gaps(l))
	b.give(0, v.MatMul(turn).MatMul(v.mT()))
}

// gaps returns x[j] - x[i] as matrices, with ones on the diagonal.
func gaps(x *Tensor) *Tensor {
	e := x.Unsqueeze(-2).Sub(x.Unsqueeze(-1))
	return e.Add(x.identities(e.layout.Shape()))
}
