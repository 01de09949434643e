package tensor

import (
	"errors"
	"fmt"
	"slices"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// viewAs returns x under another layout of its storage, as the result of the view op o.
func (x *Tensor) viewAs(o op.Op, back gradient, params any, l layout.Layout) *Tensor {
	switch {
	case l.Rank() > layout.MaxRank:
		check(o.String(), ErrShape, errTooManyAxes, x)
	case l.Size() < 0:
		fail(o.String(), ErrShape, "numel: integer multiplication overflow", x)
	}
	out := x.alias(l)
	record(out, o, back, params, x)
	return out
}

// ifTracked returns params where x tracks gradients, else nil, for which nothing is allocated.
func ifTracked[P any](x *Tensor, params P) any {
	if x.node == nil {
		return nil
	}
	return params
}

// View returns the same elements under another shape, in which one extent may be -1; it panics where that needs a copy.
func (x *Tensor) View(sizes ...int) *Tensor {
	var room [4]int
	shape, err := layout.InferSize(room[:0], sizes, x.layout.Size())
	check("view", ErrShape, err, x)
	if x.layout.IsContiguous() && len(shape) <= layout.MaxRank {
		return x.viewPacked(shape)
	}
	l, ok := x.layout.View(shape)
	if !ok {
		fail("view", ErrShape, "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.", x)
	}
	return x.viewAs(op.View, viewGrad, nil, l)
}

// viewPacked is View of a contiguous tensor.
func (x *Tensor) viewPacked(shape Shape) *Tensor {
	y, room := x.see(len(shape))
	y.layout.SetReshaped(room, x.layout, shape)
	record(y, op.View, viewGrad, nil, x)
	return y
}

// Reshape returns the same elements under another shape, as a view where the layout allows it, else as a copy.
func (x *Tensor) Reshape(sizes ...int) *Tensor {
	shape, err := layout.InferSize(nil, sizes, x.layout.Size())
	check("reshape", ErrShape, err, x)
	if x.layout.IsContiguous() && len(shape) <= layout.MaxRank {
		return x.viewPacked(shape)
	}
	if l, ok := x.layout.View(shape); ok {
		return x.viewAs(op.View, viewGrad, nil, l)
	}
	if len(shape) > layout.MaxRank {
		check("reshape", ErrShape, errTooManyAxes, x)
	}
	out := x.like(op.UnsafeView, x.dtype).copyFrom(x)
	out.layout = new(layout.Contiguous(shape))
	record(out, op.UnsafeView, viewGrad, nil, x)
	return out
}

// viewGrad is the gradient of every op that keeps the elements in row-major order.
func viewGrad(b *backprop, dy *Tensor) { b.give(0, dy.Reshape(b.input(0)...)) }

// Flatten returns x with the axes from start to end, inclusive, made one; a tensor without axes gets one.
func (x *Tensor) Flatten(start, end int) *Tensor {
	rank := x.layout.Rank()
	first, last := x.axis("flatten", start), x.axis("flatten", end)
	if first > last {
		fail("flatten", ErrShape, "flatten() has invalid args: start_dim cannot come after end_dim", x)
	}
	if rank == 0 {
		return x.Reshape(1)
	}
	if first == last {
		return x
	}
	old := x.layout.Shape()
	n, _ := old[first : last+1].NumEl()
	shape := append(append(append(Shape{}, old[:first]...), n), old[last+1:]...)
	return x.Reshape(shape...)
}

// Unflatten returns x with one axis split into axes of the given sizes, of which one may be -1.
func (x *Tensor) Unflatten(axis int, sizes ...int) *Tensor {
	axis = x.axis("unflatten", axis)
	if len(sizes) == 0 {
		fail("unflatten", ErrShape, "unflatten: sizes must be non-empty", x)
	}
	x.refuseScalar("unflatten", ErrShape, "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
	old := x.layout.Shape()
	inner, err := layout.InferSize(nil, sizes, old[axis])
	if errors.Is(err, layout.ErrSeveralInferred) {
		fail("unflatten", ErrShape, "unflatten got an unexpected error:\n"+err.Error(), x)
	}
	if err != nil {
		fail("unflatten", ErrShape, fmt.Sprintf("unflatten: Provided sizes %s don't multiply up to the size of dim %d (%d) in the input tensor",
			Shape(sizes).List(), axis, old[axis]), x)
	}
	shape := append(append(append(Shape{}, old[:axis]...), inner...), old[axis+1:]...)
	return x.View(shape...)
}

// Expand returns x with axes of extent 1, and new axes in front, repeated to the given extents without a copy; -1 keeps
// an extent.
func (x *Tensor) Expand(sizes ...int) *Tensor {
	shape := x.expandedShape(sizes)
	var room layout.Room
	return x.viewAs(op.Expand, expandGrad, nil, x.layout.Expand(room[:], shape))
}

func expandGrad(b *backprop, dy *Tensor) { b.give(0, dy.sumTo(b.input(0))) }

func (x *Tensor) expandedShape(sizes []int) Shape {
	old := x.layout.Shape()
	lead := len(sizes) - len(old)
	if lead < 0 {
		fail("expand", ErrShape, fmt.Sprintf("expand(%s{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
			x.dtype.TensorType(), old.List(), Shape(sizes).List(), len(sizes), len(old)), x)
	}
	shape := append(Shape{}, sizes...)
	for i, n := range slices.Backward(sizes) {
		switch {
		case n == -1 && i >= lead:
			shape[i] = old[i-lead]
		case n < 0:
			fail("expand", ErrShape, fmt.Sprintf("The expanded size of the tensor (%d) isn't allowed in a leading, non-existing dimension %d", n, i), x)
		case i >= lead && old[i-lead] != n && old[i-lead] != 1:
			fail("expand", ErrShape, fmt.Sprintf("The expanded size of the tensor (%d) must match the existing size (%d) at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
				n, old[i-lead], i, Shape(sizes).List(), old.List()), x)
		}
	}
	return shape
}

// ExpandAs returns x expanded to the shape of y.
func (x *Tensor) ExpandAs(y *Tensor) *Tensor {
	refuseNil("expand_as", "other", 2, y)
	return x.Expand(y.layout.Shape()...)
}

// ViewAs returns x's elements under the shape of y.
func (x *Tensor) ViewAs(y *Tensor) *Tensor {
	refuseNil("view_as", "other", 2, y)
	return x.View(y.layout.Shape()...)
}
