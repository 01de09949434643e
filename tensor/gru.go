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
	moments := r.moments()
	steps := x.stepperOf(gruStep, len(moments))
	for _, m := range moments {
		before, u := out.before(m), u.rows(0, m.n)
		if bias != nil {
			u.addProduct(bias.alias(bias.layout.Expand(nil, u.layout.Shape())), before, weight.transposed(), &kept)
		} else {
			u.compute(op.MM, nil, before, weight.transposed())
		}
		steps.step(x.rows(m.row, m.n), u, gates.rows(m.kept, m.n), candidate.rows(m.kept, m.n), before, out.rows(r.base()+m.row, m.n))
	}
	node.save(out, weight, gates, candidate)
	if r.forgets {
		gates.storage.discard()
		candidate.storage.discard()
	}
	hs = out.Narrow(0, r.base(), r.rows)
	return hs, r.last(hs)
}

// The ops of a step, of what the gates have from the input and from the state, of the gates, un, the state before and the one after it.
var gruStep = func() []stepOp {
	in, u := func(i int) block { return block{0, i, 3} }, func(i int) block { return block{1, i, 3} }
	r, z, n := block{2, 0, 3}, block{2, 1, 3}, block{2, 2, 3}
	un, before, state := block{3, 0, 1}, block{4, 0, 1}, block{5, 0, 1}
	return []stepOp{
		{op.Copy, nil, un, []block{u(2)}},
		{op.Add, nil, r, []block{in(0), u(0)}},
		{op.Sigmoid, nil, r, []block{r}},
		{op.Add, nil, z, []block{in(1), u(1)}},
		{op.Sigmoid, nil, z, []block{z}},
		{op.AddCMul, op.Number{A: 1}, n, []block{in(2), r, un}},
		{op.Tanh, nil, n, []block{n}},
		{op.Lerp, nil, state, []block{n, before, z}},
	}
}()

func gruGrad(b *backprop, dy *Tensor) {
	r, hs, weight, gates, candidate := b.params().(recurrence), b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	dh := dy.like(op.GRU, dy.dtype).copyFrom(dy)
	dx, du := gates.like(op.GRU, dy.dtype), gates.like(op.GRU, dy.dtype)
	room := dy.empty(op.GRU, dy.dtype, Shape{r.sequences(), weight.layout.Shape()[1]})
	moments := r.moments()
	steps := dy.stepperOf(gruStepGrad, len(moments))
	var kept backend.Kept
	defer dy.freeKept(&kept)
	for i := range moments {
		m := moments[len(moments)-1-i]
		state, tmp := du.rows(m.row, m.n), room.rows(0, m.n)
		steps.step(dx.rows(m.row, m.n), state, dh.rows(r.base()+m.row, m.n), gates.rows(m.row, m.n), candidate.rows(m.row, m.n), hs.before(m), tmp)
		dh.addBefore(m, tmp)
		dh.addProductBefore(m, state, weight, &kept)
	}
	b.give(0, b.byKernels(dx, dy))
	b.byKernels(du, dy)
	b.giveNeeded(1, func() *Tensor { return du.T().MM(r.starts(hs)) })
	b.giveNeeded(2, func() *Tensor { return du.SumAxes([]int{0}) })
	b.giveNeeded(3, func() *Tensor { return b.byKernels(dh.rows(r.first(), r.sequences()).Clone(), dy) })
}

// The ops of a step's gradients: of what the gates have from the input and from the state, made of the state's, the gates, un and the state
// before; what is last becomes what this has by z.
var gruStepGrad = func() []stepOp {
	dr, dz, dn := block{0, 0, 3}, block{0, 1, 3}, block{0, 2, 3}
	ur, uz, dun := block{1, 0, 3}, block{1, 1, 3}, block{1, 2, 3}
	r, z, n := block{3, 0, 3}, block{3, 1, 3}, block{3, 2, 3}
	d, un, before, last := block{2, 0, 1}, block{4, 0, 1}, block{5, 0, 1}, block{6, 0, 1}
	return []stepOp{
		{op.Sub, nil, last, []block{before, n}},
		{op.Mul, nil, dz, []block{d, last}},
		{op.SigmoidGrad, nil, dz, []block{dz, z}},
		{op.Mul, nil, last, []block{d, z}},
		{op.Sub, nil, dn, []block{d, last}},
		{op.TanhGrad, nil, dn, []block{dn, n}},
		{op.Mul, nil, dr, []block{dn, un}},
		{op.SigmoidGrad, nil, dr, []block{dr, r}},
		{op.Copy, nil, ur, []block{dr}},
		{op.Copy, nil, uz, []block{dz}},
		{op.Mul, nil, dun, []block{dn, r}},
	}
}()
