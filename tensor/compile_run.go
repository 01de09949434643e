package tensor

import (
	"errors"
	"maps"
	"runtime"
	"slices"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/profile"
	"cresset/internal/program"
)

// compiledFunction is one call of a recording, as a Function whose gradient is a program too.
type compiledFunction struct {
	*recording
	made []*storage // what the first call has computed; nil for others
}

// apply returns the results for inputs: what has been made already, if anything.
func (r *recording) apply(xs []*Tensor, made []*storage) []*Tensor {
	given := slices.Clone(xs)
	for _, c := range r.captured {
		given = append(given, c.tensor)
	}
	for _, e := range r.leaves {
		st := &storage{device: e.device}
		leaf := st.tensor(e.layout, e.dtype)
		leaf.node = e.to
		given = append(given, leaf)
	}
	f := &compiledFunction{r, made}
	if len(r.outs) == 0 { // it is called for what it changes
		f.evaluate(given)
		return nil
	}
	return Apply(f, given...)
}

// Forward runs the program.
func (f *compiledFunction) Forward(c *FunctionContext, given ...*Tensor) []*Tensor {
	c.application.name = "CompiledFunctionBackward"
	outs, tensors := f.evaluate(given)
	for i, o := range f.outs {
		if !o.tracked {
			c.constant = append(c.constant, outs[i])
		}
	}
	for _, s := range f.saved {
		c.saved = append(c.saved, tensors[s])
	}
	return outs
}

// evaluate returns the results, and what lies in the slots that were given and kept. Each belongs to the scope to which f's own would.
func (f *compiledFunction) evaluate(given []*Tensor) (outs []*Tensor, tensors map[*program.Slot]*Tensor) {
	xs := given[:len(f.roots)]
	tensors = map[*program.Slot]*Tensor{}
	slots := f.given()
	for _, s := range slots {
		tensors[s] = given[f.givenAt(s)]
	}
	made := f.made
	if made == nil {
		f.host.before(func() { made = f.compute(slots, tensors) })
		f.change(xs)
	}
	for i, s := range f.kept {
		tensors[s] = made[i].tensor(layout.Fresh(s.Size()), dtype.Uint8).inherit(among(xs, f.homes[i])...)
	}
	outs = make([]*Tensor, len(f.outs))
	for i, o := range f.outs {
		outs[i] = f.over(tensors[o.slot], o)
		outs[i].scope = (*Tensor)(nil).latest(among(xs, o.home))
	}
	return outs, tensors
}

// compute runs the forward program.
func (f *compiledFunction) compute(slots []*program.Slot, tensors map[*program.Slot]*Tensor) []*storage {
	defer holdAll(slices.Collect(maps.Values(tensors)))()
	var from []program.Place
	for _, s := range slots {
		from = append(from, f.place(s, tensors[s]))
	}
	return f.run(f.forward, from, f.kept, nil)
}

// over is a result as a tensor over memory that was computed, or given.
func (f *compiledFunction) over(x *Tensor, o recordedResult) *Tensor {
	l := o.layout
	if f.rootOf(o.slot) >= 0 {
		l = moved(l, x.layout.Offset)
	}
	y := x.storage.tensor(l, o.dtype)
	y.scope = x.scope
	return y
}

// givenAt returns the place of a slot among what was given.
func (r *recording) givenAt(s *program.Slot) int {
	if at := r.rootOf(s); at >= 0 {
		return at
	}
	return len(r.roots) + slices.IndexFunc(r.captured, func(c *capture) bool { return c.slot == s })
}

// place is where a program finds what x holds of a slot.
func (r *recording) place(s *program.Slot, x *Tensor) program.Place {
	p := program.Place{Buf: x.storage.buf}
	if r.rootOf(s) >= 0 {
		p.Offset = x.layout.Offset * x.dtype.Size()
	}
	return p
}

// run runs a program and returns storages of what it keeps, nil for what it was given.
func (r *recording) run(p *program.Program, from []program.Place, kept, given []*program.Slot) []*storage {
	defer profile.Begin(profile.Region, "compiled function").End()
	bufs, err := p.Run(r.on, from)
	if e, ok := errors.AsType[*program.Error](err); ok {
		checkDone(e.Op.String(), e.Err)
	}
	checkDone("compile", err)
	made := make([]*storage, len(kept))
	for i, s := range kept {
		if !slices.Contains(given, s) {
			made[i] = &storage{backend: r.on, buf: bufs[i], device: r.device}
		}
	}
	return made
}

// change counts the changes in place of inputs and of what was captured.
func (f *compiledFunction) change(xs []*Tensor) {
	for i, n := range f.bumped {
		switch {
		case n == 0: // others may read it meanwhile
		case i < len(xs):
			xs[i].storage.version += n
		default:
			f.captured[i-len(xs)].tensor.storage.version += n
		}
	}
}

// Backward runs the program of the gradients.
func (f *compiledFunction) Backward(c *FunctionContext, grads ...*Tensor) []*Tensor {
	tensors, given := map[*program.Slot]*Tensor{}, slices.Concat(f.saved, f.arriving)
	var from []program.Place
	for i, x := range c.Saved() {
		tensors[f.saved[i]] = x
		from = append(from, f.place(f.saved[i], x))
	}
	for i, o := range f.outs {
		if o.tracked {
			dy := grads[i].dense()
			tensors[f.arriving[len(from)-len(f.saved)]] = dy
			from = append(from, program.Place{Buf: dy.storage.buf})
		}
	}
	defer holdAll(slices.Collect(maps.Values(tensors)))()
	for i, st := range f.run(f.backward, from, f.returned, given) {
		if st != nil {
			s := f.returned[i]
			tensors[s] = st.tensor(layout.Fresh(s.Size()), dtype.Uint8).inherit(grads...)
		}
	}
	results := make([]*Tensor, len(f.roots)+len(f.captured)+len(f.leaves))
	for i, g := range f.grads {
		if i >= len(f.roots) {
			i += len(f.captured)
		}
		if g.slot != nil {
			results[i] = f.over(tensors[g.slot], g)
		}
	}
	return results
}

// dense is x, or a copy whose elements lie in order from the beginning of its memory on.
func (x *Tensor) dense() *Tensor {
	if x.layout.IsContiguous() && x.layout.Offset == 0 {
		return x
	}
	return newResult("compile", x.storage.device, x.dtype, layout.Fresh(x.layout.Shape()...), x).copyFrom(x)
}

// holdAll keeps the memory of tensors from being freed until it is told to let go.
func holdAll(xs []*Tensor) (letGo func()) {
	held := make([]*Scope, len(xs))
	for i, x := range xs {
		held[i] = x.hold()
	}
	return func() {
		for _, s := range held {
			s.leave()
		}
		runtime.KeepAlive(xs)
	}
}
