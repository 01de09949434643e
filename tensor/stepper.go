package tensor

import (
	"errors"

	"cresset/internal/backend"
	"cresset/internal/op"
	"cresset/internal/program"
)

// A stepOp is an elementwise op of a recurrent layer's step, on blocks of columns of the step's tensors.
type stepOp struct {
	op     op.Op
	params any
	to     block
	from   []block
}

// A block is one of so many equal blocks of columns of a tensor, of which the step has several.
type block struct{ tensor, at, of int }

// A stepper computes the same ops for each step: in one launch on GPUs, whose launches would take most of the time, and one by one elsewhere.
type stepper struct {
	ops      []stepOp
	programs map[int]*program.Program // of steps of so many rows; nil where ops are computed one by one
}

// mostPrograms is how many numbers of rows have a program: sequences of many lengths have steps of as many sizes.
const mostPrograms = 16

// stepperOf returns what computes so many steps on x's device. A recorded function has its ops fused with what surrounds them.
func (x *Tensor) stepperOf(ops []stepOp, steps int) *stepper {
	s := &stepper{ops: ops}
	if _, launches := x.storage.backend.(backend.Batcher); launches && steps > 1 && recordingNow.Load() == nil {
		s.programs = map[int]*program.Program{}
	}
	return s
}

// step computes the ops on tensors of one step, which are rows of the same tensors each time.
func (s *stepper) step(ts ...*Tensor) {
	if p := s.program(ts); p != nil {
		runStep(p, ts)
		return
	}
	for i := range s.ops {
		o := &s.ops[i]
		operands := make([]*Tensor, len(o.from))
		for k, b := range o.from {
			operands[k] = b.in(ts)
		}
		o.to.in(ts).compute(o.op, o.params, operands...)
	}
}

func (b block) in(ts []*Tensor) *Tensor { return ts[b.tensor].columns(b.at, b.of) }

// program returns the ops as a program for steps of as many rows; nil where there is none.
func (s *stepper) program(ts []*Tensor) *program.Program {
	rows := ts[0].layout.Shape()[0]
	p := s.programs[rows]
	if p != nil || s.programs == nil || len(s.programs) == mostPrograms {
		return p
	}
	var b program.Builder
	slots := make([]*program.Slot, len(ts))
	for i, t := range ts {
		slots[i] = b.Slot(t.layout.Size() * t.dtype.Size())
	}
	view := func(k block) backend.View {
		t := ts[k.tensor]
		return backend.View{Buf: slots[k.tensor], Layout: moved(t.columns(k.at, k.of).layout, -t.layout.Offset), DType: t.dtype}
	}
	var calls []*program.Call
	for i := range s.ops {
		o := &s.ops[i]
		c := &program.Call{Op: o.op, DType: ts[o.to.tensor].dtype, Params: o.params, Out: []backend.View{view(o.to)}}
		for _, k := range o.from {
			c.In = append(c.In, view(k))
		}
		calls = append(calls, c)
	}
	p = b.Program(ts[0].storage.backend, calls, slots, nil)
	s.programs[rows] = p
	return p
}

// runStep runs a step's program where the tensors lie.
func runStep(p *program.Program, ts []*Tensor) {
	defer holdAll(ts)()
	places := make([]program.Place, len(ts))
	for i, t := range ts {
		places[i] = program.Place{Buf: t.storage.buf, Offset: t.layout.Offset * t.dtype.Size()}
	}
	_, err := p.Run(ts[0].storage.backend, places)
	if e, ok := errors.AsType[*program.Error](err); ok {
		checkDone(e.Op.String(), e.Err)
	}
}
