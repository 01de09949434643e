package backend

import (
	"slices"
	"sync"

	"cresset/dtype"
	"cresset/internal/op"
)

// Call is one kernel to run: results, operands and parameters. DType chooses the kernel.
type Call struct {
	Op       op.Op
	DType    dtype.DType
	Params   any       // a struct of package op that belongs to Op; nil for most
	Kept     *Kept     // where a product keeps what it makes of its last operand for others that share it; nil for nowhere
	Then     op.Op     // an elementwise op to apply to the result in place, op.Invalid for none; a kernel that does so clears it
	Stepper  Stepper   // knows the Params of the call when a graph makes it again; nil where they stay as they are
	Epilogue *Epilogue // what belongs to Then, and what follows it; nil for nothing; cleared as Then is
	nOut     int
	nIn      int
	out      [maxOut]View
	in       [maxIn]View
	guards   []Guard
}

// An Epilogue is what follows a product y, each step with the result's dtype: z = Then(y), or Then(y, X) where that is the op of a gradient,
// and Join(z, Other). All views have the shape of the result. What is absent is a View whose DType is Undefined.
type Epilogue struct {
	X     View
	Join  op.Op // Add, Mul, or op.Invalid for nothing
	Other View
	Aside View // takes y
	// Gate is the function f of which Then is the gradient, where y is the gradient of f(X)·Other, both of which get theirs: Aside takes
	// y·f(X), and Then gets y·Other. There is no Join. It is op.Invalid for nothing.
	Gate op.Op
}

// Kept is what calls share that have the same operand, such as one packed for products. The first that has use for it makes it; who made the
// calls frees it with the backend that ran them.
type Kept struct{ Buf Buffer }

// Stepper knows what a program does in view of a call, an optimizer's step.
type Stepper interface {
	// Redo does it again, and returns the Params of a call that follows. After an error nothing is done.
	Redo() (params any, err error)
	// Undo takes it back.
	Undo()
}

// Guard keeps the memory of operands from being freed until it is told that the kernel is done with them.
type Guard interface{ Done() }

const (
	maxOut = 5
	maxIn  = 8
)

var calls = sync.Pool{New: func() any { return new(Call) }}

// NewCall returns an empty call, to be given back with Release.
func NewCall(o op.Op, dt dtype.DType) *Call {
	c := calls.Get().(*Call)
	c.Op, c.DType = o, dt
	return c
}

// Release gives the call back; its operands are forgotten.
func (c *Call) Release() {
	forget(c.out[:c.nOut])
	forget(c.in[:c.nIn])
	c.Params, c.Kept, c.Then, c.Stepper, c.Epilogue, c.nOut, c.nIn = nil, nil, op.Invalid, nil, nil, 0, 0
	if len(c.guards) > 0 {
		c.letGo()
	}
	calls.Put(c)
}

// letGo tells the guards that the kernel is done.
func (c *Call) letGo() {
	for i, g := range c.guards {
		g.Done()
		c.guards[i] = nil
	}
	c.guards = c.guards[:0]
}

// Guarded reports whether g guards operands of the call.
func (c *Call) Guarded(g Guard) bool { return slices.Contains(c.guards, g) }

// Guard has g.Done called when the call is given back.
func (c *Call) Guard(g Guard) { c.guards = append(c.guards, g) }

// forget zeroes views, field by field: while the collector is at work it looks up the type of what is zeroed as a whole.
func forget(views []View) {
	for i := range views {
		v := &views[i]
		v.Buf, v.Layout, v.DType = nil, nil, dtype.Undefined // Const stays: it is read of a view without Buf alone, for which it was set
	}
}

// AddOut returns the next result's view, to be filled in.
func (c *Call) AddOut() *View {
	c.nOut++
	return &c.out[c.nOut-1]
}

// AddIn returns the next operand's view, to be filled in.
func (c *Call) AddIn() *View {
	c.nIn++
	return &c.in[c.nIn-1]
}

// Out returns the results.
func (c *Call) Out() []View { return c.out[:c.nOut] }

// In returns the operands. An operand that an op may lack is a View whose DType is Undefined.
func (c *Call) In() []View { return c.in[:c.nIn] }

// Has reports whether operand i was given.
func (c *Call) Has(i int) bool { return i < c.nIn && c.in[i].DType != dtype.Undefined }

// Axes returns the axes that a reduction reduces, a bit for each: all where its parameters name none.
func (c *Call) Axes() uint32 {
	switch p := c.Params.(type) {
	case op.Reduce:
		return p.Axes
	case op.Axis:
		if p.Axis >= 0 {
			return 1 << p.Axis
		}
	}
	return ^uint32(0)
}

// Follow runs c.Then and the epilogue, which the kernel of c left to do, on the backend that ran c, op by op.
func (c *Call) Follow(b Backend) error {
	y, e := c.Out()[0], c.Epilogue
	if e == nil {
		return follow(b, c.Then, y, y)
	}
	given := func(v View) bool { return v.DType != dtype.Undefined }
	var err error
	step := func(o op.Op, out View, ins ...View) {
		if err == nil {
			err = follow(b, o, out, ins...)
		}
	}
	switch {
	case e.Gate != op.Invalid:
		step(e.Gate, e.Aside, e.X)
		step(op.Mul, e.Aside, y, e.Aside)
		step(op.Mul, y, y, e.Other)
	case given(e.Aside):
		step(op.Copy, e.Aside, y)
	}
	if given(e.X) {
		step(c.Then, y, y, e.X)
	} else {
		step(c.Then, y, y)
	}
	step(e.Join, y, y, e.Other)
	return err
}

// follow runs an elementwise op, which may be op.Invalid for none.
func follow(b Backend, o op.Op, out View, ins ...View) error {
	if o == op.Invalid {
		return nil
	}
	c := NewCall(o, out.DType)
	defer c.Release()
	*c.AddOut() = out
	for _, v := range ins {
		*c.AddIn() = v
	}
	return b.Run(c)
}
