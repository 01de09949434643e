package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// SelectScatter returns x with src where Select(axis, i) looks.
func (x *Tensor) SelectScatter(src *Tensor, axis, i int) *Tensor {
	x.Detach().Select(axis, i) // which refuses what is out of range
	at := position{x.axis("select_scatter", axis), i}
	if i < 0 {
		at.index += x.layout.Shape()[at.axis]
	}
	return x.overlaid(op.SelectScatter, src, at)
}

// SliceScatter returns x with src where Slice(axis, start, end, step) looks.
func (x *Tensor) SliceScatter(src *Tensor, axis, start, end int, step ...int) *Tensor {
	return x.overlaid(op.SliceScatter, src, x.sectionOf("slice_scatter", axis, start, end, step))
}

// A part is what chooses a part of a layout.
type part interface {
	of(room []int, l layout.Layout) layout.Layout
	view(x *Tensor) *Tensor
}

func (s section) view(x *Tensor) *Tensor  { return x.section(op.Slice, s) }
func (p position) view(x *Tensor) *Tensor { return x.pick(p.axis, p.index) }

func (p position) of(room []int, l layout.Layout) layout.Layout {
	return l.Select(room, p.axis, p.index)
}

// overlaid returns x with src in the place of a part.
func (x *Tensor) overlaid(o op.Op, src *Tensor, at part) *Tensor {
	name := o.String()
	refuseNil(name, "src", 2, src)
	sameDevice(name, x, src)
	place := at.of(nil, *x.layout)
	if want := place.Shape(); !src.layout.Shape().Equal(want) {
		fail(name, ErrShape, fmt.Sprintf("expected src to have a size equal to the slice of self. src size = %s, slice size = %s",
			src.layout.Shape().List(), want.List()), x, src)
	}
	out := x.empty(o, x.dtype, x.layout.Shape(), src).copyFrom(x)
	out.alias(at.of(nil, *out.layout)).copyFrom(src)
	record(out, o, overlaidGrad, at, x, src)
	return out
}

func overlaidGrad(b *backprop, dy *Tensor) {
	at, o := b.params().(part), b.current.op
	b.giveNeeded(0, func() *Tensor {
		place := at.of(nil, *dy.layout)
		return dy.overlaid(o, dy.zeros(place.Shape()), at)
	})
	b.giveNeeded(1, func() *Tensor { return at.view(dy) })
}
