package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// factored is what LUFactor makes of matrices: a[perm[i], j] is (l·u)[i, j].
type factored struct {
	matrices
	lu, perm, sign, info *Tensor
}

// factor factors matrices, without a gradient record.
func (x *Tensor) factor(m matrices) factored {
	x = x.Detach()
	f := factored{
		matrices: m,
		lu:       x.like(op.LUFactor, x.dtype),
		perm:     x.empty(op.LUFactor, dtype.Int64, m.vectors(m.rows)),
		sign:     x.empty(op.LUFactor, x.dtype, m.batch),
		info:     x.empty(op.LUFactor, dtype.Int64, m.batch),
	}
	launch(op.LUFactor, x.dtype, nil, []*Tensor{f.lu, f.perm, f.sign, f.info}, []*Tensor{x})
	return f
}

// luSolution returns the solution of a·x = b, or of aᵀ·x = b, by the factors of a, without a gradient record. Batches are equal.
func luSolution(lu, perm, b *Tensor, transposed bool) *Tensor {
	out := b.like(op.LUSolve, b.dtype)
	launch(op.LUSolve, b.dtype, op.Factored{Transposed: transposed}, []*Tensor{out}, []*Tensor{lu, perm, b})
	return out
}

// lu returns p, l and u with p·l·u = x: a permutation, a lower triangle with ones on its diagonal, an upper triangle.
func (x *Tensor) lu() (p, l, u *Tensor) {
	m := x.matrices("linalg.lu", "lu_cpu")
	f, k := x.factor(m), min(m.rows, m.cols)
	if m.rows == 0 {
		p = x.zeros(m.shape(0, 0))
	} else {
		p = OneHot(f.perm, m.rows).cast(x.dtype).mT().Contiguous()
	}
	l = f.lu.Narrow(-1, 0, k).Tril(-1)
	l.Diagonal(0, -2, -1).FillInPlace(1)
	u = f.lu.Narrow(-2, 0, k).Triu(0)
	for _, n := range []*node{record(l, op.LU, luGradL, nil, x), record(u, op.LU, luGradU, nil, x)} {
		n.save(x)
		n.derive(p, l, u)
	}
	return p, l, u
}

// factorsOfLU returns what lu returned; where that is to be differentiated, computed again with a record.
func (b *backprop) factorsOfLU() (p, l, u *Tensor) {
	if b.creates {
		return b.saved(0).lu()
	}
	return b.saved(1), b.saved(2), b.saved(3)
}

// With square l₁ and u₁, and what lies below and right of them l₂ and u₂, the gradient of the square part is
// p·l₁⁻ᵀ·(lower(l₁ᵀ·dl₁ - du₂·u₂ᵀ) + upper(du₁·u₁ᵀ - l₂ᵀ·dl₂))·u₁⁻ᵀ; that of what lies below p·dl₂·u₁⁻ᵀ, and right of it p·l₁⁻ᵀ·du₂.

func luGradL(b *backprop, dl *Tensor) {
	p, l, u := b.factorsOfLU()
	k, rows := l.Size(-1), l.Size(-2)
	l1, u1 := l.Narrow(-2, 0, k), u.Narrow(-1, 0, k)
	inner := l1.mT().MatMul(dl.Narrow(-2, 0, k)).Tril(-1)
	if rows > k {
		l2, dl2 := l.Narrow(-2, k, rows-k), dl.Narrow(-2, k, rows-k)
		inner = inner.Sub(l2.mT().MatMul(dl2).Triu(0))
		below := u1.mT().solveTriangular(dl2, false, false, false)
		b.give(0, p.MatMul(Cat([]*Tensor{between(l1, inner, u1), below}, -2)))
		return
	}
	b.give(0, p.MatMul(padRight(between(l1, inner, u1), u.Size(-1))))
}

func luGradU(b *backprop, du *Tensor) {
	p, l, u := b.factorsOfLU()
	k, cols := l.Size(-1), u.Size(-1)
	l1, u1 := l.Narrow(-2, 0, k), u.Narrow(-1, 0, k)
	inner := du.Narrow(-1, 0, k).MatMul(u1.mT()).Triu(0)
	if cols > k {
		u2, du2 := u.Narrow(-1, k, cols-k), du.Narrow(-1, k, cols-k)
		inner = inner.Sub(du2.MatMul(u2.mT()).Tril(-1))
		right := l1.mT().solveTriangular(du2, true, true, true)
		b.give(0, p.MatMul(Cat([]*Tensor{between(l1, inner, u1), right}, -1)))
		return
	}
	b.give(0, p.MatMul(padRight(between(l1, inner, u1).mT(), l.Size(-2)).mT()))
}

// between returns l⁻ᵀ·x·u⁻ᵀ.
func between(l, x, u *Tensor) *Tensor {
	return u.mT().solveTriangular(l.mT().solveTriangular(x, true, true, true), false, false, false)
}

// padRight adds columns of zeros up to so many.
func padRight(x *Tensor, cols int) *Tensor {
	missing := cols - x.Size(-1)
	if missing == 0 {
		return x
	}
	shape := append(Shape{}, x.layout.Shape()...)
	shape[len(shape)-1] = missing
	return Cat([]*Tensor{x, x.zeros(shape)}, -1)
}
