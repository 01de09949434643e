package tensor

import "cresset/internal/op"

// pinv returns the pseudoinverse of each matrix. Singular values, or eigenvalues of symmetric matrices, whose sizes are not above the limit
// of these sizes count as zero.
func (x *Tensor) pinv(hermitian bool, limit func(sizes *Tensor) *Tensor) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		return a.run("linalg_pinv", func(t []*Tensor) *Tensor { return t[0].pinv(hermitian, limit) }, x)
	}
	const name = "linalg.pinv"
	m := x.matrices(name, "linalg_svd_cpu")
	if x.NumEl() == 0 {
		return x.mT().Clone()
	}
	var left, values, right *Tensor
	if hermitian {
		m = x.squares(name, "linalg_eigh_cpu")
		values, left = x.Detach().eigen(name, m, m.cols, false)
		right = left
	} else {
		k := min(m.rows, m.cols)
		left, values, right = x.Detach().singular(name, m, k, k)
		right = right.mT()
	}
	sizes := values.Abs()
	inverses := values.Reciprocal().MaskedFill(sizes.Le(limit(sizes)), 0)
	out := right.Mul(inverses.Unsqueeze(-2)).MatMul(left.mT())
	record(out, op.Pinv, pinvGrad, nil, x).save(x, out)
	return out
}

// pinvGrad is pᵀ·p·(gᵀ - k·x) + (1 - x·p)·k·pᵀ - kᵀ·pᵀ with k = gᵀ·p, for the pseudoinverse p of x and its gradient g. Of more rows than
// columns it is the same of the transposed matrices, which makes the products smaller.
func pinvGrad(b *backprop, g *Tensor) {
	x, p := b.saved(0), b.saved(1)
	if x.Size(-2) > x.Size(-1) {
		b.give(0, pinvGradOf(x.mT(), p.mT(), g.mT()).mT())
		return
	}
	b.give(0, pinvGradOf(x, p, g))
}

func pinvGradOf(x, p, g *Tensor) *Tensor {
	pt, gt := p.mT(), g.mT()
	k := gt.MatMul(p)
	kp := k.MatMul(pt)
	return pt.MatMul(p).MatMul(gt.Sub(k.MatMul(x))).Add(kp).Sub(x.MatMul(p).MatMul(kp)).Sub(p.MatMul(k).mT())
}
