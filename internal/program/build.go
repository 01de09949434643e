package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// Program returns calls as a program for a backend, which runs from buffers that are given and keeps some.
func (b *Builder) Program(on backend.Backend, calls []*Call, given, kept []*Slot) *Program {
	p := &Program{slots: len(b.slots), given: given, kept: kept}
	fuser, _ := on.(backend.Fuser)
	caster, casts := on.(backend.Caster)
	if casts {
		calls = recast(calls, slices.Concat(given, kept), caster)
	}
	joiner, joins := on.(backend.Joiner)
	if joins {
		calls = followed(calls, slices.Concat(given, kept), joiner)
	}
	if casts {
		calls = summedByNorms(calls, slices.Concat(given, kept), caster)
	}
	if casts && joins {
		calls = widened(calls, slices.Concat(given, kept), caster, joiner)
	}
	if fuser != nil {
		calls = unfilled(calls, given)
	}
	if r, ok := on.(backend.Placer); ok {
		calls = placed(calls, slices.Concat(given, kept), r)
	}
	for _, c := range calls {
		c.assign(on)
	}
	groups := sunk(grouped(calls, len(b.slots)))
	users := make([]int, len(b.slots)) // groups that touch each slot, and whoever asks for it
	for _, s := range slices.Concat(given, kept) {
		users[s.number]++
	}
	for _, g := range groups {
		for _, s := range g.slots() {
			users[s.number]++
		}
	}
	for _, g := range groups {
		p.add(g, fuser, users)
	}
	if b, ok := fuser.(backend.Batcher); ok {
		p.batched(b)
	}
	p.place()
	return p
}

// A role is what a call may be in a region.
type role byte

const (
	alone role = iota // nothing
	elementwise
	columnSum
	ofRows // it reduces rows, or makes others of them
)

// assign finds the call's role on a backend.
func (c *Call) assign(on backend.Backend) {
	if f, ok := on.(backend.Fuser); ok && fusible(c) && f.Fuses(c.probe()) {
		c.role = elementwise
		return
	}
	if s, ok := on.(backend.Summer); ok && summing(c) && s.Sums(c.probe()) {
		c.role = columnSum
		return
	}
	if r, ok := on.(backend.Reducer); ok && (reducing(c) || mapping(c)) {
		if c.order = r.Order(c.probe()); c.order.Threads > 0 {
			c.role = ofRows
		}
	}
}

// fusible reports whether a call may be a step of a region: an elementwise one with one result that reads nothing but its operands.
func fusible(c *Call) bool {
	if len(c.Out) != 1 || c.Then != op.Invalid || c.Epilogue != nil || c.Out[0].Layout.Size() == 0 || c.Out[0].Layout.Overlaps() {
		return false
	}
	return c.Op == op.Copy || c.Op == op.Where || c.Op.IsElementwise() && !c.Op.IsUpdate() && c.Op != op.SGDStep && c.Op != op.AdamStep && c.Op != op.UnscaleGrad
}

// probe is the call as a backend sees it, with slots for buffers.
func (c *Call) probe() *backend.Call {
	p := &backend.Call{Op: c.Op, DType: c.DType, Params: c.Params}
	for i := range c.Out {
		*p.AddOut() = c.Out[i]
	}
	for i := range c.In {
		*p.AddIn() = c.In[i]
	}
	return p
}

// slots returns what the group touches, each once.
func (g *group) slots() []*Slot {
	var all []*Slot
	for _, c := range g.calls {
		for s := range c.Slots {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// add adds a group's items: one where it is a region that the backend takes.
func (p *Program) add(g *group, fuser backend.Fuser, users []int) {
	b, batches := fuser.(backend.Batcher)
	if g.region != nil && (batches || g.region.large()) {
		if it, fused := g.item(fuser, users); fused != nil {
			if batches {
				it.key, it.piece = b.Key(fused), fused
			}
			if g.region.large() {
				it.fused = fused
			}
			p.items = append(p.items, it)
			return
		}
	}
	for _, c := range g.calls {
		it := item{call: c}
		for s := range c.Slots {
			it.touched = append(it.touched, s)
		}
		p.items = append(p.items, it)
	}
}

// large reports whether a region is more than one call, or a sum, which takes a call two launches.
func (r *region) large() bool { return len(r.steps) > 1 || len(r.sums) > 0 }

// item returns a region's item and what computes it; nil where it is too much for the backend.
func (g *group) item(fuser backend.Fuser, users []int) (it item, fused backend.Fused) {
	it.call = g.calls[len(g.calls)-1]
	r := &backend.Region{Shape: g.region.shape, In: g.region.in, Steps: g.region.steps, Order: g.region.order}
	for _, w := range g.region.written {
		if users[w.slot.number] > 1 {
			r.Out = append(r.Out, backend.Store{Step: w.step, View: w.view})
			it.out = append(it.out, w.view)
		}
	}
	for _, a := range g.region.sums {
		if users[a.slot.number] > 1 {
			r.Sums = append(r.Sums, backend.Sum{From: a.from.number(r.In), Columns: a.view.Layout.Size(), Rounded: a.rounded, View: a.view})
			it.out = append(it.out, a.view)
		}
	}
	it.in = r.In
	fused, err := fuser.Fuse(r)
	if err != nil {
		return it, nil
	}
	for _, v := range slices.Concat(it.out, it.in) {
		if s, ok := v.Buf.(*Slot); ok {
			it.touched = append(it.touched, s)
		}
	}
	return it, fused
}

// place finds where each slot is touched first and last: there it is allocated and freed.
func (p *Program) place() {
	lives := make([]bool, p.slots)
	for _, s := range p.given {
		lives[s.number] = true
	}
	for i := range p.items {
		it := &p.items[i]
		for _, s := range it.touched {
			if !lives[s.number] {
				lives[s.number] = true
				it.alloc = append(it.alloc, s)
			}
		}
	}
	for _, s := range slices.Concat(p.given, p.kept) {
		lives[s.number] = false
	}
	for i := len(p.items) - 1; i >= 0; i-- {
		it := &p.items[i]
		for _, s := range it.touched {
			if lives[s.number] {
				lives[s.number] = false
				it.free = append(it.free, s)
			}
		}
	}
}
