package tensor

import "cresset/internal/op"

// Tril returns the matrices of the last two axes with what lies above diagonal k set to 0; diagonals above the main one
// count from 1, those below from -1.
func (x *Tensor) Tril(k int) *Tensor { return x.triangle(op.Tril, k) }

// Triu returns the matrices of the last two axes with what lies below diagonal k set to 0.
func (x *Tensor) Triu(k int) *Tensor { return x.triangle(op.Triu, k) }

func (x *Tensor) triangle(o op.Op, k int) *Tensor {
	rank := x.layout.Rank()
	if rank < 2 {
		fail(o.String(), ErrShape, o.String()+": input tensor must have at least 2 dimensions", x)
	}
	rows, cols := x.layout.Shape()[rank-2], x.layout.Shape()[rank-1]
	p := op.Diagonal{Offset: min(max(k, -rows), cols)} // beyond these nothing changes, and sums could overflow
	out := x.like(o, x.dtype)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, o, triangleGrad, k, x)
	return out
}

func triangleGrad(b *backprop, dy *Tensor) { b.give(0, dy.triangle(b.current.op, b.params().(int))) }
