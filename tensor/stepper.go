package tensor

import (
	"errors"
	"slices"

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

// A block is the columns from block at on, so many of equal ones, of a tensor that has `of`.
type block struct{ tensor, at, wide, of int }

// entire is all columns of a tensor.
func entire(tensor int) block { return block{tensor, 0, 1, 1} }

// stepOps are the ops of a step, the blocks that they touch, each once, and which of these are each op's result and operands.
type stepOps struct {
	ops    []stepOp
	blocks []block
	uses   [][]int
}

func stepOpsOf(ops ...stepOp) *stepOps {
	s := &stepOps{ops: ops, uses: make([][]int, len(ops))}
	for i, o := range ops {
		for _, b := range append([]block{o.to}, o.from...) {
			at := slices.Index(s.blocks, b)
			if at < 0 {
				at = len(s.blocks)
				s.blocks = append(s.blocks, b)
			}
			s.uses[i] = append(s.uses[i], at)
		}
	}
	return s
}

// A stepper computes the same ops for each step: in one launch on GPUs, whose launches would take most of the time, and one by one elsewhere.
type stepper struct {
	*stepOps
	programs map[int]*program.Program // of steps of so many rows, nil until the first of them; without others ops are computed one by one
}

// fewSteps is how many steps of the same number of rows make up for the host's time to write a program.
const fewSteps = 4

// stepperOf returns what computes a layer's steps on x's device. A recorded function has its ops fused with what surrounds them.
func (x *Tensor) stepperOf(ops *stepOps, moments []moment) *stepper {
	s := &stepper{stepOps: ops}
	if _, launches := x.storage.backend.(backend.Batcher); !launches || recordingNow.Load() != nil {
		return s
	}
	steps := map[int]int{}
	s.programs = map[int]*program.Program{}
	for _, m := range moments {
		if steps[m.n]++; steps[m.n] == fewSteps {
			s.programs[m.n] = nil
		}
	}
	return s
}

// step computes the ops on a step's tensors, which lie as those of other steps of as many rows do.
func (s *stepper) step(ts ...*Tensor) {
	rows := ts[0].layout.Shape()[0]
	if p, ok := s.programs[rows]; ok {
		if p == nil {
			p = s.program(ts)
			s.programs[rows] = p
		}
		runStep(p, ts)
		return
	}
	parts := make([]*Tensor, len(s.blocks))
	for i, b := range s.blocks {
		parts[i] = b.in(ts)
	}
	for i := range s.ops {
		to, from := s.uses[i][0], s.uses[i][1:]
		operands := make([]*Tensor, len(from))
		for k, at := range from {
			operands[k] = parts[at]
		}
		parts[to].compute(s.ops[i].op, s.ops[i].params, operands...)
	}
}

func (b block) in(ts []*Tensor) *Tensor {
	x := ts[b.tensor]
	if b.wide == b.of {
		return x
	}
	each := x.layout.Shape()[1] / b.of
	return x.alias(x.layout.Narrow(nil, 1, b.at*each, (b.at+b.wide)*each, 1))
}

// program returns the ops as a program for steps of as many rows, whose blocks are all as wide as a state.
func (s *stepper) program(ts []*Tensor) *program.Program {
	var b program.Builder
	slots := make([]*program.Slot, len(ts))
	for i, t := range ts {
		slots[i] = b.Slot(t.layout.Size() * t.dtype.Size())
	}
	view := func(k block, i int) backend.View {
		t := ts[k.tensor]
		k.at, k.wide = k.at+i, 1
		return backend.View{Buf: slots[k.tensor], Layout: moved(k.in(ts).layout, -t.layout.Offset), DType: t.dtype}
	}
	var calls []*program.Call
	for _, o := range s.ops {
		for i := range o.to.wide {
			c := &program.Call{Op: o.op, DType: ts[o.to.tensor].dtype, Params: o.params, Out: []backend.View{view(o.to, i)}}
			for _, k := range o.from {
				c.In = append(c.In, view(k, i))
			}
			calls = append(calls, c)
		}
	}
	return b.Program(ts[0].storage.backend, calls, slots, nil)
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
