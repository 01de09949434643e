package tensor

import (
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// lstm computes, of gates (i, f, g, o) = x + h·weightᵀ, c = σ(f)·c + σ(i)·tanh(g) and h = σ(o)·tanh(c), times projectionᵀ unless that
// is nil. States and cells are parts of one result.
func (x *Tensor) lstm(weight, projection, h, c *Tensor, s friend.Sequences) (hs, lastH, lastC *Tensor) {
	if a := autocastOf(x, h); a != nil {
		name := "lstm"
		if s.Cell {
			name = "lstm_cell"
		}
		ts := a.operands(name, x, weight, projection, h, c)
		x, weight, projection, h, c = ts[0], ts[1], ts[2], ts[3], ts[4]
	}
	x.checkRecurrent(op.LSTM, argument{"weight", weight}, argument{"projection", projection}, argument{"hidden", h}, argument{"cell", c})
	r := recurrenceOf(s)
	l := lstmOf(r, weight)
	out := x.empty(op.LSTM, x.dtype, Shape{l.all * (l.width + l.hidden)}, weight, projection, h, c)
	states, cells := l.parts(out)
	r.states(states, h)
	r.states(cells, c)
	n := record(out, op.LSTM, lstmGrad, l, x, weight, projection, h, c)
	l.forgets = n == nil
	gates := x.empty(op.LSTM, x.dtype, Shape{l.kept(), 4 * l.hidden})
	bent := x.empty(op.LSTM, x.dtype, Shape{l.kept(), l.hidden}) // tanh(c)
	var kept backend.Kept
	defer x.freeKept(&kept)
	moments := l.moments()
	steps := x.stepperOf(lstmStep, moments)
	for _, m := range moments {
		g, at := gates.rows(m.kept, m.n), r.base()+m.row
		g.addProduct(x.rows(m.row, m.n), states.before(m), weight.transposed(), &kept)
		y := states.rows(at, m.n)
		raw := y
		if projection != nil {
			raw = g.empty(op.LSTM, g.dtype, Shape{m.n, l.hidden})
		}
		steps.step(g, cells.before(m), cells.rows(at, m.n), bent.rows(m.kept, m.n), raw)
		if projection != nil {
			y.compute(op.MM, nil, raw, projection.transposed())
		}
	}
	n.save(out, weight, projection, gates, bent)
	if l.forgets {
		gates.storage.discard()
		bent.storage.discard()
	}
	hs = out.Narrow(0, r.base()*l.width, r.rows*l.width).View(r.rows, l.width)
	cs := out.Narrow(0, l.all*l.width+r.base()*l.hidden, r.rows*l.hidden).View(r.rows, l.hidden)
	return hs, r.last(hs), r.last(cs)
}

// lstm is how states and cells lie in the result.
type lstm struct {
	recurrence
	all           int // rows of each, with the first ones
	width, hidden int // of a state and of a cell
}

func lstmOf(r recurrence, weight *Tensor) lstm {
	shape := weight.layout.Shape()
	return lstm{r, r.sequences() + r.rows, shape[1], shape[0] / 4}
}

// parts returns the states and the cells, without a gradient record.
func (l *lstm) parts(out *Tensor) (states, cells *Tensor) {
	n := l.all * l.width
	return out.rows(0, n).viewed(l.all, l.width), out.rows(n, l.all*l.hidden).viewed(l.all, l.hidden)
}

// The ops of a step, of the gates, the cells before, those after it, tanh of these, and the state: the gates become what their functions
// make of them.
var lstmStep = func() *stepOps {
	i, f, candidate, o, forgetting := block{0, 0, 1, 4}, block{0, 1, 1, 4}, block{0, 2, 1, 4}, block{0, 3, 1, 4}, block{0, 0, 2, 4}
	before, cells, bent, state := entire(1), entire(2), entire(3), entire(4)
	return stepOpsOf(
		stepOp{op.Sigmoid, nil, forgetting, []block{forgetting}}, // i and f
		stepOp{op.Tanh, nil, candidate, []block{candidate}},
		stepOp{op.Sigmoid, nil, o, []block{o}},
		stepOp{op.Mul, nil, cells, []block{f, before}},
		stepOp{op.AddCMul, op.Number{A: 1}, cells, []block{cells, i, candidate}},
		stepOp{op.Tanh, nil, bent, []block{cells}},
		stepOp{op.Mul, nil, state, []block{o, bent}},
	)
}()

func lstmGrad(b *backprop, dy *Tensor) {
	l := b.params().(lstm)
	out, weight, projection, gates, bent := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.saved(4)
	states, cells := l.parts(out)
	dh, dc := l.parts(dy.like(op.LSTM, dy.dtype).copyFrom(dy))
	dx := gates.like(op.LSTM, dy.dtype)
	room := dy.empty(op.LSTM, dy.dtype, Shape{l.sequences(), l.hidden})
	moments := l.moments()
	steps := dy.stepperOf(lstmStepGrad, moments)
	var kept backend.Kept
	defer dy.freeKept(&kept)
	for i := range moments {
		m := moments[len(moments)-1-i]
		at := l.base() + m.row
		d := dh.rows(at, m.n)
		if projection != nil {
			d = dy.empty(op.LSTM, dy.dtype, Shape{m.n, l.hidden})
			d.compute(op.MM, nil, dh.rows(at, m.n), projection)
		}
		dg, tmp := dx.rows(m.row, m.n), room.rows(0, m.n)
		steps.step(dg, gates.rows(m.row, m.n), d, dc.rows(at, m.n), cells.before(m), bent.rows(m.row, m.n), tmp)
		dc.addBefore(m, tmp)
		dh.addProductBefore(m, dg, weight, &kept)
	}
	b.give(0, b.byKernels(dx, dy))
	b.giveNeeded(1, func() *Tensor { return dx.T().MM(l.starts(states)) })
	b.giveNeeded(2, func() *Tensor {
		raw := bent.Mul(gates.columns(3, 4))
		return b.byKernels(dh.rows(l.base(), l.rows), dy).T().MM(raw)
	})
	b.giveNeeded(3, func() *Tensor { return b.byKernels(dh.rows(l.first(), l.sequences()).Clone(), dy) })
	b.giveNeeded(4, func() *Tensor { return b.byKernels(dc.rows(l.first(), l.sequences()).Clone(), dy) })
}

// The ops of a step's gradients: of the gates, made of these, of the state's gradient and of the cells', to which is added what the state hands
// on; what is last becomes the gradient of the cells before.
var lstmStepGrad = func() *stepOps {
	i, f, candidate, o := block{1, 0, 1, 4}, block{1, 1, 1, 4}, block{1, 2, 1, 4}, block{1, 3, 1, 4}
	di, df, dcandidate, do := block{0, 0, 1, 4}, block{0, 1, 1, 4}, block{0, 2, 1, 4}, block{0, 3, 1, 4}
	dh, dc, before, bent, last := entire(2), entire(3), entire(4), entire(5), entire(6)
	return stepOpsOf(
		stepOp{op.Mul, nil, last, []block{dh, o}},
		stepOp{op.TanhGrad, nil, last, []block{last, bent}},
		stepOp{op.Add, nil, dc, []block{dc, last}},
		stepOp{op.Mul, nil, di, []block{dc, candidate}},
		stepOp{op.SigmoidGrad, nil, di, []block{di, i}},
		stepOp{op.Mul, nil, df, []block{dc, before}},
		stepOp{op.SigmoidGrad, nil, df, []block{df, f}},
		stepOp{op.Mul, nil, dcandidate, []block{dc, i}},
		stepOp{op.TanhGrad, nil, dcandidate, []block{dcandidate, candidate}},
		stepOp{op.Mul, nil, do, []block{dh, bent}},
		stepOp{op.SigmoidGrad, nil, do, []block{do, o}},
		stepOp{op.Mul, nil, last, []block{dc, f}},
	)
}()
