package tensor

import (
	"slices"
	"sync"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/program"
)

// A recorder notes the calls of a function that runs as it always does. It notes those of other goroutines too, since nothing tells them
// apart: what is recorded in the end are the calls on which results depend, and those that change other memory by what derives from inputs.
type recorder struct {
	mu       sync.Mutex
	ended    bool // what other goroutines still tell of is not noted
	builder  program.Builder
	on       backend.Backend // of the inputs
	slots    map[backend.Buffer]*program.Slot
	calls    []*program.Call
	derived  map[*program.Slot]bool
	born     map[*program.Slot]*storage // made while the function ran
	captured map[*program.Slot]*capture // there before, or filled by the host
	roots    []*root
	forward  int    // how many calls are of the forward pass
	foreign  []bool // for each call, whether another device computes it
	host     hostSteps
}

// root is an input of the function.
type root struct {
	slot   *program.Slot
	offset int     // in elements, of the first input over the same memory: recorded layouts begin there
	inner  *Tensor // what the function gets: a tensor over the same memory that is a leaf where the input tracks gradients
}

// capture is memory that a function reads without being given it.
type capture struct {
	slot    *program.Slot
	tensor  *Tensor // a view of it, without a place in the graph
	version uint32  // before the function ran
	state   replacing
	made    bool // while the function ran
}

// replacing tells what became of the tensors over a storage: how often SetData has taken one away, and how many are leaves that do not require
// gradients for now.
type replacing struct{ replaced, frozen int }

var (
	recordingNow atomic.Pointer[recorder]
	recorders    sync.Mutex // one function is recorded at a time
)

func newRecorder(on backend.Backend) *recorder {
	return &recorder{
		on: on, slots: map[backend.Buffer]*program.Slot{}, derived: map[*program.Slot]bool{}, born: map[*program.Slot]*storage{},
		captured: map[*program.Slot]*capture{},
	}
}

// endForward ends the calls of the forward pass.
func (t *recorder) endForward() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forward = len(t.calls)
}

// end ends the noting: from then on the recorder is its goroutine's alone.
func (t *recorder) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// slot returns the slot of a buffer.
func (t *recorder) slot(b backend.Buffer) *program.Slot {
	s, ok := t.slots[b]
	if !ok {
		s = t.builder.Slot(b.Size())
		t.slots[b] = s
	}
	return s
}

// enter returns what stands for an input.
func (t *recorder) enter(x *Tensor, scope *Scope) *Tensor {
	st := &storage{backend: x.storage.backend, buf: x.storage.buf, device: x.storage.device}
	st.shared.Store(true) // the memory is the input's
	for _, r := range t.roots {
		if r.inner.storage.buf == st.buf {
			st = r.inner.storage
		}
	}
	y := st.tensor(x.layout, x.dtype)
	y.scope = scope
	if x.node != nil {
		y.SetRequiresGrad(true)
	}
	r := &root{slot: t.slot(st.buf), inner: y, offset: x.layout.Offset}
	if at := slices.IndexFunc(t.roots, func(o *root) bool { return o.slot == r.slot }); at >= 0 {
		r.offset = t.roots[at].offset
	}
	t.derived[r.slot] = true
	t.roots = append(t.roots, r)
	return y
}

// made notes a storage that was made while the function runs.
func (t *recorder) made(s *storage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.born[t.slot(s.buf)] = s
	}
}

// keeps reports whether the memory of a storage is to stay while the function runs, for a buffer tells what calls were about. A nil recorder keeps
// nothing.
func (t *recorder) keeps(s *storage) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	_, noted := t.slots[s.buf]
	return noted
}

// filled notes that the host has written a storage.
func (t *recorder) filled(x *Tensor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	s := t.slot(x.storage.buf)
	delete(t.born, s)
	t.capture(s, x)
	t.captured[s].made = true
}

func (t *recorder) capture(s *program.Slot, x *Tensor) {
	y := x.storage.tensor(x.layout, x.dtype)
	t.captured[s] = &capture{slot: s, tensor: y, version: x.storage.version, state: x.storage.replacing()}
}

func (s *storage) replacing() replacing {
	if s.links == nil {
		return replacing{}
	}
	return replacing{s.links.replaced, len(s.links.frozen)}
}

// note notes a call that is about to run, with the tensors that it writes and reads.
func (t *recorder) note(c *backend.Call, outs, ins []*Tensor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	r, touched := program.Recorded(c, t.slot), slices.Concat(outs, ins)
	derived := false
	for s := range r.Slots {
		if t.isRoot(s) && !t.entered(s, touched) {
			return // another goroutine computes with an input
		}
		derived = derived || t.derived[s]
		if !t.knows(s) {
			t.find(s, touched)
		}
	}
	for s, writes := range r.Slots {
		t.derived[s] = t.derived[s] || writes && derived
	}
	t.calls, t.foreign = append(t.calls, r), append(t.foreign, outs[0].storage.backend != t.on)
}

// knows reports whether somebody has told of a slot's memory.
func (t *recorder) knows(s *program.Slot) bool {
	return t.born[s] != nil || t.captured[s] != nil || t.isRoot(s)
}

// entered reports whether one of the tensors over an input's memory is what the function got.
func (t *recorder) entered(s *program.Slot, touched []*Tensor) bool {
	return slices.ContainsFunc(touched, func(x *Tensor) bool {
		return x != nil && t.slots[x.storage.buf] == s && t.isEntered(x)
	})
}

// isEntered reports whether x lies over what the function got.
func (t *recorder) isEntered(x *Tensor) bool {
	return slices.ContainsFunc(t.roots, func(r *root) bool { return r.inner.storage == x.storage })
}

// find captures the memory of a slot that nobody has told of.
func (t *recorder) find(s *program.Slot, touched []*Tensor) {
	for _, x := range touched {
		if x != nil && t.slots[x.storage.buf] == s {
			t.capture(s, x)
			return
		}
	}
}

func (t *recorder) isRoot(s *program.Slot) bool {
	return slices.ContainsFunc(t.roots, func(r *root) bool { return r.slot == s })
}

// derives reports whether x was computed from the inputs, or stands for one.
func (t *recorder) derives(x *Tensor) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	s, ok := t.slots[x.storage.buf]
	if !ok || !t.derived[s] {
		return false
	}
	return !t.isRoot(s) || t.isEntered(x)
}

// refuseRecorded panics where a function that is recorded does with x, or with what derives from it, what a recording cannot repeat.
func (x *Tensor) refuseRecorded(name, what, hint string) {
	if t := recordingNow.Load(); t != nil && x != nil && t.derives(x) {
		failHint(name, ErrCompile, "a compiled function cannot "+what, joined(describe([]*Tensor{x}), hint))
	}
}

// noteRead is refuseRecorded of reading elements on the host.
func (x *Tensor) noteRead(name string) {
	x.refuseRecorded(name, "read the values of tensors that it computes", "return the tensor and read it outside")
}

// noteMove is refuseRecorded of moving elements to another device.
func (x *Tensor) noteMove(name string) {
	x.refuseRecorded(name, "move tensors that it computes to another device", "compile what comes before and behind apart")
}

// follows has a compiled function that is recorded repeat what it does to x in place, where it computes with y: as if x derived from it.
func (x *Tensor) follows(y *Tensor) {
	t := recordingNow.Load()
	if t == nil || !t.derives(y) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slot(x.storage.buf)
	if !t.knows(s) {
		t.capture(s, x)
	}
	t.derived[s] = true
}

// inRecording reports whether a function that is recorded computes with x.
func (x *Tensor) inRecording() bool {
	t := recordingNow.Load()
	return t != nil && t.derives(x)
}

// beforeCalls has a compiled function that computes with x, if one is recorded, call do before each of its later runs, and undo where a run or the recording fails.
func (x *Tensor) beforeCalls(do, undo func()) {
	if x.inRecording() {
		t := recordingNow.Load()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.host = append(t.host, hostStep{do, undo})
	}
}

// sliced returns the calls that are to be recorded: those on which wanted slots depend, and those that change memory that was there before.
func (t *recorder) sliced(wanted []*program.Slot) []bool {
	needed := map[*program.Slot]bool{}
	for _, s := range wanted {
		needed[s] = true
	}
	included := make([]bool, len(t.calls))
	for i, c := range slices.Backward(t.calls) {
		derived := false
		for s := range c.Slots {
			derived = derived || t.derived[s]
		}
		for s, writes := range c.Slots {
			included[i] = included[i] || writes && (needed[s] || derived && t.born[s] == nil)
		}
		if included[i] {
			for s := range c.Slots {
				needed[s] = true
			}
		}
	}
	return included
}
