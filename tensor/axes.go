package tensor

import (
	"fmt"
	"slices"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// T returns x with its axes in reverse order: the transpose of a matrix. Of more than two axes PyTorch calls that deprecated;
// Transpose(-2, -1) transposes batches of matrices.
func (x *Tensor) T() *Tensor {
	if rank := x.layout.Rank(); rank > 2 {
		order := make([]int, rank)
		for i := range order {
			order[i] = rank - 1 - i
		}
		return x.Permute(order...)
	}
	l := *x.layout
	var room layout.Room
	if l.Rank() == 2 {
		l = l.Transpose(room[:], 0, 1)
	}
	return x.viewAs(op.T, tGrad, nil, l)
}

func tGrad(b *backprop, dy *Tensor) { b.give(0, dy.T()) }

// Transpose returns x with axes a and b exchanged.
func (x *Tensor) Transpose(a, b int) *Tensor {
	axes := [2]int{x.axis("transpose", a), x.axis("transpose", b)}
	var room layout.Room
	return x.viewAs(op.Transpose, transposeGrad, ifTracked(x, axes), x.layout.Transpose(room[:], axes[0], axes[1]))
}

func transposeGrad(b *backprop, dy *Tensor) {
	axes := b.params().([2]int)
	b.give(0, dy.Transpose(axes[0], axes[1]))
}

// Permute returns x with its axes in another order: axis i of the result is axis axes[i] of x.
func (x *Tensor) Permute(axes ...int) *Tensor {
	if len(axes) != x.layout.Rank() {
		fail("permute", ErrShape, fmt.Sprintf("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "+
			"desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d", x.layout.Rank(), len(axes)), x)
	}
	var orderRoom [layout.MaxRank]int
	order := orderRoom[:len(axes)]
	var seen uint32
	for i, a := range axes {
		order[i] = x.axis("permute", a)
		if seen&(1<<order[i]) != 0 {
			fail("permute", ErrValue, "permute(): duplicate dims are not allowed.", x)
		}
		seen |= 1 << order[i]
	}
	var params any
	if x.node != nil {
		params = slices.Clone(order)
	}
	var room layout.Room
	return x.viewAs(op.Permute, permuteGrad, params, x.layout.Permute(room[:], order))
}

func permuteGrad(b *backprop, dy *Tensor) { b.give(0, dy.unpermuted(b.params().([]int))) }

// MoveAxis returns x with each axis source[i] at place destination[i]; the others keep their order.
func (x *Tensor) MoveAxis(source, destination []int) *Tensor {
	if len(source) != len(destination) {
		fail("movedim", ErrValue, fmt.Sprintf("movedim: Invalid source or destination dims: source (%s dims) should contain the same number of dims as "+
			"destination (%s dims)", Shape(source).List(), Shape(destination).List()), x)
	}
	from, to := x.distinct("source", source), x.distinct("destination", destination)
	rank := x.layout.Rank()
	if rank == 0 {
		return x.viewAs(op.Alias, viewGrad, nil, *x.layout)
	}
	order := slices.Repeat([]int{-1}, rank)
	for i, axis := range to {
		order[axis] = from[i]
	}
	next := 0
	for i := range order {
		for order[i] < 0 {
			if !slices.Contains(from, next) {
				order[i] = next
			}
			next++
		}
	}
	return x.Permute(order...)
}

// distinct resolves the axes that a MoveAxis names.
func (x *Tensor) distinct(what string, axes []int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = x.axis("movedim", a)
		if slices.Contains(out[:i], out[i]) {
			fail("movedim", ErrValue, fmt.Sprintf("movedim: repeated dim in `%s` (%s)", what, Shape(axes).List()), x)
		}
	}
	return out
}

// Squeeze returns x without its axes of extent 1.
func (x *Tensor) Squeeze() *Tensor {
	var room layout.Room
	return x.viewAs(op.Squeeze, viewGrad, nil, x.layout.Squeeze(room[:], 1<<x.layout.Rank()-1))
}

// SqueezeAxis returns x without those of the given axes that have extent 1.
func (x *Tensor) SqueezeAxis(axes ...int) *Tensor {
	p := op.Reduce{}
	if len(axes) > 0 {
		p = x.reduced("squeeze", axes, false)
	}
	var room layout.Room
	return x.viewAs(op.SqueezeAxis, viewGrad, nil, x.layout.Squeeze(room[:], p.Axes))
}

// Unsqueeze returns x with a new axis of extent 1 before axis; -1 appends it.
func (x *Tensor) Unsqueeze(axis int) *Tensor {
	at, err := layout.Axis(axis, x.layout.Rank()+1)
	check("unsqueeze", ErrIndex, err, x)
	var room layout.Room
	return x.viewAs(op.Unsqueeze, viewGrad, nil, x.layout.Unsqueeze(room[:], at))
}

// lineShape is the shape of n elements that lie along one of several axes.
func lineShape(rank, axis, n int) Shape {
	shape := make(Shape, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = n
	return shape
}
