package tensor

import "cresset/internal/op"

// Prod returns the product of all elements, a tensor without axes; 1 where there are none. Products of integers and bools
// are int64.
func (x *Tensor) Prod() *Tensor {
	x = x.autocast(op.Prod)
	out := x.total(op.Prod)
	record(out, op.Prod, prodGrad, nil, x).save(x)
	return out
}

// ProdAxis returns the product along an axis, which disappears unless KeepDim is given.
func (x *Tensor) ProdAxis(axis int, keep ...KeepDim) *Tensor {
	x = x.autocast(op.Prod)
	p := x.reducedAxis("prod", axis, kept(keep))
	out := x.reduce(op.ProdAxis, p, p)
	record(out, op.ProdAxis, prodGrad, p, x).save(x)
	return out
}

func prodGrad(b *backprop, dy *Tensor) {
	if b.creates {
		prodComposed(b, dy)
		return
	}
	b.giveBy(op.ProdGrad, dy, dy, dy, b.saved(0))
}
