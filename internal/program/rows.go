package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// overAxes names for a reduction the op that is the same over some axes.
var overAxes = map[op.Op]op.Op{
	op.Sum: op.SumAxes, op.Mean: op.MeanAxes, op.Max: op.AMax, op.Min: op.AMin,
	op.SumAxes: op.SumAxes, op.MeanAxes: op.MeanAxes, op.AMax: op.AMax, op.AMin: op.AMin,
}

// reducing reports whether a call reduces its operand's last axes, of more than one element, to a result without gaps.
func reducing(c *Call) bool {
	if overAxes[c.Op] == op.Invalid || len(c.Out) != 1 || len(c.In) != 1 || c.Then != op.Invalid || c.Epilogue != nil || c.In[0].Layout == nil {
		return false
	}
	in, out := c.In[0].Layout, c.Out[0].Layout
	first, last, count := layout.AxisRange(in.Rank(), c.axes())
	return count > 0 && last == in.Rank()-1 && last-first+1 == count && out.IsContiguous() && out.Size() > 0 && in.Size() > out.Size()
}

// mapping reports whether a call is a softmax along its last axis, or the gradient of one.
func mapping(c *Call) bool {
	switch c.Op {
	case op.Softmax, op.LogSoftmax, op.SoftmaxGrad, op.LogSoftmaxGrad:
	default:
		return false
	}
	if len(c.Out) != 1 || c.Then != op.Invalid || c.Epilogue != nil || c.In[0].Layout == nil || c.Out[0].Layout.Overlaps() {
		return false
	}
	shape := c.Out[0].Layout.Shape()
	last := len(shape) - 1
	return last >= 0 && c.axes() == 1<<last && shape[last] > 1 && c.Out[0].Layout.Size() > 0
}

// axes is a bit for each axis that the call reduces.
func (c *Call) axes() uint32 {
	probe := backend.Call{Params: c.Params}
	return probe.Axes()
}

// rows is the shape of the operand of a reduction of its last axes, with these as one axis behind one other at least.
func (c *Call) rows() layout.Shape {
	shape := c.In[0].Layout.Shape()
	first, _, _ := layout.AxisRange(len(shape), c.axes())
	rows, n := slices.Clone(shape[:first]), 1
	for _, extent := range shape[first:] {
		n *= extent
	}
	if first == 0 {
		rows = layout.Shape{1}
	}
	return append(rows, n)
}

// joinRows is join for a reduction of rows, or what maps each to another. All of a region's have one order.
func (r *region) joinRows(c *Call) bool {
	last := len(r.shape) - 1
	if last < 1 {
		return false
	}
	step, over := backend.Step{Op: c.Op, DType: c.DType, Params: op.Axis{Axis: last}, To: c.Out[0].DType}, r.over
	n := c.rows()[len(c.rows())-1]
	if overAxes[c.Op] != op.Invalid {
		step.Op, step.Params, step.Row = overAxes[c.Op], op.Reduce{Axes: 1 << last}, true
		over = r.across
	}
	if r.shape[last] != n || len(r.sums) > 0 || r.order.Threads > 0 && r.order != c.order {
		return false
	}
	before := r.order
	r.order = c.order
	if before.Threads == 0 && r.inPlace() || !r.joinStep(c, step, r.over, over) {
		r.order = before
		return false
	}
	return true
}

// inPlace reports whether the region writes over what it reads.
func (r *region) inPlace() bool {
	return slices.ContainsFunc(r.written, func(w write) bool {
		return slices.ContainsFunc(r.in, func(v backend.View) bool { return v.Buf == w.view.Buf && !apart(&v, &w.view) })
	})
}

// hasRows reports whether a view has one element for each row of a region that reduces rows.
func (r *region) hasRows(v *backend.View) bool {
	if r.order.Threads == 0 {
		return false
	}
	n, ok := r.shape.NumEl()
	return ok && v.Layout.Size() == n/r.shape[len(r.shape)-1]
}

// across makes the view of one element for each row one over the region's indices, and reports whether it is.
func (r *region) across(v *backend.View) bool {
	if v.Layout == nil {
		return true
	}
	rows := r.shape[:len(r.shape)-1]
	n, ok := rows.NumEl()
	if !ok || n != v.Layout.Size() {
		return false
	}
	l, ok := v.Layout.View(rows)
	if ok {
		v.Layout = new(layout.Of(r.shape, append(slices.Clone(l.Strides()), 0), l.Offset))
	}
	return ok
}
