package cpu

import (
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

var _ backend.Reducer = Backend{}

// Ops along rows that a region may have: reductions, and those that make other rows of them. Their loops take each row by itself, so that it has the
// same bits in a box of any number of rows.
var (
	rowReductions = [op.Count]bool{op.SumAxes: true, op.MeanAxes: true, op.AMax: true, op.AMin: true}
	rowMaps       = [op.Count]bool{op.Softmax: true, op.LogSoftmax: true, op.SoftmaxGrad: true, op.LogSoftmaxGrad: true}
)

// Order is that of every op along rows: loops share a row out among lanes, never among threads that have other rows.
func (Backend) Order(c *backend.Call) (o backend.RowOrder) {
	if !c.DType.IsFloat() || c.Out()[0].DType != c.DType || kernels[c.Op][c.DType] == nil {
		return o
	}
	for i := range c.In() {
		if c.In()[i].DType != c.DType {
			return o
		}
	}
	o.Threads = 1
	return o
}

// flattenRows makes one axis of all but the last, where every operand allows that.
func (f *fused) flattenRows() {
	n := f.shape[len(f.shape)-1]
	size, _ := f.shape.NumEl()
	flat := layout.Shape{size / n, n}
	var views [2][]layout.Layout
	for k, all := range [][]layout.Layout{f.in, f.out} {
		for _, l := range all {
			if l.Rank() > 0 {
				var ok bool
				if l, ok = l.View(flat); !ok {
					return
				}
			}
			views[k] = append(views[k], l)
		}
	}
	f.shape, f.in, f.out = flat, views[0], views[1]
}

// roomOf is how the result of a step lies in its room: over the box, or an element for each of its rows.
func (b *box) roomOf(i int) layout.Layout {
	if !b.region.Steps[i].Row {
		return layout.Contiguous(b.shape)
	}
	l := layout.Contiguous(b.shape[:len(b.shape)-1])
	return layout.Of(b.shape, append(l.Strides()[:len(b.shape)-1:len(b.shape)-1], 0), 0)
}

// rowsOf returns the views without the last axis, where the region has rows.
func (b *box) rowsOf(views, to []layout.Layout) []layout.Layout {
	if b.region.Order.Threads == 0 {
		return nil
	}
	last := len(b.shape) - 1
	for _, l := range views {
		if l.Rank() > 0 {
			l = layout.Of(b.shape[:last], l.Strides()[:last], l.Offset)
		}
		to = append(to, l)
	}
	return to
}

// inRows is a view as a step sees it that has one result for each row: of the first element of each.
func (b *box) inRows(v backend.View, row bool) backend.View {
	if !row {
		return v
	}
	for i := range b.views {
		if v.Layout == &b.views[i] {
			b.rows[i].Offset = v.Layout.Offset
			v.Layout = &b.rows[i]
		}
	}
	return v
}
