package tensor

import "cresset/internal/op"

// Prod returns the product of all elements, a tensor without axes; 1 where there are none. Products of integers and bools
// are int64.
func (x *Tensor) Prod() *Tensor {
	out := x.total(op.Prod)
	record(out, op.Prod, prodGrad, nil, x).save(x)
	return out
}

// ProdAxis returns the product along an axis, which disappears unless KeepDim is given.
func (x *Tensor) ProdAxis(axis int, keep ...KeepDim) *Tensor {
	p := x.reducedAxis("prod", axis, kept(keep))
	out := x.reduce(op.ProdAxis, p, p)
	record(out, op.ProdAxis, prodGrad, p, x).save(x)
	return out
}

func prodGrad(b *backprop, dy *Tensor) { b.give(0, b.spread(op.ProdGrad, dy, dy, b.saved(0))) }

// spread computes the gradient of a reduction of x from dy and a value y of the reduced shape.
func (b *backprop) spread(o op.Op, dy, y, x *Tensor) *Tensor {
	dx := x.like(o, dy.dtype)
	launch(o, dy.dtype, b.params(), []*Tensor{dx}, []*Tensor{dy, y, x})
	return dx
}
