// Package program holds calls that were recorded once and run over and over: it joins elementwise ones to regions, for backends that fuse
// them, allocates what lives between calls, and drops what nobody reads.
package program

import (
	"runtime"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
	"cresset/internal/profile"
)

// A Slot stands for a buffer in recorded calls.
type Slot struct {
	number int // of the program's slots
	bytes  int
}

// Size returns the buffer's size in bytes.
func (s *Slot) Size() int { return s.bytes }

// A Call is a recorded call, whose views have slots in the place of buffers.
type Call struct {
	Op       op.Op
	DType    dtype.DType
	Params   any
	Then     op.Op
	Epilogue *backend.Epilogue
	Out, In  []backend.View

	role  role             // in regions of the program's backend
	order backend.RowOrder // of one ofRows
}

// Recorded returns a copy of a call with slots in the place of its buffers.
func Recorded(c *backend.Call, slot func(b backend.Buffer) *Slot) *Call {
	r := &Call{Op: c.Op, DType: c.DType, Params: c.Params, Then: c.Then, Out: slices.Clone(c.Out()), In: slices.Clone(c.In())}
	if c.Epilogue != nil {
		r.Epilogue = new(*c.Epilogue)
	}
	for v := range r.Views {
		if v.Buf != nil {
			v.Buf = slot(v.Buf)
		}
	}
	return r
}

// Views calls yield with each view, results first.
func (c *Call) Views(yield func(v *backend.View) bool) {
	for i := range c.Out {
		if !yield(&c.Out[i]) {
			return
		}
	}
	if e := c.Epilogue; e != nil && (!yield(&e.Aside) || !yield(&e.X) || !yield(&e.Other)) {
		return
	}
	for i := range c.In {
		if !yield(&c.In[i]) {
			return
		}
	}
}

// Slots calls yield with each slot that the call touches, and whether it writes there.
func (c *Call) Slots(yield func(s *Slot, writes bool) bool) {
	n := 0
	for v := range c.Views {
		writes := n < len(c.Out) || c.Epilogue != nil && v == &c.Epilogue.Aside
		n++
		if s, ok := v.Buf.(*Slot); ok && !yield(s, writes) {
			return
		}
	}
}

// Writes reports whether the call writes a slot.
func (c *Call) Writes(s *Slot) bool {
	for other, writes := range c.Slots {
		if writes && other == s {
			return true
		}
	}
	return false
}

// A Builder records the calls of programs that share slots.
type Builder struct{ slots []*Slot }

// Slot returns a new slot for so many bytes.
func (b *Builder) Slot(bytes int) *Slot {
	s := &Slot{len(b.slots), bytes}
	b.slots = append(b.slots, s)
	return s
}

// A Program is calls that run in order.
type Program struct {
	slots int
	given []*Slot
	kept  []*Slot
	items []item
}

// An item is a call, or a region that is computed at once; alloc and free are the slots that live from here on, and up to here.
type item struct {
	call        *Call
	fused       backend.Fused // of a region of several steps, or of several regions
	piece       backend.Fused // what would compute it beside others of its key
	pieces      []backend.Fused
	key         string
	out, in     []backend.View
	touched     []*Slot
	alloc, free []*Slot
}

// Error is what went wrong in a call.
type Error struct {
	Op  op.Op
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Launches returns how many calls and regions a run issues.
func (p *Program) Launches() int { return len(p.items) }

// A Place is where a slot's first byte lies.
type Place struct {
	Buf    backend.Buffer
	Offset int // in bytes
}

// Run computes from the places of the given slots, and returns the buffers of the kept ones; those that were not given it allocates.
func (p *Program) Run(b backend.Backend, given []Place) ([]backend.Buffer, error) {
	bufs := make([]Place, p.slots)
	for i, s := range p.given {
		bufs[s.number] = given[i]
	}
	views := make([]backend.View, 0, 32)
	for i := range p.items {
		it := &p.items[i]
		err := allocate(b, bufs, it.alloc)
		if err == nil {
			err = it.run(b, bufs, views)
		}
		if err != nil {
			p.abandon(b, bufs, i)
			return nil, err
		}
		for _, s := range it.free {
			b.Free(bufs[s.number].Buf)
			bufs[s.number] = Place{}
		}
	}
	kept := make([]backend.Buffer, len(p.kept))
	for i, s := range p.kept {
		kept[i] = bufs[s.number].Buf
	}
	runtime.KeepAlive(bufs) // the pool takes memory back whose block is unreachable
	return kept, nil
}

func allocate(b backend.Backend, bufs []Place, slots []*Slot) error {
	for _, s := range slots {
		buf, err := b.Alloc(s.bytes)
		if err != nil {
			return &Error{op.Invalid, err}
		}
		bufs[s.number].Buf = buf
	}
	return nil
}

// abandon frees what the items up to one that failed have allocated.
func (p *Program) abandon(b backend.Backend, bufs []Place, last int) {
	for i := range p.items[:last+1] {
		for _, s := range p.items[i].alloc {
			if buf := bufs[s.number].Buf; buf != nil {
				b.Free(buf)
			}
		}
	}
}

func (it *item) run(b backend.Backend, bufs []Place, room []backend.View) error {
	if it.fused != nil {
		views := filled(filled(room, it.out, bufs), it.in, bufs)
		defer clear(views)
		f := profile.Begin(profile.Op, "fused")
		err := it.fused.Run(views[:len(it.out)], views[len(it.out):])
		f.End()
		if err != nil {
			return &Error{it.call.Op, err}
		}
		return nil
	}
	r := it.call
	c := backend.NewCall(r.Op, r.DType)
	defer c.Release()
	c.Params, c.Then = r.Params, r.Then
	for i := range r.Out {
		*c.AddOut() = view(&r.Out[i], bufs)
	}
	for i := range r.In {
		*c.AddIn() = view(&r.In[i], bufs)
	}
	if e := r.Epilogue; e != nil {
		c.Epilogue = &backend.Epilogue{X: view(&e.X, bufs), Join: e.Join, Other: view(&e.Other, bufs), Aside: view(&e.Aside, bufs), Gate: e.Gate}
	}
	f := profile.BeginOp(c)
	err := b.Run(c)
	f.End()
	if err != nil {
		return &Error{r.Op, err}
	}
	return nil
}

func filled(to, views []backend.View, bufs []Place) []backend.View {
	for i := range views {
		to = append(to, view(&views[i], bufs))
	}
	return to
}

// view returns a view with the buffer of its slot.
func view(v *backend.View, bufs []Place) backend.View {
	w := *v
	if s, ok := v.Buf.(*Slot); ok {
		p := bufs[s.number]
		if w.Buf = p.Buf; p.Offset != 0 {
			l := *v.Layout
			l.Offset += p.Offset / v.DType.Size()
			w.Layout = &l
		}
	}
	return w
}
