package tensor

import "cresset/internal/op"

// Tril returns the matrices of the last two axes with what lies above diagonal k set to 0; diagonals above the main one
// count from 1, those below from -1.
func (x *Tensor) Tril(k int) *Tensor {
	out := x.triangle(op.Tril, k)
	record(out, op.Tril, trilGrad, k, x)
	return out
}

func trilGrad(b *backprop, dy *Tensor) { b.give(0, dy.triangle(op.Tril, b.params().(int))) }

// Triu returns the matrices of the last two axes with what lies below diagonal k set to 0.
func (x *Tensor) Triu(k int) *Tensor {
	out := x.triangle(op.Triu, k)
	record(out, op.Triu, triuGrad, k, x)
	return out
}

func triuGrad(b *backprop, dy *Tensor) { b.give(0, dy.triangle(op.Triu, b.params().(int))) }

func (x *Tensor) triangle(o op.Op, k int) *Tensor {
	rank := x.layout.Rank()
	if rank < 2 {
		fail(o.String(), ErrShape, o.String()+": input tensor must have at least 2 dimensions", x)
	}
	rows, cols := x.layout.Shape()[rank-2], x.layout.Shape()[rank-1]
	p := op.Diagonal{Offset: min(max(k, -rows), cols)} // beyond these nothing changes, and sums could overflow
	out := x.like(o, x.dtype)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	return out
}
