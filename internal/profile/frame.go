package profile

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/layout"
)

// Frame is what the host does from Begin, BeginOp or BeginMemory's caller on until End, on one goroutine. The zero Frame is none.
type Frame struct {
	recorder *Recorder
	thread   *thread
	index    int
}

// Goroutine returns a number that no other living goroutine has.
func Goroutine() uintptr { return goroutine() }

// BeginOp begins the frame of an op.
func BeginOp(c *backend.Call) Frame {
	r := current.Load()
	if r == nil {
		return Frame{}
	}
	return r.beginOp(c)
}

// Begin begins a frame of another kind.
func Begin(k Kind, name string) Frame {
	r := current.Load()
	if r == nil {
		return Frame{}
	}
	return r.begin(Event{Kind: k, Name: name})
}

// End ends the frame, and with it those inside that a panic has left.
func (f Frame) End() {
	if f.recorder != nil {
		f.end()
	}
}

func (r *Recorder) beginOp(c *backend.Call) Frame {
	e := Event{Kind: Op, Name: c.Op.String()}
	if r.settings.Shapes {
		for i := range c.In() {
			if v := &c.In()[i]; c.Has(i) {
				e.Inputs = append(e.Inputs, Operand{shapeOf(v), v.DType})
			}
		}
	}
	return r.begin(e)
}

// shapeOf returns a view's shape, which a number lacks.
func shapeOf(v *backend.View) layout.Shape {
	if v.IsConst() {
		return layout.Shape{}
	}
	return slices.Clone(v.Layout.Shape())
}

// begin takes the time last, and end takes it first, so that a frame does not count what it costs to record it.
func (r *Recorder) begin(e Event) Frame {
	e.Site = backend.UserSite()
	id := goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.thread(id)
	e.Thread, e.Parent = t.number, t.innermost()
	e.Start = r.Now()
	f := Frame{r, t, r.add(e)}
	if f.index != NoParent {
		t.frames = append(t.frames, f.index)
	}
	return f
}

func (f Frame) end() {
	now := f.recorder.Now()
	f.recorder.mu.Lock()
	defer f.recorder.mu.Unlock()
	at := slices.Index(f.thread.frames, f.index)
	if at < 0 {
		return // dropped
	}
	f.thread.frames = f.thread.frames[:at]
	if e := &f.recorder.events[f.index]; !f.recorder.closed {
		e.Took, e.Timed = now-e.Start, true
	}
}
