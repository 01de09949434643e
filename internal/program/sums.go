package program

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// sum is a sum down the columns of what a region computes or reads.
type sum struct {
	slot    *Slot
	from    source
	view    backend.View
	rounded dtype.DType
}

// summing reports whether a call is a sum over its operand's first axes with one result, as the gradients of biases are.
func summing(c *Call) bool {
	if c.Op != op.SumAxes || len(c.Out) != 1 || len(c.In) != 1 || c.Then != op.Invalid || c.Epilogue != nil || c.In[0].Layout == nil {
		return false
	}
	by, ok := c.Params.(op.Reduce)
	return ok && by.Axes != 0 && by.Axes&(by.Axes+1) == 0 && c.Out[0].Layout.IsContiguous() && c.Out[0].Layout.Size() > 0
}

// summed reports whether a call touches what the region has summed, which is there only when the region has ended.
func (r *region) summed(c *Call) bool {
	return slices.ContainsFunc(r.sums, func(a sum) bool { return c.touches(a.slot) })
}

// joinSum is join for a sum: of what a step has written, or of what the region reads. All sums of a region have as many columns.
func (r *region) joinSum(c *Call) bool {
	v, out, in := c.In[0], c.Out[0], slices.Clone(r.in)
	if r.order.Threads > 0 || !r.over(&v) || len(r.sums) > 0 && r.sums[0].view.Layout.Size() != out.Layout.Size() {
		return false
	}
	if out.Buf == v.Buf || r.writes(out.Buf.(*Slot)) || slices.ContainsFunc(in, func(u backend.View) bool { return u.Buf == out.Buf }) {
		return false
	}
	w, clear := r.wrote(&v)
	if !clear {
		return false
	}
	s := sum{slot: out.Buf.(*Slot), view: out, rounded: c.DType}
	if w != nil {
		s.from = source{step: w.step, inside: true}
	} else {
		s.from.step = slices.IndexFunc(in, func(u backend.View) bool { return u.Buf != nil && u.Buf == v.Buf && same(&u, &v) })
		if s.from.step < 0 {
			s.from.step = len(in)
			in = append(in, v)
		}
	}
	if len(in)+len(r.written)+len(r.sums)+1 > mostOperands {
		return false
	}
	r.read(in)
	r.sums = append(r.sums, s)
	return true
}
