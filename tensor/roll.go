package tensor

import (
	"fmt"
	"slices"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// rolling is what Roll was told.
type rolling struct{ shifts, axes []int }

// Roll returns x with its elements moved along axes by one shift each; what leaves at the end comes back in front. Without axes it
// moves the elements in row-major order by the only shift.
func (x *Tensor) Roll(shifts []int, axes ...int) *Tensor {
	refuseNil("roll", "input", 1, x)
	out := x.rolled(shifts, axes)
	record(out, op.Roll, rollGrad, rolling{slices.Clone(shifts), slices.Clone(axes)}, x)
	return out
}

func rollGrad(b *backprop, dy *Tensor) {
	p := b.params().(rolling)
	back := make([]int, len(p.shifts))
	for i, n := range p.shifts {
		back[i] = -n
	}
	g := dy.rolled(back, p.axes)
	record(g, op.Roll, rollGrad, ifTracked(dy, rolling{back, p.axes}), dy)
	b.give(0, g)
}

func (x *Tensor) rolled(shifts, axes []int) *Tensor {
	switch {
	case len(shifts) == 0:
		fail("roll", ErrValue, "`shifts` required", x)
	case len(axes) == 0 && len(shifts) == 1:
		flat := x.packedCopy()
		flat = flat.alias(layout.Of(Shape{x.layout.Size()}, []int{1}, flat.layout.Offset))
		return flat.rolled(shifts, []int{0}).shaped(x.layout.Shape())
	case len(axes) != len(shifts):
		fail("roll", ErrShape, fmt.Sprintf("shifts and dimensions must align. shifts: %d, dims:%d", len(shifts), len(axes)), x)
	}
	if x.layout.Rank() == 0 {
		fail("roll", ErrIndex, fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axes[0]), x)
	}
	var by [layout.MaxRank]int // how far along each axis, 0 … extent-1
	for i, a := range axes {
		axis := x.axis("roll", a)
		if x.layout.Size() > 0 {
			n := x.layout.Shape()[axis]
			by[axis] = (by[axis] + shifts[i]%n + n) % n
		}
	}
	out := x.like(op.Roll, x.dtype)
	eachRolled(out.layout, x.layout, by[:x.layout.Rank()], func(to, from layout.Layout) { out.alias(to).copyFrom(x.alias(from)) })
	return out
}

// eachRolled visits the parts of a tensor that move together: along each axis of a shift, what stays before the end and what comes
// back in front.
func eachRolled(to, from *layout.Layout, by []int, visit func(to, from layout.Layout)) {
	axis := len(by) - 1
	for axis >= 0 && by[axis] == 0 {
		axis--
	}
	if axis < 0 {
		visit(*to, *from)
		return
	}
	k, n := by[axis], to.Shape()[axis]
	for _, part := range [...]struct{ at, from, length int }{{k, 0, n - k}, {0, n - k, k}} {
		there := to.Narrow(nil, axis, part.at, part.at+part.length, 1)
		here := from.Narrow(nil, axis, part.from, part.from+part.length, 1)
		eachRolled(&there, &here, by[:axis], visit)
	}
}

// shaped returns x, a fresh contiguous result, under another shape.
func (x *Tensor) shaped(shape Shape) *Tensor {
	x.layout = layout.Fresh(shape...)
	return x
}

// Flip returns x with the order of the elements along the given axes reversed. It is a copy.
func (x *Tensor) Flip(axes ...int) *Tensor {
	refuseNil("flip", "input", 1, x)
	p := op.Reduce{}
	if len(axes) > 0 {
		p = x.reduced("flip", axes, false)
	}
	out := x.flipped(p.Axes)
	record(out, op.Flip, flipGrad, p.Axes, x)
	return out
}

func flipGrad(b *backprop, dy *Tensor) {
	g := dy.flipped(b.params().(uint32))
	record(g, op.Flip, flipGrad, b.params(), dy)
	b.give(0, g)
}

// flipped is Flip along axes, a bit each, without a gradient record.
func (x *Tensor) flipped(axes uint32) *Tensor {
	out := x
	for axis, n := range x.layout.Shape() {
		if axes&(1<<axis) == 0 || n < 2 {
			continue
		}
		index, last := x.counting(n-1, -1, n), out
		out = last.selectRows(op.IndexSelect, axis, index)
		index.storage.discard()
		if last != x {
			last.storage.discard()
		}
	}
	if out == x {
		return x.like(op.Flip, x.dtype).copyFrom(x)
	}
	return out
}

// FlipLR is Flip along the second axis.
func (x *Tensor) FlipLR() *Tensor {
	x.wantRank("fliplr", 2)
	return x.Flip(1)
}

// FlipUD is Flip along the first axis.
func (x *Tensor) FlipUD() *Tensor {
	x.wantRank("flipud", 1)
	return x.Flip(0)
}

func (x *Tensor) wantRank(name string, rank int) {
	refuseNil(name, "input", 1, x)
	if x.layout.Rank() < rank {
		fail(name, ErrShape, fmt.Sprintf("Input must be >= %d-d.", rank), x)
	}
}

// turning is what Rot90 was told.
type turning struct{ k, a, b int }

// Rot90 returns x turned k times by 90°, from axis a towards axis b; backwards where k is negative. It is a copy.
func (x *Tensor) Rot90(k, a, b int) *Tensor {
	refuseNil("rot90", "input", 1, x)
	rank := x.layout.Rank()
	switch {
	case rank < 2:
		fail("rot90", ErrShape, fmt.Sprintf("expected total dims >= 2, but got total dims = %d", rank), x)
	case a == b, a-b == rank, b-a == rank:
		fail("rot90", ErrValue, fmt.Sprintf("expected rotation dims to be different, but got dim0 = %d and dim1 = %d", a, b), x)
	}
	p := turning{k & 3, x.axis("rot90", a), x.axis("rot90", b)}
	out := x.turned(p)
	record(out, op.Rot90, rot90Grad, p, x)
	return out
}

func rot90Grad(b *backprop, dy *Tensor) {
	p := b.params().(turning)
	p.k = -p.k & 3
	g := dy.turned(p)
	record(g, op.Rot90, rot90Grad, ifTracked(dy, p), dy)
	b.give(0, g)
}

func (x *Tensor) turned(p turning) *Tensor {
	crossed := x.alias(x.layout.Transpose(nil, p.a, p.b))
	switch p.k {
	case 1:
		return crossed.flipped(1 << p.a)
	case 2:
		return x.flipped(1<<p.a | 1<<p.b)
	case 3:
		return crossed.flipped(1 << p.b)
	default:
		return x.flipped(0)
	}
}
