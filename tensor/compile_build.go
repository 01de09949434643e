package tensor

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/program"
)

// build makes programs of the calls that a trace has noted. Found are the gradients of inputs and leaves, then those from which Backward
// started.
func (r *recording) build(t *recorder, outs, found []*Tensor) {
	results := r.describe(t, outs, r.outs)
	var gradients []*program.Slot
	if found != nil {
		n := len(r.roots) + len(r.leaves)
		r.grads = make([]recordedResult, n)
		gradients = r.describe(t, found[:n], r.grads)
		for _, dy := range found[n:] {
			r.arriving = append(r.arriving, t.slot(dy.storage.buf))
		}
	}
	first, second := r.calls(t, slices.Concat(results, gradients))
	r.capture(t, slices.Concat(first, second), results)
	given := r.given()
	r.kept = slices.DeleteFunc(results, func(s *program.Slot) bool { return slices.Contains(given, s) })
	if found != nil {
		r.saved = readOf(second, slices.Concat(given, writtenBy(first)), gradients)
		for _, s := range r.saved {
			if !slices.Contains(given, s) && !slices.Contains(r.kept, s) {
				r.kept = append(r.kept, s)
			}
		}
		r.returned = gradients
		r.backward = t.builder.Program(t.on, second, slices.Concat(r.saved, r.arriving), gradients)
	}
	r.forward = t.builder.Program(t.on, first, given, r.kept)
}

// describe notes where tensors lie, some of which may be nil, and returns their slots, each once.
func (r *recording) describe(t *recorder, xs []*Tensor, to []recordedResult) (slots []*program.Slot) {
	for i, x := range xs {
		if x == nil {
			continue
		}
		s := t.slot(x.storage.buf)
		to[i].slot, to[i].layout, to[i].dtype = s, r.relative(s, x.layout), x.dtype
		if !slices.Contains(slots, s) {
			slots = append(slots, s)
		}
	}
	return slots
}

// relative is a layout that begins where the input does, if it lies over one.
func (r *recording) relative(s *program.Slot, l *layout.Layout) *layout.Layout {
	if at := r.rootOf(s); at >= 0 && l != nil {
		return moved(l, -r.roots[at].offset)
	}
	return l
}

// moved is a layout so many elements further on.
func moved(l *layout.Layout, by int) *layout.Layout {
	if by == 0 || l.Size() == 0 {
		return l
	}
	m := *l
	m.Offset += by
	return &m
}

// rootOf returns the first input in a slot; -1 where there is none.
func (r *recording) rootOf(s *program.Slot) int {
	return slices.IndexFunc(r.roots, func(o *root) bool { return o.slot == s })
}

// calls returns those on which wanted slots depend, or that change other memory, of the forward pass and of Backward.
func (r *recording) calls(t *recorder, wanted []*program.Slot) (first, second []*program.Call) {
	for i, included := range t.sliced(wanted) {
		c := t.calls[i]
		if !included || i >= t.forward && slices.ContainsFunc(r.arriving, c.Writes) {
			continue
		}
		if t.foreign[i] {
			failHint("compile", ErrCompile, "a compiled function cannot compute on several devices", "move its inputs to one")
		}
		for v := range c.Views {
			if s, ok := v.Buf.(*program.Slot); ok {
				v.Layout = r.relative(s, v.Layout)
			}
		}
		if i < t.forward {
			first = append(first, c)
		} else {
			second = append(second, c)
		}
	}
	return first, second
}

// capture finds what the calls, or results, read of memory that neither inputs nor other calls have written.
func (r *recording) capture(t *recorder, calls []*program.Call, results []*program.Slot) {
	written := map[*program.Slot]bool{}
	read := func(s *program.Slot) {
		if written[s] || r.rootOf(s) >= 0 || slices.Contains(r.arriving, s) || slices.ContainsFunc(r.captured, func(c *capture) bool { return c.slot == s }) {
			return
		}
		if t.born[s] != nil {
			t.captured[s] = &capture{slot: s, made: true, tensor: t.constant(s, t.born[s]).tensor(layout.Fresh(s.Size()), dtype.Uint8)}
		}
		c := t.captured[s]
		if c.tensor.storage.owner.Load() == released {
			c.made, c.tensor = true, t.constant(s, c.tensor.storage).tensor(c.tensor.layout, c.tensor.dtype)
		}
		r.captured = append(r.captured, c)
	}
	for _, c := range calls {
		for s, writes := range c.Slots {
			if !writes || t.born[s] == nil {
				read(s)
			}
		}
		for s, writes := range c.Slots {
			written[s] = written[s] || writes
		}
	}
	for _, s := range results {
		read(s)
	}
	for _, c := range r.captured {
		if c.made && written[c.slot] {
			failHint("compile", ErrCompile, "a compiled function cannot change in place what it made of Go values", "make it outside, or by an op such as Zeros")
		}
	}
}

// constant returns the storage of a slot that the function has made, which belongs to no scope any more; a new one where it was given back.
func (t *recorder) constant(s *program.Slot, old *storage) *storage {
	if owner := old.owner.Load(); owner != released {
		if owner != nil {
			owner.disown(old)
		}
		return old
	}
	for b, slot := range t.slots {
		if slot == s {
			return &storage{backend: old.backend, buf: b, device: old.device}
		}
	}
	return nil
}

// given returns what forward starts from: inputs, each memory once, then what was captured.
func (r *recording) given() (slots []*program.Slot) {
	for _, o := range r.roots {
		if !slices.Contains(slots, o.slot) {
			slots = append(slots, o.slot)
		}
	}
	for _, c := range r.captured {
		slots = append(slots, c.slot)
	}
	return slots
}

// writtenBy returns what the calls write.
func writtenBy(calls []*program.Call) (slots []*program.Slot) {
	for _, c := range calls {
		for s, writes := range c.Slots {
			if writes {
				slots = append(slots, s)
			}
		}
	}
	return slots
}

// readOf returns those of some slots that calls touch, or that are among results, each once.
func readOf(calls []*program.Call, slots, results []*program.Slot) (read []*program.Slot) {
	touch := func(s *program.Slot) {
		if slices.Contains(slots, s) && !slices.Contains(read, s) {
			read = append(read, s)
		}
	}
	for _, c := range calls {
		for s := range c.Slots {
			touch(s)
		}
	}
	for _, s := range results {
		touch(s)
	}
	return read
}

// noteChanges makes the inputs those that the function has changed, and refuses that where gradients are tracked.
func (r *recording) noteChanges(xs []*Tensor) {
	for i, o := range r.roots {
		n := o.inner.storage.version
		if r.rootOf(o.slot) != i {
			n = 0 // counted with the first over the same memory
		}
		if n > 0 && (r.backward != nil || slices.ContainsFunc(xs, func(x *Tensor) bool { return x.node != nil })) {
			failHint("compile", ErrCompile, "a compiled function that tracks gradients cannot change its inputs in place", "change a Clone")
		}
		r.bumped = append(r.bumped, n)
		if n > 0 { // others may read an input meanwhile
			xs[i].storage.version += n
		}
		o.inner = nil
	}
	for _, c := range r.captured {
		r.bumped = append(r.bumped, c.tensor.storage.version-c.version)
	}
}

// holds reports whether what was captured is still what it was.
func (r *recording) holds() bool {
	return !slices.ContainsFunc(r.captured, func(c *capture) bool { return c.tensor.storage.replacing() != c.state })
}
