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
	steps := x.stepperOf(gruStep, moments)
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
var gruStep = func() *stepOps {
	r, z, n, rz := block{2, 0, 1, 3}, block{2, 1, 1, 3}, block{2, 2, 1, 3}, block{2, 0, 2, 3}
	un, before, state := entire(3), entire(4), entire(5)
	return stepOpsOf(
		stepOp{op.Copy, nil, un, []block{{1, 2, 1, 3}}},
		stepOp{op.Add, nil, rz, []block{{0, 0, 2, 3}, {1, 0, 2, 3}}},
		stepOp{op.Sigmoid, nil, rz, []block{rz}},
		stepOp{op.AddCMul, op.Number{A: 1}, n, []block{{0, 2, 1, 3}, r, un}},
		stepOp{op.Tanh, nil, n, []block{n}},
		stepOp{op.Lerp, nil, state, []block{n, before, z}},
	)
}()

func gruGrad(b *backprop, dy *Tensor) {
	r, hs, weight, gates, candidate := b.params().(recurrence), b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	dh := dy.like(op.GRU, dy.dtype).copyFrom(dy)
	dx, du := gates.like(op.GRU, dy.dtype), gates.like(op.GRU, dy.dtype)
	room := dy.empty(op.GRU, dy.dtype, Shape{r.sequences(), weight.layout.Shape()[1]})
	moments := r.moments()
	steps := dy.stepperOf(gruStepGrad, moments)
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
var gruStepGrad = func() *stepOps {
	dr, dz, dn, drz := block{0, 0, 1, 3}, block{0, 1, 1, 3}, block{0, 2, 1, 3}, block{0, 0, 2, 3}
	r, z, n := block{3, 0, 1, 3}, block{3, 1, 1, 3}, block{3, 2, 1, 3}
	d, un, before, last := entire(2), entire(4), entire(5), entire(6)
	return stepOpsOf(
		stepOp{op.Sub, nil, last, []block{before, n}},
		stepOp{op.Mul, nil, dz, []block{d, last}},
		stepOp{op.SigmoidGrad, nil, dz, []block{dz, z}},
		stepOp{op.Mul, nil, last, []block{d, z}},
		stepOp{op.Sub, nil, dn, []block{d, last}},
		stepOp{op.TanhGrad, nil, dn, []block{dn, n}},
		stepOp{op.Mul, nil, dr, []block{dn, un}},
		stepOp{op.SigmoidGrad, nil, dr, []block{dr, r}},
		stepOp{op.Copy, nil, block{1, 0, 2, 3}, []block{drz}},
		stepOp{op.Mul, nil, block{1, 2, 1, 3}, []block{dn, r}},
	)
}()
