package tensor

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Cat joins tensors along one axis; the other extents must agree. Dtypes are promoted. An empty tensor with one axis fits
// anywhere and adds nothing.
func Cat(ts []*Tensor, axis int) *Tensor {
	if len(ts) == 0 {
		fail("cat", ErrValue, "torch.cat(): expected a non-empty list of Tensors")
	}
	refuseNilIn("cat", ts)
	return joinOf(ts, axis).of(op.Cat, sameJoined("cat", ts), ts, func(part, t *Tensor) { part.copyFrom(t) })
}

// sameJoined returns the device of tensors to join, of which none may be elsewhere.
func sameJoined(name string, ts []*Tensor) device.Device {
	home := ts[0].storage.device
	for i, t := range ts {
		if dev := t.storage.device; dev != home {
			failArgument(name, "wrapper_CUDA_cat", "tensors", home, dev,
				argument{"tensors[0]", ts[0]}, argument{fmt.Sprintf("tensors[%d]", i), t})
		}
	}
	return home
}

// join is the plan of a Cat: the result's shape, and how much of the axis each tensor takes.
type join struct {
	axis  int
	sizes []int
	shape Shape
}

// of joins tensors on a device; fill copies one of them to its part of the result.
func (j join) of(o op.Op, dev device.Device, ts []*Tensor, fill func(part, t *Tensor)) *Tensor {
	out := newResult(o.String(), dev, commonTypeOf(ts), layout.Fresh(j.shape...), nil, ts...)
	at := 0
	for i, t := range ts {
		t.alive()
		n := j.sizes[i]
		if !skipped(t.layout.Shape()) {
			fill(out.alias(out.layout.Narrow(nil, j.axis, at, at+n, 1)), t)
		}
		at += n
	}
	record(out, o, catGrad, j, ts...)
	return out
}

func catGrad(b *backprop, dy *Tensor) {
	j := b.params().(join)
	at := 0
	for i, n := range j.sizes {
		if b.needs(i) {
			g := dy.Narrow(j.axis, at, n)
			if skipped(b.input(i)) {
				g = dy.zeros(Shape{0})
			}
			b.give(i, g)
		}
		at += n
	}
}

// skipped reports whether Cat passes a tensor over, as it always did: one axis of extent 0.
func skipped(shape Shape) bool { return len(shape) == 1 && shape[0] == 0 }

func joinOf(ts []*Tensor, axis int) join {
	j := join{sizes: make([]int, len(ts))}
	var first *Tensor // the first that is not skipped
	for i, t := range ts {
		if t.layout.Rank() == 0 {
			fail("cat", ErrShape, fmt.Sprintf("zero-dimensional tensor (at position %d) cannot be concatenated", i), ts...)
		}
		if first == nil && !skipped(t.layout.Shape()) {
			first = t
		}
	}
	if first == nil {
		j.axis = ts[0].axis("cat", axis)
		j.shape = Shape{0}
		return j
	}
	j.axis = first.axis("cat", axis)
	j.shape = first.Shape()
	j.shape[j.axis] = 0
	for i, t := range ts {
		if skipped(t.layout.Shape()) {
			continue
		}
		j.fits(i, t, first)
		n := t.layout.Shape()[j.axis]
		j.sizes[i] = n
		if j.shape[j.axis] += n; j.shape[j.axis] < 0 {
			fail("cat", ErrMemory, "Storage size calculation overflowed", ts...)
		}
	}
	return j
}

// fits panics where tensor i does not agree with the first.
func (j join) fits(i int, t, first *Tensor) {
	got, want := t.layout.Shape(), first.layout.Shape()
	if len(got) != len(want) {
		fail("cat", ErrShape, fmt.Sprintf("Tensors must have same number of dimensions: got %d and %d", len(want), len(got)), first, t)
	}
	for k := range want {
		if k != j.axis && got[k] != want[k] {
			fail("cat", ErrShape, fmt.Sprintf("Sizes of tensors must match except in dimension %d. Expected size %d but got size %d for tensor number %d in the list.",
				j.axis, want[k], got[k], i), first, t)
		}
	}
}

// commonTypeOf returns the dtype in which many tensors meet.
func commonTypeOf(ts []*Tensor) dtype.DType {
	var p dtype.Promotion
	for _, t := range ts {
		operand{t: t}.promote(&p)
	}
	return p.Result()
}

// Stack joins tensors of one shape along a new axis before axis; -1 appends it. Dtypes are promoted.
func Stack(ts []*Tensor, axis int) *Tensor {
	if len(ts) == 0 {
		fail("stack", ErrValue, "stack expects a non-empty TensorList")
	}
	refuseNilIn("stack", ts)
	first := ts[0]
	at, err := layout.Axis(axis, first.layout.Rank()+1)
	check("stack", ErrIndex, err, first)
	for i, t := range ts {
		if !t.layout.Shape().Equal(first.layout.Shape()) {
			fail("stack", ErrShape, fmt.Sprintf("stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %d",
				first.layout.Shape().List(), t.layout.Shape().List(), i), first, t)
		}
	}
	shape := append(append(append(Shape{}, first.layout.Shape()[:at]...), len(ts)), first.layout.Shape()[at:]...)
	out := newResult("stack", sameJoined("stack", ts), commonTypeOf(ts), layout.Fresh(shape...), nil, ts...)
	for i, t := range ts {
		t.alive()
		out.alias(out.layout.Select(nil, at, i)).copyFrom(t)
	}
	record(out, op.Stack, stackGrad, at, ts...)
	return out
}

func stackGrad(b *backprop, dy *Tensor) {
	axis := b.params().(int)
	for i := range dy.layout.Shape()[axis] {
		if b.needs(i) {
			b.give(i, dy.Select(axis, i))
		}
	}
}
