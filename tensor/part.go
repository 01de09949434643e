package tensor

import (
	"fmt"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/program"
)

// End, as the end of a Slice, is the end of the axis.
const End = math.MaxInt

// section is every step-th index of an axis from start on, below end.
type section struct{ axis, start, end, step int }

func (s section) of(room []int, l layout.Layout) layout.Layout {
	return l.Narrow(room, s.axis, s.start, s.end, s.step)
}

// Slice returns elements start, start+step, … below end of one axis. As in Python, negative indices count from the end, and
// those out of range are moved into it; the step is 1 unless given.
func (x *Tensor) Slice(axis, start, end int, step ...int) *Tensor {
	return x.section(op.Slice, x.sectionOf("slice", axis, start, end, step))
}

// sectionOf reads a section as Python does.
func (x *Tensor) sectionOf(name string, axis, start, end int, step []int) section {
	refuseNil(name, "input", 1, x)
	x.refuseScalar("slice", ErrShape, "slice() cannot be applied to a 0-dim tensor.")
	s := section{axis: x.axis(name, axis), step: 1}
	if len(step) > 0 {
		s.step = step[0]
	}
	if s.step <= 0 {
		fail(name, ErrValue, "slice step must be positive", x)
	}
	n := x.layout.Shape()[s.axis]
	s.start = clampIndex(start, n)
	s.end = max(clampIndex(end, n), s.start)
	return s
}

// refuseScalar panics where x has no axes.
func (x *Tensor) refuseScalar(name string, kind error, text string) {
	if x.layout.Rank() == 0 {
		fail(name, kind, text, x)
	}
}

// clampIndex resolves an index that may count from the end into 0 … n.
func clampIndex(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// sectionGrad is the gradient of every view that keeps a section of one axis.
func sectionGrad(b *backprop, dy *Tensor) {
	b.givePart(dy, b.params().(section).of(nil, layout.Contiguous(b.input(0))))
}

// Narrow returns length elements of one axis from start on, which may count from the end.
func (x *Tensor) Narrow(axis, start, length int) *Tensor {
	x.refuseScalar("narrow", ErrShape, "narrow() cannot be applied to a 0-dim tensor.")
	if length < 0 {
		fail("narrow", ErrValue, "narrow(): length must be non-negative.", x)
	}
	axis = x.axis("narrow", axis)
	n := x.layout.Shape()[axis]
	if start < -n || start > n {
		fail("narrow", ErrIndex, fmt.Sprintf("start out of range (expected to be in range of [%d, %d], but got %d)", -n, n, start), x)
	}
	if start < 0 {
		start += n
	}
	if length > n-start {
		fail("narrow", ErrShape, fmt.Sprintf("start (%d) + length (%d) exceeds dimension size (%d).", start, length, n), x)
	}
	s := section{axis, start, start + length, 1}
	return x.section(op.Slice, s)
}

// position is one index of an axis.
type position struct{ axis, index int }

// Select returns index i of one axis, which disappears; i may count from the end.
func (x *Tensor) Select(axis, i int) *Tensor {
	x.refuseScalar("select", ErrIndex, "select() cannot be applied to a 0-dim tensor.")
	axis = x.axis("select", axis)
	if n := x.layout.Shape()[axis]; i < -n || i >= n {
		fail("select", ErrIndex, fmt.Sprintf("select(): index %d out of range for tensor of size %s at dimension %d", i, x.layout.Shape().List(), axis), x)
	}
	return x.pick(axis, i)
}

func (x *Tensor) pick(axis, i int) *Tensor {
	if i < 0 {
		i += x.layout.Shape()[axis]
	}
	var room layout.Room
	return x.viewAs(op.Select, selectGrad, ifTracked(x, position{axis, i}), x.layout.Select(room[:], axis, i))
}

func selectGrad(b *backprop, dy *Tensor) {
	p := b.params().(position)
	b.givePart(dy, layout.Contiguous(b.input(0)).Select(nil, p.axis, p.index))
}

// At returns what lies at the given indices of the first axes, which disappear: x.At(i, j) is Python's x[i, j].
func (x *Tensor) At(indices ...int) *Tensor {
	rank := x.layout.Rank()
	switch {
	case len(indices) > 0 && rank == 0:
		fail("index", ErrIndex, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number", x)
	case len(indices) > rank:
		fail("index", ErrIndex, fmt.Sprintf("too many indices for tensor of dimension %d", rank), x)
	}
	for axis, i := range indices {
		if n := x.layout.Shape()[axis]; i < -n || i >= n {
			fail("index", ErrIndex, fmt.Sprintf("index %d is out of bounds for dimension %d with size %d", i, axis, n), x)
		}
	}
	out := x
	for _, i := range indices {
		out = out.pick(0, i)
	}
	return out
}

// givePart sends dy to that part of the only input which l, a layout over the contiguous input, describes; the rest gets
// zeros. Where a gradient is already pending dy is added in place, so that many parts cost no more than one whole; where that is of other parts alone it
// is copied there, as the gradients of chunks are joined.
func (b *backprop) givePart(dy *Tensor, l layout.Layout) {
	e := &b.current.edges[0]
	b.checkShape(0, e)
	if old := b.pending.find(e.to); old != nil && old.exclusive() && old.dtype == dy.dtype && old.storage.device == dy.storage.device {
		if b.placed.free(old.storage, &l) {
			old.alias(l).copyFrom(dy)
		} else {
			old.alias(l).addInto(dy)
		}
		return
	}
	g := dy.placed(e.layout.Shape(), l)
	b.placed = placedParts{g.storage, []layout.Layout{l}}
	b.give(0, g)
}

// placedParts are the parts of a gradient that were written, where the rest is zeros still.
type placedParts struct {
	of    *storage
	parts []layout.Layout
}

// mostParts is how many parts are told apart.
const mostParts = 64

// free reports whether a part of a gradient is zeros still, and notes that it is written.
func (p *placedParts) free(of *storage, l *layout.Layout) bool {
	if p.of != of || len(p.parts) == mostParts || slices.ContainsFunc(p.parts, func(k layout.Layout) bool { return !program.Apart(&k, l) }) {
		p.of = nil
		return false
	}
	p.parts = append(p.parts, *l)
	return true
}

// placed returns zeros of a shape with x in that part which l, a layout over them, describes.
func (x *Tensor) placed(shape Shape, l layout.Layout) *Tensor {
	g := x.zeros(shape)
	g.alias(l).copyFrom(x)
	record(g, op.Pad, placedGrad, ifTracked(x, l), x)
	return g
}

func placedGrad(b *backprop, dy *Tensor) { b.give(0, dy.cutAt(b.params().(layout.Layout))) }

// cutAt returns that part of x which l, a layout over a contiguous tensor of its shape, describes.
func (x *Tensor) cutAt(l layout.Layout) *Tensor {
	x = x.Contiguous()
	at := l
	at.Offset += x.layout.Offset
	g := x.alias(at)
	record(g, op.Slice, cutGrad, ifTracked(x, l), x)
	return g
}

// cutGrad is the gradient of a part that is not named by an axis.
func cutGrad(b *backprop, dy *Tensor) { b.givePart(dy, b.params().(layout.Layout)) }

// zeros returns zeros of another shape in x's dtype, on its device and in its scope.
func (x *Tensor) zeros(shape Shape) *Tensor { return x.zerosAs(x.dtype, shape) }

func (x *Tensor) zerosAs(dt dtype.DType, shape Shape) *Tensor {
	return x.empty(op.Fill, dt, shape).fill(backend.Scalar{})
}
