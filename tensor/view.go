package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// viewAs returns x under another layout of its storage, as the result of the view op o.
func (x *Tensor) viewAs(o op.Op, back gradient, params any, l layout.Layout) *Tensor {
	out := x.alias(l)
	record(out, o, back, params, x)
	return out
}

// View returns the same elements under another shape, in which one extent may be -1; it panics where that needs a copy.
func (x *Tensor) View(sizes ...int) *Tensor {
	shape, err := layout.InferSize(sizes, x.layout.Size())
	check("view", ErrShape, err, x)
	l, ok := x.layout.View(shape)
	if !ok {
		fail("view", ErrShape, "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.", x)
	}
	return x.viewAs(op.View, viewGrad, nil, l)
}

// Reshape returns the same elements under another shape, as a view where the layout allows it, else as a copy.
func (x *Tensor) Reshape(sizes ...int) *Tensor {
	shape, err := layout.InferSize(sizes, x.layout.Size())
	check("reshape", ErrShape, err, x)
	if l, ok := x.layout.View(shape); ok {
		return x.viewAs(op.View, viewGrad, nil, l)
	}
	out := x.like(op.UnsafeView, x.dtype)
	launch(op.Copy, x.dtype, nil, []*Tensor{out}, []*Tensor{x})
	out.layout = layout.Contiguous(shape)
	record(out, op.UnsafeView, viewGrad, nil, x)
	return out
}

func viewGrad(b *backprop, dy *Tensor) { b.give(0, dy.Reshape(b.input(0)...)) }

// T returns the transpose of a matrix; tensors with fewer axes are returned as they are.
func (x *Tensor) T() *Tensor {
	if x.layout.Rank() > 2 {
		fail("t", ErrShape, fmt.Sprintf("t() expects a tensor with <= 2 dimensions, but self is %dD", x.layout.Rank()), x)
	}
	l := x.layout
	if l.Rank() == 2 {
		l = l.Transpose(0, 1)
	}
	return x.viewAs(op.T, tGrad, nil, l)
}

func tGrad(b *backprop, dy *Tensor) { b.give(0, dy.T()) }

// Expand returns x with axes of extent 1, and new axes in front, repeated to the given extents without a copy; -1 keeps
// an extent.
func (x *Tensor) Expand(sizes ...int) *Tensor {
	shape := x.expandedShape(sizes)
	return x.viewAs(op.Expand, expandGrad, nil, x.layout.Expand(shape))
}

func expandGrad(b *backprop, dy *Tensor) { b.give(0, dy.sumTo(b.input(0))) }

func (x *Tensor) expandedShape(sizes []int) Shape {
	old := x.layout.Shape
	lead := len(sizes) - len(old)
	if lead < 0 {
		fail("expand", ErrShape, fmt.Sprintf("expand(%s{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
			x.dtype.TensorType(), old.List(), Shape(sizes).List(), len(sizes), len(old)), x)
	}
	shape := append(Shape{}, sizes...)
	for i, n := range sizes {
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
