package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// det returns the determinant of each matrix, 1 of one without elements.
func (x *Tensor) det() *Tensor {
	f := x.factor(x.squares("linalg.det", "lu_cpu"))
	out := f.lu.Diagonal(0, -2, -1).ProdAxis(-1).Mul(f.sign)
	n := record(out, op.Det, detGrad, nil, x)
	n.save(x, out)
	n.derive(f.lu, f.perm, f.sign)
	return out
}

// detGrad is dy·det(x)·x⁻ᵀ. It is continuous where x is singular: a pivot that is zero is replaced by one too small to matter. To be
// differentiated it wants an inverse.
func detGrad(b *backprop, dy *Tensor) {
	if b.creates {
		b.give(0, b.saved(0).inv().mT().Mul(ofMatrices(b.saved(1).Mul(dy))))
		return
	}
	lu, perm, sign := b.saved(2), b.saved(3), b.saved(4)
	pivots := lu.Diagonal(0, -2, -1)
	tiny := 0x1p-52
	if lu.dtype == dtype.Float32 {
		tiny = 0x1p-23
	}
	filled := pivots.MaskedFill(pivots.EqScalar(0), tiny)
	lu = lu.Sub(pivots.diagonals()).Add(filled.diagonals())
	scale := ofMatrices(filled.ProdAxis(-1).Mul(sign).Mul(dy))
	b.give(0, luSolution(lu, perm, lu.identities(lu.layout.Shape()).Mul(scale), true))
}

// ofMatrices gives a number for each matrix two axes of extent 1.
func ofMatrices(x *Tensor) *Tensor { return x.Unsqueeze(-1).Unsqueeze(-1) }

// slogDet returns the sign of each determinant and the logarithm of its absolute value, 0 and -∞ of a singular matrix. The sign has no
// gradient.
func (x *Tensor) slogDet() (sign, logAbs *Tensor) {
	f := x.factor(x.squares("linalg.slogdet", "lu_cpu"))
	pivots := f.lu.Diagonal(0, -2, -1)
	sign, logAbs = pivots.Sign().ProdAxis(-1).Mul(f.sign), pivots.Abs().Log().SumAxes([]int{-1})
	n := record(logAbs, op.SlogDet, slogDetGrad, nil, x)
	n.save(x)
	n.derive(f.lu, f.perm)
	return sign, logAbs
}

// slogDetGrad is dy·x⁻ᵀ.
func slogDetGrad(b *backprop, dy *Tensor) {
	if b.creates {
		b.give(0, b.saved(0).inv().mT().Mul(ofMatrices(dy)))
		return
	}
	lu, perm := b.saved(1), b.saved(2)
	b.give(0, luSolution(lu, perm, lu.identities(lu.layout.Shape()).Mul(ofMatrices(dy)), true))
}
