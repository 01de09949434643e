package tensor

import (
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// gru computes, of gates (r, z, n), which x has from the input and u = h·weightᵀ + bias from the state, r = σ(xr + ur), z = σ(xz + uz),
// n = tanh(xn + r·un) and h = n + z·(h - n).
func (x *Tensor) gru(weight, bias, h *Tensor, s friend.Sequences) (hs, last *Tensor) {
	if a := autocastOf(x, h); a != nil {
		ts := a.operands("gru", x, weight, bias, h)
		x, weight, bias, h = ts[0], ts[1], ts[2], ts[3]
	}
	x.checkRecurrent(op.GRU, argument{"weight", weight}, argument{"bias", bias}, argument{"hidden", h})
	r := recurrenceOf(s)
	width := weight.layout.Shape()[1]
	out := x.empty(op.GRU, x.dtype, Shape{r.sequences() + r.rows, width}, weight, bias, h)
	node := record(out, op.GRU, gruGrad, r, x, weight, bias, h)
	r.forgets = node == nil
	gates := x.empty(op.GRU, x.dtype, Shape{r.kept(), 3 * width})
	candidate := x.empty(op.GRU, x.dtype, Shape{r.kept(), width}) // un
	u := x.empty(op.GRU, x.dtype, Shape{r.sequences(), 3 * width})
	r.states(out, h)
	var kept backend.Kept
	defer x.freeKept(&kept)
	for _, m := range r.moments() {
		in, before, u := x.rows(m.row, m.n), out.before(m), u.rows(0, m.n)
		g, un := gates.rows(m.kept, m.n), candidate.rows(m.kept, m.n)
		if bias != nil {
			u.addProduct(bias.alias(bias.layout.Expand(nil, u.layout.Shape())), before, weight.transposed(), &kept)
		} else {
			u.compute(op.MM, nil, before, weight.transposed())
		}
		un.copyFrom(u.columns(2, 3))
		rz := g.firstColumns(2 * width)
		rz.compute(op.Add, nil, in.firstColumns(2*width), u.firstColumns(2*width))
		rz.compute(op.Sigmoid, nil, rz)
		n := g.columns(2, 3)
		n.compute(op.AddCMul, op.Number{A: 1}, in.columns(2, 3), g.columns(0, 3), un)
		n.compute(op.Tanh, nil, n)
		out.rows(r.base()+m.row, m.n).compute(op.Lerp, nil, n, before, g.columns(1, 3))
	}
	node.save(out, weight, gates, candidate)
	if r.forgets {
		gates.storage.discard()
		candidate.storage.discard()
	}
	hs = out.Narrow(0, r.base(), r.rows)
	return hs, r.last(hs)
}

// firstColumns returns the first n columns of x, without a gradient record.
func (x *Tensor) firstColumns(n int) *Tensor { return x.alias(x.layout.Narrow(nil, 1, 0, n, 1)) }

func gruGrad(b *backprop, dy *Tensor) {
	r, hs, weight, gates, candidate := b.params().(recurrence), b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	dh := dy.like(op.GRU, dy.dtype).copyFrom(dy)
	dx, du := gates.like(op.GRU, dy.dtype), gates.like(op.GRU, dy.dtype)
	room := dy.empty(op.GRU, dy.dtype, Shape{r.sequences(), weight.layout.Shape()[1]})
	moments := r.moments()
	var kept backend.Kept
	defer dy.freeKept(&kept)
	for i := range moments {
		m := moments[len(moments)-1-i]
		g, un, in, state := gates.rows(m.row, m.n), candidate.rows(m.row, m.n), dx.rows(m.row, m.n), du.rows(m.row, m.n)
		d, tmp := dh.rows(r.base()+m.row, m.n), room.rows(0, m.n)
		gr, gz, gn := g.columns(0, 3), g.columns(1, 3), g.columns(2, 3)
		dr, dz, dn := in.columns(0, 3), in.columns(1, 3), in.columns(2, 3)

		tmp.compute(op.Sub, nil, hs.before(m), gn)
		dz.compute(op.Mul, nil, d, tmp)
		dz.compute(op.SigmoidGrad, nil, dz, gz)
		tmp.compute(op.Mul, nil, d, gz)
		dn.compute(op.Sub, nil, d, tmp)
		dn.compute(op.TanhGrad, nil, dn, gn)
		dr.compute(op.Mul, nil, dn, un)
		dr.compute(op.SigmoidGrad, nil, dr, gr)
		dh.addBefore(m, tmp)

		rz := 2 * tmp.layout.Shape()[1]
		state.firstColumns(rz).copyFrom(in.firstColumns(rz))
		state.columns(2, 3).compute(op.Mul, nil, dn, gr)
		dh.addProductBefore(m, state, weight, &kept)
	}
	b.give(0, b.byKernels(dx, dy))
	b.byKernels(du, dy)
	b.giveNeeded(1, func() *Tensor { return du.T().MM(r.starts(hs)) })
	b.giveNeeded(2, func() *Tensor { return du.SumAxes([]int{0}) })
	b.giveNeeded(3, func() *Tensor { return b.byKernels(dh.rows(r.first(), r.sequences()).Clone(), dy) })
}
