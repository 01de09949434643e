package tensor

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/program"
)

// A recording is what a function did with inputs of one signature: a program for its results and one for its gradients.
type recording struct {
	on       backend.Backend
	device   device.Device
	roots    []*root
	captured []*capture // what else is read
	bumped   []uint32   // roots, then what was captured: how often each is changed in place
	leaves   []edge     // to leaves that are not inputs
	host     hostSteps  // done before each run but the first
	outs     []recordedResult
	grads    []recordedResult // of inputs, then of leaves; one without a slot is none
	forward  *program.Program
	kept     []*program.Slot // what forward returns
	homes    [][]int         // for each of kept, the inputs in whose scopes it lies
	backward *program.Program
	saved    []*program.Slot // what backward reads of it, of inputs and of what was captured
	arriving []*program.Slot // the gradients from which backward starts, of those results that are tracked
	returned []*program.Slot // what backward returns
}

// recordedResult is a result, or a gradient.
type recordedResult struct {
	slot    *program.Slot
	layout  *layout.Layout
	dtype   dtype.DType
	tracked bool
	home    []int // the inputs in whose scopes it is
}

// record runs the function and notes what it does. It returns with the recording what forward would return.
func (c *compiled) record(xs []*Tensor) (*recording, []*storage) {
	if captureOf(xs[0]) != nil {
		failHint("compile", ErrCompile, "a compiled function cannot be recorded while a graph is captured", "call it with inputs of these shapes before the capture")
	}
	recorders.Lock()
	defer recorders.Unlock()
	t := newRecorder(xs[0].storage.backend)
	scopes := standInsFor(xs)
	defer scopes.Close()
	start := nodes.Load()
	inner := make([]*Tensor, len(xs))
	for i, x := range xs {
		inner[i] = t.enter(x, scopes.of(i))
	}
	ended := false
	defer func() {
		if !ended { // the function did once what is done before runs, of which there are none
			t.host.undo()
		}
	}()
	recordingNow.Store(t)
	defer recordingNow.Store(nil)
	outs := c.f(inner)
	refuseNilIn("compile", outs)
	t.endForward()
	r := &recording{on: t.on, device: xs[0].storage.device, roots: t.roots, leaves: leavesBefore(start, outs)}
	found := r.differentiate(inner, outs)
	recordingNow.Store(nil)
	t.end()
	r.host = t.host
	r.build(t, outs, found)
	for i, out := range outs {
		r.outs[i].home = scopes.inputsIn(out.scope)
	}
	r.noteChanges(xs)
	made := make([]*storage, len(r.kept))
	for i, s := range r.kept {
		made[i] = t.born[s]
		if made[i] == nil {
			panic("compile: a slot that nobody made")
		}
		r.homes = append(r.homes, scopes.inputsIn(made[i].owner.Load()))
		scopes.disown(made[i])
	}
	ended = true
	return r, made
}

// leavesBefore returns the edges to nodes older than start to which the gradients of outs lead: leaves that f captured.
func leavesBefore(start uint64, outs []*Tensor) (found []edge) {
	seen := map[*node]bool{}
	var left []*node
	visit := func(e edge) {
		switch n := e.to; {
		case n == nil || seen[n]:
			return
		case n.order > start:
			left = append(left, n)
		case n.leaf == nil:
			failHint("compile", ErrCompile, "a compiled function cannot capture a computed tensor that tracks gradients", "pass it as an argument, or Detach it")
		default:
			found = append(found, e)
		}
		seen[e.to] = true
	}
	for _, out := range outs {
		if out.node != nil {
			visit(edge{to: out.node, layout: out.layout, dtype: out.dtype, device: out.storage.device})
		}
	}
	for len(left) > 0 {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		for _, e := range n.edges {
			visit(e)
		}
	}
	return found
}

// differentiate runs Backward from outs with gradients of one, and returns what arrives at inputs and captured leaves. It describes outs and
// gradients, whose slots are found later.
func (r *recording) differentiate(inner, outs []*Tensor) (found []*Tensor) {
	var tracked, starts []*Tensor
	for _, out := range outs {
		r.outs = append(r.outs, recordedResult{layout: out.layout, dtype: out.dtype, tracked: out.node != nil})
		if out.node != nil {
			tracked = append(tracked, out)
			dy := newTensor("compile", out.storage.device, out.dtype, out.layout.Shape())
			starts = append(starts, dy.fill(backend.Scalar{I: 1, Kind: backend.IntScalar}))
		}
	}
	if len(tracked) == 0 {
		return nil
	}
	top := newTensor("compile", tracked[0].storage.device, dtype.Float32, Shape{})
	record(top, op.Alias, giveAll, starts, tracked...)
	s := &search{wanted: map[*node][]int{}}
	for i, x := range inner {
		if x.node != nil {
			s.wanted[x.node] = append(s.wanted[x.node], i)
		}
	}
	for i, l := range r.leaves {
		s.wanted[l.to] = append(s.wanted[l.to], len(inner)+i)
	}
	s.found = make([]*Tensor, len(inner)+len(r.leaves))
	s.plan(top.node)
	b := &backprop{search: s, start: newTensor("compile", top.storage.device, dtype.Float32, Shape{})}
	b.run(top)
	return append(s.found, starts...)
}

// giveAll gives each input of a node the gradient that is its parameter.
func giveAll(b *backprop, _ *Tensor) {
	for i, dy := range b.params().([]*Tensor) {
		b.give(i, dy)
	}
}
