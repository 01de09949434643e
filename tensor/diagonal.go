package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// plane is a diagonal of the matrices that two axes span.
type plane struct{ a, b, offset int }

func (p plane) of(l layout.Layout) layout.Layout { return l.Diagonal(p.a, p.b, p.offset) }

// plane resolves two axes of a tensor of the given rank.
func (x *Tensor) plane(name string, rank, offset, a, b int) plane {
	p := plane{offset: offset}
	for _, axis := range []struct{ given, to *int }{{&a, &p.a}, {&b, &p.b}} {
		at, err := layout.Axis(*axis.given, rank)
		check(name, ErrIndex, err, x)
		*axis.to = at
	}
	if p.a == p.b {
		fail(name, ErrShape, fmt.Sprintf("diagonal dimensions cannot be identical %d, %d", a, b), x)
	}
	return p
}

// Diagonal returns, as a view, the elements x[i, i+offset] of the matrices that axes a and b span: these disappear, and a last
// axis counts i. The main diagonal is 0; offsets above it are positive, below it negative. One that lies outside is empty.
func (x *Tensor) Diagonal(offset, a, b int) *Tensor {
	refuseNil("diagonal", "input", 1, x)
	p := x.plane("diagonal", x.layout.Rank(), offset, a, b)
	return x.viewAs(op.Diagonal, diagonalGrad, ifTracked(x, p), p.of(*x.layout))
}

func diagonalGrad(b *backprop, dy *Tensor) {
	b.givePart(dy, b.params().(plane).of(layout.Contiguous(b.input(0))))
}

// DiagEmbed returns zeros with the last axis of x as a diagonal of the matrices that axes a and b of the result span: its
// Diagonal(offset, a, b) is x.
func (x *Tensor) DiagEmbed(offset, a, b int) *Tensor {
	refuseNil("diag_embed", "input", 1, x)
	rank := x.layout.Rank() + 1
	p := x.plane("diag_embed", rank, offset, a, b)
	if x.layout.Rank() == 0 {
		fail("diag_embed", ErrIndex, (&layout.AxisError{Axis: -2, Rank: 1}).Error(), x)
	}
	n := x.layout.Shape()[rank-2] + max(offset, -offset)
	if n < 0 {
		fail("diag_embed", ErrMemory, "Storage size calculation overflowed", x)
	}
	shape, from := make(Shape, 0, rank), x.layout.Shape()
	for axis := range rank {
		if axis == p.a || axis == p.b {
			shape = append(shape, n)
		} else {
			shape, from = append(shape, from[0]), from[1:]
		}
	}
	if rank > layout.MaxRank {
		check("diag_embed", ErrShape, errTooManyAxes, x)
	}
	out := x.zeros(shape)
	out.alias(p.of(*out.layout)).copyFrom(x)
	record(out, op.DiagEmbed, diagEmbedGrad, p, x)
	return out
}

func diagEmbedGrad(b *backprop, dy *Tensor) {
	p := b.params().(plane)
	b.give(0, dy.Diagonal(p.offset, p.a, p.b))
}

// Diag returns a matrix of zeros with x, a vector, as diagonal k; or a copy of diagonal k of x, a matrix.
func (x *Tensor) Diag(k int) *Tensor {
	refuseNil("diag", "input", 1, x)
	switch rank := x.layout.Rank(); rank {
	case 1:
		return x.DiagEmbed(k, 0, 1)
	case 2:
		return x.Diagonal(k, 0, 1).Clone()
	default:
		fail("diag", ErrShape, fmt.Sprintf("diag(): Supports 1D or 2D tensors. Got %dD", rank), x)
		return nil
	}
}

// Trace returns Σ x[i, i] of a matrix. That of integers is int64.
func (x *Tensor) Trace() *Tensor {
	x = x.autocast(op.Trace)
	refuseNil("trace", "input", 1, x)
	if rank := x.layout.Rank(); rank != 2 {
		fail("trace", ErrShape, fmt.Sprintf("trace: expected a matrix, but got tensor with dim %d", rank), x)
	}
	if x.dtype == dtype.Bool {
		fail("trace", ErrKernel, noKernel("trace", x.dtype), x)
	}
	out := x.alias(x.layout.Diagonal(0, 1, 0)).total(op.Sum)
	record(out, op.Trace, traceGrad, nil, x)
	return out
}

func traceGrad(b *backprop, dy *Tensor) {
	l := layout.Contiguous(b.input(0)).Diagonal(0, 1, 0)
	b.givePart(dy.Expand(l.Shape()...), l)
}

// BlockDiag returns a matrix of zeros with matrices along its diagonal, each beginning behind the last row and the last column of the
// one before. A vector is a matrix of one row. Dtypes are promoted.
func BlockDiag(ts ...*Tensor) *Tensor {
	if len(ts) == 0 {
		return Empty(1, 0)
	}
	refuseNilIn("block_diag", ts)
	sizes, shape := make([][2]int, len(ts)), make(Shape, 2)
	for i, t := range ts {
		if t.storage.device != ts[0].storage.device {
			fail("block_diag", ErrDevice, "torch.block_diag: input tensors must all be on the same device. Input 0 is on device "+
				fmt.Sprintf("%s and input %d is on device %s", ts[0].storage.device, i, t.storage.device), ts...)
		}
		rank := t.layout.Rank()
		if rank > 2 {
			fail("block_diag", ErrShape, fmt.Sprintf("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %d has %d dimensions", i, rank), ts...)
		}
		sizes[i] = [2]int{1, 1}
		copy(sizes[i][2-rank:], t.layout.Shape())
		shape[0], shape[1] = shape[0]+sizes[i][0], shape[1]+sizes[i][1]
	}
	out := newResult("block_diag", ts[0].storage.device, commonTypeOf(ts), layout.Fresh(shape...), nil, ts...).fill(backend.Scalar{})
	blocksOf(out, sizes, func(i int, block *Tensor) {
		block.copyFrom(ts[i].alias(ts[i].layout.Expand(nil, block.layout.Shape())))
	})
	record(out, op.BlockDiag, blockDiagGrad, sizes, ts...)
	return out
}

// blocksOf visits the blocks along the diagonal of x.
func blocksOf(x *Tensor, sizes [][2]int, visit func(i int, block *Tensor)) {
	row, column := 0, 0
	for i, n := range sizes {
		visit(i, x.alias(x.layout.Narrow(nil, 0, row, row+n[0], 1).Narrow(nil, 1, column, column+n[1], 1)))
		row, column = row+n[0], column+n[1]
	}
}

func blockDiagGrad(b *backprop, dy *Tensor) {
	row, column := 0, 0
	for i, n := range b.params().([][2]int) {
		b.giveNeeded(i, func() *Tensor { return dy.Narrow(0, row, n[0]).Narrow(1, column, n[1]).Reshape(b.input(i)...) })
		row, column = row+n[0], column+n[1]
	}
}
