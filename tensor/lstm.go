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
	for _, m := range l.moments() {
		g, bent, at := gates.rows(m.kept, m.n), bent.rows(m.kept, m.n), r.base()+m.row
		g.addProduct(x.rows(m.row, m.n), states.before(m), weight.transposed(), &kept)
		l.step(g, cells.before(m), cells.rows(at, m.n), bent)
		y := states.rows(at, m.n)
		if projection == nil {
			y.compute(op.Mul, nil, g.columns(3, 4), bent)
			continue
		}
		raw := g.empty(op.LSTM, g.dtype, Shape{m.n, l.hidden})
		raw.compute(op.Mul, nil, g.columns(3, 4), bent)
		y.compute(op.MM, nil, raw, projection.transposed())
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

// step replaces the gates by what their functions make of them, and computes the cells after the step, and tanh of these.
func (l *lstm) step(g, before, cells, bent *Tensor) {
	ifs, candidate, o := g.firstColumns(2*l.hidden), g.columns(2, 4), g.columns(3, 4)
	ifs.compute(op.Sigmoid, nil, ifs)
	candidate.compute(op.Tanh, nil, candidate)
	o.compute(op.Sigmoid, nil, o)
	cells.compute(op.Mul, nil, g.columns(1, 4), before)
	cells.compute(op.AddCMul, op.Number{A: 1}, cells, g.columns(0, 4), candidate)
	bent.compute(op.Tanh, nil, cells)
}

func lstmGrad(b *backprop, dy *Tensor) {
	l := b.params().(lstm)
	out, weight, projection, gates, bent := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.saved(4)
	states, cells := l.parts(out)
	dh, dc := l.parts(dy.like(op.LSTM, dy.dtype).copyFrom(dy))
	dx := gates.like(op.LSTM, dy.dtype)
	room := dy.empty(op.LSTM, dy.dtype, Shape{l.sequences(), l.hidden})
	moments := l.moments()
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
		l.stepBack(dg, gates.rows(m.row, m.n), d, dc.rows(at, m.n), cells.before(m), bent.rows(m.row, m.n), tmp)
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

// stepBack computes the gradients dg of a step's gates, of its state's gradient dh and of dc, to which it adds what the state hands on; tmp
// becomes the gradient of the cells before.
func (l *lstm) stepBack(dg, g, dh, dc, before, bent, tmp *Tensor) {
	i, f, candidate, o := g.columns(0, 4), g.columns(1, 4), g.columns(2, 4), g.columns(3, 4)
	tmp.compute(op.Mul, nil, dh, o)
	tmp.compute(op.TanhGrad, nil, tmp, bent)
	dc.addInto(tmp)
	for _, gate := range []struct {
		at           int
		of, by, gate *Tensor
		f            op.Op
	}{
		{0, dc, candidate, i, op.SigmoidGrad}, {1, dc, before, f, op.SigmoidGrad},
		{2, dc, i, candidate, op.TanhGrad}, {3, dh, bent, o, op.SigmoidGrad},
	} {
		d := dg.columns(gate.at, 4)
		d.compute(op.Mul, nil, gate.of, gate.by)
		d.compute(gate.f, nil, d, gate.gate)
	}
	tmp.compute(op.Mul, nil, dc, f)
}
