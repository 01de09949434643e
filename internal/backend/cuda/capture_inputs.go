package cuda

import (
	"fmt"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// inputs are buffers that a graph uses and that were allocated before: parameters, static inputs. The graph keeps them from the collector; who
// frees them by hand makes it useless.
type inputs map[*Buffer]input

// input is a buffer as it was when it was captured, and who used it first.
type input struct {
	life uint32
	op   op.Op
	view backend.View
}

// uses notes the operands and results of calls.
func (c *capture) uses(calls ...*backend.Call) {
	a := c.device.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, call := range calls {
		for _, v := range call.Out() {
			c.use(call.Op, v)
		}
		for _, v := range call.In() {
			c.use(call.Op, v)
		}
	}
}

// use notes a view, whose device is locked.
func (c *capture) use(o op.Op, v backend.View) {
	b, ok := v.Buf.(*Buffer)
	if !ok {
		return
	}
	b = b.memory()
	if b.block == nil || c.owns(b.block) {
		return
	}
	if c.inputs == nil {
		c.inputs = inputs{}
	}
	if _, known := c.inputs[b]; !known {
		c.inputs[b] = input{b.life, o, v}
	}
}

// usesBuffer notes a buffer of a copy.
func (c *capture) usesBuffer(b *Buffer) {
	a := c.device.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	c.use(op.Copy, backend.View{Buf: b})
}

// check returns an error where one of the buffers was freed.
func (all inputs) check(a *allocator) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for b, in := range all {
		if b.life != in.life {
			return &ReplayError{in.String() + " was released after the capture; keep static inputs, and capture anew"}
		}
	}
	return nil
}

func (in input) String() string {
	if in.view.Layout == nil {
		return "what " + in.op.String() + " copies"
	}
	return fmt.Sprintf("%s%s of %s", in.view.DType.Name(), in.view.Layout.Shape().List(), in.op)
}

// foreign returns an error where a call of another goroutine uses memory of the capture, in which nothing has been computed.
func (c *capture) foreign(call *backend.Call) error {
	a := c.device.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, views := range [][]backend.View{call.Out(), call.In()} {
		for _, v := range views {
			if b, ok := v.Buf.(*Buffer); ok && b.memory().block != nil && c.owns(b.memory().block) {
				return refuseCapture(call.Op.String()+" of what another goroutine captures", "compute it in the goroutine that captures")
			}
		}
	}
	return nil
}

// memory returns the buffer whose memory b is, or is part of.
func (b *Buffer) memory() *Buffer {
	if b.whole != nil {
		return b.whole
	}
	return b
}
