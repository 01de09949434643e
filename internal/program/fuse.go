package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/layout"
)

// The most that a region has: more would not fit the registers of a kernel.
const (
	mostSteps    = 64
	mostOperands = 16
)

// A group is a call, or elementwise calls over one shape that become a region. It stands where the first of them stood, or the last.
type group struct {
	calls  []*Call
	region *region // nil for a call that no region may have
}

// A region is a backend.Region while calls join it.
type region struct {
	shape   layout.Shape
	in      []backend.View
	steps   []backend.Step
	written []write
	sums    []sum
	order   backend.RowOrder // where it reduces rows
}

// write is what a step has written; of several to the same elements the last counts.
type write struct {
	slot *Slot
	step int
	view backend.View
}

// grouped joins the calls to groups: a call goes to the latest group that it depends on, where that is a region that can have it, or to a
// later one that reads what it reads.
func grouped(calls []*Call, slots int) []*group {
	var groups []*group
	writer, touched := make([]int, slots), make([]int, slots) // the latest group that has written a slot, and that has touched it, from 1
	for _, c := range calls {
		latest := 0
		for s, writes := range c.Slots {
			if latest = max(latest, writer[s.number]); writes {
				latest = max(latest, touched[s.number])
			}
		}
		at := -1
		if c.role != alone {
			at = place(groups, latest, c)
		}
		if at < 0 {
			g := &group{calls: []*Call{c}}
			if c.role != alone {
				g.region = &region{shape: c.indices()}
				if !g.region.join(c) {
					g.region = nil
				}
			}
			groups = append(groups, g)
			at = len(groups)
		}
		for s, writes := range c.Slots {
			if touched[s.number] = max(touched[s.number], at); writes {
				writer[s.number] = at
			}
		}
	}
	return groups
}

// indices is the shape of a region that begins with the call.
func (c *Call) indices() layout.Shape {
	switch c.role {
	case columnSum:
		return c.In[0].Layout.Shape()
	case ofRows:
		return c.rows()
	}
	return c.Out[0].Layout.Shape()
}

// place finds the group that a call can join, and adds it. Groups are counted from 1; it is -1 where there is none.
func place(groups []*group, latest int, c *Call) int {
	for at := max(latest, 1); at <= len(groups); at++ {
		g := groups[at-1]
		if g.region != nil && (at == latest || g.shares(c)) && g.region.join(c) {
			g.calls = append(g.calls, c)
			return at
		}
	}
	return -1
}

// shares reports whether the call reads what the group reads.
func (g *group) shares(c *Call) bool {
	for i := range c.In {
		s, ok := c.In[i].Buf.(*Slot)
		if ok && slices.ContainsFunc(g.region.in, func(v backend.View) bool { return v.Buf == s }) {
			return true
		}
	}
	return false
}

// join adds a call's step, and reports whether that could be: operands must lie over the same indices, and what the region has written
// must be read as it was written.
func (r *region) join(c *Call) bool {
	if len(r.steps) == mostSteps || r.summed(c) {
		return false
	}
	switch c.role {
	case columnSum:
		return r.joinSum(c)
	case ofRows:
		return r.joinRows(c)
	}
	step := backend.Step{Op: c.Op, DType: c.DType, Params: c.Params, To: c.Out[0].DType}
	over := r.over
	if step.Row = r.hasRows(&c.Out[0]); step.Row {
		over = r.across
	}
	return r.joinStep(c, step, over, over)
}

// joinStep adds a step whose operands and result the region sees as these functions make them.
func (r *region) joinStep(c *Call, step backend.Step, overIn, overOut func(v *backend.View) bool) bool {
	in, out := slices.Clone(r.in), c.Out[0]
	fresh := 0
	if !overOut(&out) {
		return false
	}
	from := make([]source, len(c.In))
	for i := range c.In {
		v := c.In[i]
		if !overIn(&v) {
			return false
		}
		w, clear := r.wrote(&v)
		if !clear {
			return false
		}
		if w != nil {
			from[i] = source{step: w.step, inside: true}
			continue
		}
		at := slices.IndexFunc(in, func(u backend.View) bool { return u.Buf != nil && u.Buf == v.Buf && same(&u, &v) })
		if at < 0 {
			at = len(in)
			in = append(in, v)
			fresh++
		}
		from[i] = source{step: at}
	}
	for i := range in {
		inPlace := same(&in[i], &out) && r.order.Threads == 0 // a row may be read again behind a reduction
		if in[i].Buf == out.Buf && !inPlace && !apart(&in[i], &out) {
			return false
		}
	}
	if _, clear := r.wrote(&out); !clear || len(in)+len(r.written)+len(r.sums)+1 > mostOperands && fresh > 0 {
		return false
	}
	r.add(step, from, in, write{out.Buf.(*Slot), len(r.steps), out})
	return true
}

// read makes in what the region reads. Results of steps are counted behind that, of which there may be more now.
func (r *region) read(in []backend.View) {
	for i := range r.steps {
		for n, k := range r.steps[i].From {
			if k >= len(r.in) {
				r.steps[i].From[n] += len(in) - len(r.in)
			}
		}
	}
	r.in = in
}

// source is where a step's operand comes from: what the region reads, or a step.
type source struct {
	step   int
	inside bool
}

// number is the operand as a Step counts it.
func (f source) number(in []backend.View) int {
	if f.inside {
		return len(in) + f.step
	}
	return f.step
}

// add adds a step.
func (r *region) add(s backend.Step, from []source, in []backend.View, w write) {
	r.read(in)
	for _, f := range from {
		s.From = append(s.From, f.number(in))
	}
	r.steps = append(r.steps, s)
	if old, _ := r.wrote(&w.view); old != nil {
		*old = w
		return
	}
	r.written = append(r.written, w)
}

// wrote returns the write of what a view sees, nil where there is none, and whether there is none to some of it or to the same elements
// at other indices.
func (r *region) wrote(v *backend.View) (w *write, clear bool) {
	for i := range r.written {
		switch w := &r.written[i]; {
		case v.Buf == nil || w.view.Buf != v.Buf:
		case same(&w.view, v):
			return w, true
		case !apart(&w.view, v):
			return nil, false
		}
	}
	return nil, true
}

// writes reports whether the region writes a slot.
func (r *region) writes(s *Slot) bool {
	return slices.ContainsFunc(r.written, func(w write) bool { return w.slot == s }) || slices.ContainsFunc(r.sums, func(a sum) bool { return a.slot == s })
}

// over makes the view one over the region's indices, and reports whether it is.
func (r *region) over(v *backend.View) bool {
	if v.Layout == nil || v.Layout.Shape().Equal(r.shape) {
		return true
	}
	if n, ok := r.shape.NumEl(); !ok || n != v.Layout.Size() {
		return false
	}
	l, ok := v.Layout.View(r.shape)
	if ok {
		v.Layout = &l
	}
	return ok
}

// same reports whether two views of a slot see the same elements at the same indices.
func same(a, b *backend.View) bool {
	if a.DType != b.DType || a.Layout == nil || b.Layout == nil || a.Layout.Offset != b.Layout.Offset {
		return false
	}
	for axis, n := range a.Layout.Shape() {
		if n > 1 && a.Layout.Strides()[axis] != b.Layout.Strides()[axis] {
			return false
		}
	}
	return true
}

// sunk moves each region that it can into the next group that reads what it writes.
func sunk(groups []*group) []*group {
	for i := len(groups) - 1; i >= 0; i-- {
		if to := destination(groups, i); to > i {
			if g := merged(groups[i], groups[to]); g != nil {
				groups[to], groups[i] = g, nil
			}
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return g == nil })
}

// destination returns the first group behind i that touches what i writes, where both are regions and none between writes what i reads; else -1.
func destination(groups []*group, i int) int {
	from := groups[i]
	if from.region == nil {
		return -1
	}
	for to := i + 1; to < len(groups); to++ {
		g := groups[to]
		if g == nil {
			continue
		}
		reads, writes := g.meets(from)
		switch {
		case writes && g.region != nil:
			return to
		case writes || reads:
			return -1
		}
	}
	return -1
}

// meets reports whether g writes what the region of another reads, and whether it touches what that writes.
func (g *group) meets(other *group) (reads, writes bool) {
	for _, c := range g.calls {
		for s, writing := range c.Slots {
			writes = writes || other.region.writes(s)
			reads = reads || writing && slices.ContainsFunc(other.region.in, func(v backend.View) bool { return v.Buf == s })
		}
	}
	return reads, writes
}

// merged is a group of the calls of two, or nil where they do not fit one region.
func merged(a, b *group) *group {
	g := &group{calls: slices.Concat(a.calls, b.calls)}
	for _, shape := range []layout.Shape{b.region.shape, a.region.shape} {
		g.region = &region{shape: shape}
		if !slices.ContainsFunc(g.calls, func(c *Call) bool { return !g.region.join(c) }) {
			return g
		}
	}
	return nil
}
