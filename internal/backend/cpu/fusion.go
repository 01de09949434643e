package cpu

import (
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
	"cresset/internal/par"
)

var _ backend.Fuser = Backend{}

// A region is computed in pieces that stay in a core's cache: all of its steps on one piece, by the loops of the ops, before the next. A
// result that is not stored has room for one piece.

// regionPiece is how many elements a piece has: three operands of so many float32 fit the L2 cache of a core, and the calls for a piece take little
// of its time: chain_compiled/1e7 takes a sixth less than with a quarter of it.
const regionPiece = 32 * 1024

// Fuses reports whether there is a loop for the call. A copy is a step where it converts, or reads lines as they lie.
func (Backend) Fuses(c *backend.Call) bool {
	if kernels[c.Op][c.DType] == nil {
		return false
	}
	return c.Op != op.Copy || backend.ReadsLines(c)
}

// fused is a region, cut into boxes of its indices.
type fused struct {
	region  *backend.Region
	shape   layout.Shape
	in, out []layout.Layout // over shape
	axis    int             // along which the boxes divide the indices, with all indices along later ones
	length  int             // of a box along that axis
	outer   int             // how many boxes lie side by side along earlier axes
	across  int             // and along this one
	store   []int           // for each step, the result that it stores; -1 for none
	slots   []int           // for each step that stores nothing, where it has its room
	room    int             // bytes
}

// Fuse returns the region as boxes.
func (Backend) Fuse(r *backend.Region) (backend.Fused, error) {
	f := &fused{region: r, shape: r.Shape, store: make([]int, len(r.Steps))}
	for i := range f.store {
		f.store[i] = -1
	}
	for i := range r.Out {
		f.store[r.Out[i].Step] = i
		f.out = append(f.out, *r.Out[i].Layout)
	}
	for i := range r.In {
		f.in = append(f.in, layout.Layout{})
		if r.In[i].Layout != nil {
			f.in[i] = *r.In[i].Layout
		}
	}
	if r.Order.Threads > 0 {
		f.flattenRows()
	} else {
		f.flatten()
	}
	f.cut()
	f.layOut()
	return f, nil
}

// flatten makes one axis of all where every operand lies without gaps, or is one element.
func (f *fused) flatten() {
	n, _ := f.shape.NumEl()
	for _, all := range [][]layout.Layout{f.in, f.out} {
		for i := range all {
			if l := &all[i]; l.Rank() > 0 && !l.IsContiguous() && !l.IsUniform() {
				return
			}
		}
	}
	f.shape = layout.Shape{n}
	for _, all := range [][]layout.Layout{f.in, f.out} {
		for i := range all {
			step := 1
			if l := &all[i]; l.IsUniform() && n > 1 {
				step = 0
			}
			all[i] = layout.Of(f.shape, []int{step}, all[i].Offset)
		}
	}
}

// cut chooses the boxes, of whole rows where these are reduced.
func (f *fused) cut() {
	inner := 1
	f.axis = len(f.shape) - 1
	if f.region.Order.Threads > 0 {
		inner = f.shape[f.axis]
		f.axis--
	}
	for ; f.axis > 0 && inner*f.shape[f.axis] < regionPiece; f.axis-- {
		inner *= f.shape[f.axis]
	}
	f.outer = 1
	for _, n := range f.shape[:f.axis] {
		f.outer *= n
	}
	n := f.shape[f.axis]
	f.across = ceilDiv(n, max(regionPiece/inner, 1))
	f.length = ceilDiv(n, f.across)
	f.across = ceilDiv(n, f.length)
}

// layOut gives each result that is not stored room until it is read for the last time.
func (f *fused) layOut() {
	r, elements := f.region, f.length
	for _, n := range f.shape[f.axis+1:] {
		elements *= n
	}
	last := make([]int, len(r.Steps))
	for i := range r.Steps {
		last[i] = i
		for _, k := range r.Steps[i].From {
			if k >= len(r.In) {
				last[k-len(r.In)] = i
			}
		}
	}
	f.slots = make([]int, len(r.Steps))
	var free []int
	bytes := ceilDiv(elements*8, mem.Alignment) * mem.Alignment
	for i := range r.Steps {
		inPlace := f.dying(i, last)
		switch {
		case f.store[i] >= 0:
		case inPlace >= 0:
			f.slots[i] = f.slots[inPlace]
		case len(free) == 0:
			f.slots[i] = f.room
			f.room += bytes
		default:
			f.slots[i], free = free[len(free)-1], free[:len(free)-1]
		}
		for j := range r.Steps[:i+1] {
			if f.store[j] < 0 && last[j] == i && (j != inPlace || f.store[i] >= 0) {
				free = append(free, f.slots[j])
			}
		}
	}
}

// dying returns a step whose result step i reads for the last time, and in whose room it can write, as ops in place do; -1 where there is none.
func (f *fused) dying(i int, last []int) int {
	s := &f.region.Steps[i]
	if rowReductions[s.Op] || rowMaps[s.Op] {
		return -1
	}
	for _, k := range s.From {
		j := k - len(f.region.In)
		if j >= 0 && f.store[j] < 0 && last[j] == i && f.region.Steps[j].To.Size() == s.To.Size() && f.region.Steps[j].Row == s.Row {
			return j
		}
	}
	return -1
}

// Run computes box after box, on several threads.
func (f *fused) Run(out, in []backend.View) error {
	var failure atomic.Pointer[error]
	par.For(f.outer*f.across, 1, func(lo, hi int) {
		b := &box{fused: f, outs: out, ins: in}
		room, err := mem.Alloc(f.room)
		if err == nil {
			b.room = room
			defer room.Free()
			err = b.compute(lo, hi)
		}
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
	})
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// box is what a thread computes at a time.
type box struct {
	*fused
	outs, ins []backend.View
	room      *mem.Block
	shape     layout.Shape
	length    int
	views     []layout.Layout // of what is read, then of what is written, then of what has room
	rows      []layout.Layout // the same without the last axis, where a step has one result for each row
}

// compute computes boxes lo to hi.
func (b *box) compute(lo, hi int) error {
	for i := lo; i < hi; i++ {
		first := i % b.across * b.fused.length
		b.resize(min(b.fused.length, b.fused.shape[b.axis]-first))
		b.move(i/b.across, first)
		for s := range b.region.Steps {
			if err := b.step(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// resize makes the views those of a box of so many indices along the axis.
func (b *box) resize(n int) {
	if b.length == n {
		return
	}
	b.length = n
	b.shape = append(layout.Shape{n}, b.fused.shape[b.axis+1:]...)
	b.views = b.views[:0]
	for _, l := range b.in {
		b.views = append(b.views, b.part(l))
	}
	for _, l := range b.out {
		b.views = append(b.views, b.part(l))
	}
	for i := range b.region.Steps {
		b.views = append(b.views, b.roomOf(i))
	}
	b.rows = b.rowsOf(b.views, b.rows[:0])
}

func (b *box) part(l layout.Layout) layout.Layout {
	if l.Rank() == 0 {
		return l
	}
	return layout.Of(b.shape, l.Strides()[b.axis:], 0)
}

// move makes the views those of a box whose place along earlier axes, and along the axis, is given.
func (b *box) move(outer, first int) {
	for i := range b.in {
		if b.ins[i].Layout != nil {
			b.views[i].Offset = b.ins[i].Layout.Offset + b.offset(&b.in[i], outer, first)
		}
	}
	for i := range b.out {
		b.views[len(b.in)+i].Offset = b.outs[i].Layout.Offset + b.offset(&b.out[i], outer, first)
	}
}

func (b *box) offset(l *layout.Layout, outer, first int) int {
	at := first * l.Strides()[b.axis]
	for axis := b.axis - 1; axis >= 0; axis-- {
		n := b.fused.shape[axis]
		at += outer % n * l.Strides()[axis]
		outer /= n
	}
	return at
}

// step runs one step on the box.
func (b *box) step(i int) error {
	s := &b.region.Steps[i]
	c := backend.NewCall(s.Op, s.DType)
	defer c.Release()
	c.Params = s.Params
	*c.AddOut() = b.inRows(b.result(i), s.Row)
	reduces := s.Row && rowReductions[s.Op]
	switch last := len(b.shape) - 1; {
	case reduces:
		c.Params = op.Reduce{Axes: 1 << last}
	case rowMaps[s.Op]:
		c.Params = op.Axis{Axis: last}
	}
	for _, k := range s.From {
		switch {
		case k >= len(b.in):
			*c.AddIn() = b.inRows(b.result(k-len(b.in)), s.Row && !reduces)
		case b.ins[k].IsConst():
			*c.AddIn() = b.ins[k]
		default:
			*c.AddIn() = b.inRows(backend.View{Buf: b.ins[k].Buf, Layout: &b.views[k], DType: b.ins[k].DType}, s.Row && !reduces)
		}
	}
	return kernels[s.Op][s.DType](c)
}

// result is the view of a step's result.
func (b *box) result(i int) backend.View {
	dt := b.region.Steps[i].To
	if o := b.store[i]; o >= 0 {
		return backend.View{Buf: b.outs[o].Buf, Layout: &b.views[len(b.in)+o], DType: dt}
	}
	l := &b.views[len(b.in)+len(b.out)+i]
	l.Offset = b.slots[i] / dt.Size()
	return backend.View{Buf: b.room, Layout: l, DType: dt}
}
