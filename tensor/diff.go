package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
)

// DiffOption is an option of Diff: Prepend, Append or DiffOrder.
type DiffOption interface{ diffOption() }

// DiffOrder is how often Diff takes differences, once unless given.
type DiffOrder int

// Prepend makes Diff put a tensor before its input along the axis.
func Prepend(t *Tensor) DiffOption { return prepended{t} }

// Append makes Diff put a tensor behind its input along the axis.
func Append(t *Tensor) DiffOption { return appended{t} }

type (
	prepended struct{ tensor *Tensor }
	appended  struct{ tensor *Tensor }
)

func (DiffOrder) diffOption() {}
func (prepended) diffOption() {}
func (appended) diffOption()  {}

// Diff returns x[i+1] - x[i] along an axis, whose extent it shortens by one each time; of bools whether they differ.
func (x *Tensor) Diff(axis int, opts ...DiffOption) *Tensor {
	x.refuseScalar("diff", ErrShape, "diff expects input to be at least one-dimensional")
	axis = x.axis("diff", axis)
	times := 1
	var before, after *Tensor
	for _, opt := range opts {
		switch o := opt.(type) {
		case DiffOrder:
			times = int(o)
		case prepended:
			before = o.tensor
		case appended:
			after = o.tensor
		}
	}
	if times < 0 {
		fail("diff", ErrValue, fmt.Sprintf("order must be non-negative but got %d", times), x)
	}
	y := x
	if before != nil || after != nil {
		parts := slices.DeleteFunc([]*Tensor{before, x, after}, func(t *Tensor) bool { return t == nil })
		y = Cat(parts, axis)
	}
	for range min(times, y.layout.Shape()[axis]) {
		n := y.layout.Shape()[axis]
		after, before := y.Narrow(axis, 1, n-1), y.Narrow(axis, 0, n-1)
		if y.dtype == dtype.Bool {
			y = after.LogicalXor(before)
		} else {
			y = after.Sub(before)
		}
	}
	if y == x {
		return x.Clone()
	}
	return y
}
