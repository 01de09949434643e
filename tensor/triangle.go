package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

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
	p := op.Triangle{Offset: min(max(k, -rows), cols)} // beyond these nothing changes, and sums could overflow
	out := x.like(o, x.dtype)
	launch(o, x.dtype, p, []*Tensor{out}, []*Tensor{x})
	record(out, o, triangleGrad, k, x)
	return out
}

func triangleGrad(b *backprop, dy *Tensor) { b.give(0, dy.triangle(b.current.op, b.params().(int))) }

// TrilIndices returns the rows, in row 0, and the columns, in row 1, of the elements that Tril(k) of a matrix keeps, in row-major order.
// They are int64 unless the place says int32.
func (p Place) TrilIndices(rows, columns, k int) *Tensor {
	return p.triangleIndices("tril_indices", rows, columns, k, (*Tensor).Tril)
}

// TriuIndices is TrilIndices for what Triu(k) keeps.
func (p Place) TriuIndices(rows, columns, k int) *Tensor {
	return p.triangleIndices("triu_indices", rows, columns, k, (*Tensor).Triu)
}

func (p Place) triangleIndices(name string, rows, columns, k int, triangle func(*Tensor, int) *Tensor) *Tensor {
	dt := p.or(dtype.Int64)
	switch {
	case rows < 0:
		fail(name, ErrValue, fmt.Sprintf("row must be non-negative, got%d", rows))
	case columns < 0:
		fail(name, ErrValue, fmt.Sprintf("col must be non-negative, got%d", columns))
	case dt != dtype.Int64 && dt != dtype.Int32:
		fail(name, ErrKernel, noKernel(name, dt))
	}
	return triangle(p.As(dtype.Bool).Ones(rows, columns), k).NonZero().T().Contiguous().cast(dt)
}

// TrilIndices returns on the CPU where the elements are that Tril(k) of a matrix keeps.
func TrilIndices(rows, columns, k int) *Tensor { return Place{}.TrilIndices(rows, columns, k) }

// TriuIndices returns on the CPU where the elements are that Triu(k) of a matrix keeps.
func TriuIndices(rows, columns, k int) *Tensor { return Place{}.TriuIndices(rows, columns, k) }
