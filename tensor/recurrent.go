package tensor

import (
	"fmt"

	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// recurrence is the order in which a recurrent layer computes its states. States are the rows of one tensor, the first ones of the
// sequences before those of the steps, or behind them where it runs in reverse: so the states that a step starts from stand
// side by side, as far as no sequence ends or begins there.
type recurrence struct {
	friend.Sequences
	rows    int // of all steps
	offset  []int
	forgets bool // of what a gradient would need it keeps one step's at a time
}

func recurrenceOf(s friend.Sequences) recurrence {
	r := recurrence{Sequences: s}
	for _, n := range s.Sizes {
		r.offset = append(r.offset, r.rows)
		r.rows += n
	}
	return r
}

// sequences returns how many there are.
func (r *recurrence) sequences() int { return r.Sizes[0] }

// kept returns how many rows there are of what a gradient needs of the steps.
func (r *recurrence) kept() int {
	if r.forgets {
		return r.sequences()
	}
	return r.rows
}

// first returns the row of the first states.
func (r *recurrence) first() int {
	if r.Reverse {
		return r.rows
	}
	return 0
}

// base returns the row of step 0's states.
func (r *recurrence) base() int {
	if r.Reverse {
		return 0
	}
	return r.sequences()
}

// moment is a step: its rows, and those of the states that it starts from.
type moment struct {
	row, n int
	kept   int     // the first of its rows among those that recurrence.kept tells of
	from   int     // the first of the n states that it starts from, where they stand side by side
	rows   []int64 // these states, where they do not
}

// moments returns the steps in the order in which they are computed.
func (r *recurrence) moments() []moment {
	all := make([]moment, 0, len(r.Sizes))
	for i := range r.Sizes {
		t, before := i, i-1
		if r.Reverse {
			t = len(r.Sizes) - 1 - i
			before = t + 1
		}
		m := moment{row: r.offset[t], n: r.Sizes[t], from: r.first()}
		if !r.forgets {
			m.kept = m.row
		}
		if i > 0 {
			m.from = r.base() + r.offset[before]
			for k := range m.n { // sequences that begin here
				if old := r.Sizes[before]; old < m.n {
					row := m.from + k
					if k >= old {
						row = r.first() + k
					}
					m.rows = append(m.rows, int64(row))
				}
			}
		}
		all = append(all, m)
	}
	return all
}

// starts returns the states that the rows of all steps start from.
func (r *recurrence) starts(states *Tensor) *Tensor {
	even := true
	for _, n := range r.Sizes {
		even = even && n == r.sequences()
	}
	if even {
		return states.rows(r.sequences()-r.base(), r.rows)
	}
	index := make([]int64, r.rows)
	for _, m := range r.moments() {
		for k := range m.n {
			index[m.row+k] = int64(m.from + k)
			if m.rows != nil {
				index[m.row+k] = m.rows[k]
			}
		}
	}
	return states.picked(index)
}

// last returns the rows of states, those of the steps alone, that each sequence ends with.
func (r *recurrence) last(states *Tensor) *Tensor {
	end := len(r.Sizes) - 1
	switch {
	case r.Reverse:
		return states.Narrow(0, 0, r.sequences())
	case r.Sizes[end] == r.sequences():
		return states.Narrow(0, r.offset[end], r.sequences())
	}
	index := make([]int64, r.sequences())
	for t, n := range r.Sizes {
		for k := range n {
			index[k] = int64(r.offset[t] + k)
		}
	}
	return states.IndexSelect(0, states.indices(index))
}

// before returns the states that a step starts from.
func (x *Tensor) before(m moment) *Tensor {
	if m.rows != nil {
		return x.picked(m.rows)
	}
	return x.rows(m.from, m.n)
}

// addBefore adds g to the rows that a step starts from.
func (x *Tensor) addBefore(m moment, g *Tensor) {
	if m.rows == nil {
		x.rows(m.from, m.n).addInto(g)
		return
	}
	launch(op.IndexAdd, x.dtype, op.Axis{}, []*Tensor{x}, []*Tensor{x.indices(m.rows), g})
}

// addProductBefore adds a·b to the rows that a step starts from; the steps share b.
func (x *Tensor) addProductBefore(m moment, a, b *Tensor, kept *backend.Kept) {
	if m.rows == nil {
		to := x.rows(m.from, m.n)
		to.addProduct(to, a, b, kept)
		return
	}
	product := x.empty(op.MM, x.dtype, Shape{m.n, b.layout.Shape()[1]})
	product.compute(op.MM, nil, a, b)
	x.addBefore(m, product)
}

// picked returns rows of x, without a gradient record.
func (x *Tensor) picked(rows []int64) *Tensor {
	return x.selectRows(op.IndexSelect, 0, x.indices(rows))
}

// rows returns n rows of x, without a gradient record.
func (x *Tensor) rows(first, n int) *Tensor {
	return x.alias(x.layout.Narrow(nil, 0, first, first+n, 1))
}

// columns returns column block i of n that a row of x has, without a gradient record.
func (x *Tensor) columns(i, n int) *Tensor {
	wide := x.layout.Shape()[1] / n
	return x.alias(x.layout.Narrow(nil, 1, i*wide, (i+1)*wide, 1))
}

// transposed returns the transposed matrix, without a gradient record.
func (x *Tensor) transposed() *Tensor { return x.alias(x.layout.Transpose(nil, 0, 1)) }

// compute computes x, without a gradient record; it may be among the operands.
func (x *Tensor) compute(o op.Op, params any, operands ...*Tensor) {
	launch(o, x.dtype, params, []*Tensor{x}, operands)
}

// addProduct computes x = from + a·b, without a gradient record, for products that share b and what is kept of it until freeKept.
func (x *Tensor) addProduct(from, a, b *Tensor, kept *backend.Kept) {
	ins := []*Tensor{from, a, b}
	c := callOf(op.AddMM, x.dtype, op.Affine{Alpha: 1, Beta: 1}, []*Tensor{x}, ins)
	c.Kept = kept
	run(c, x, ins...)
}

// freeKept frees what products on x's device have kept.
func (x *Tensor) freeKept(kept *backend.Kept) {
	if kept.Buf != nil {
		x.storage.backend.Free(kept.Buf)
	}
}

// states returns a tensor for the states of all steps that holds the first ones.
func (r *recurrence) states(out, first *Tensor) *Tensor {
	out.rows(r.first(), r.sequences()).copyFrom(first)
	return out
}

// checkRecurrent panics unless all are floats of x's dtype on its device; those that are nil are left out.
func (x *Tensor) checkRecurrent(o op.Op, others ...argument) {
	all := []argument{{"input", x}}
	for _, a := range others {
		if a.t != nil {
			all = append(all, a)
		}
	}
	checkArguments(o, all...)
	refuseIntegers(o.String(), o.String(), x)
	for _, a := range all[1:] {
		if a.t.dtype != x.dtype {
			fail(o.String(), ErrDType, fmt.Sprintf("Input and %s tensors are not the same dtype, found input tensor with %s and %s tensor with %s",
				a.name, x.dtype.ScalarName(), a.name, a.t.dtype.ScalarName()), x, a.t)
		}
	}
}

// rnn computes h = tanh(gates + h·weightᵀ), or relu in the place of tanh.
func (x *Tensor) rnn(weight, h *Tensor, relu bool, s friend.Sequences) (hs, last *Tensor) {
	if a := autocastOf(x, weight); a != nil {
		x, weight, h = a.three("rnn", x, weight, h)
	}
	x.checkRecurrent(op.RNN, argument{"weight", weight}, argument{"hidden", h})
	r := recurrenceOf(s)
	f := op.Tanh
	if relu {
		f = op.ReLU
	}
	out := x.empty(op.RNN, x.dtype, Shape{r.sequences() + r.rows, weight.layout.Shape()[1]}, weight, h)
	r.states(out, h)
	var kept backend.Kept
	defer x.freeKept(&kept)
	for _, m := range r.moments() {
		y := out.rows(r.base()+m.row, m.n)
		y.addProduct(x.rows(m.row, m.n), out.before(m), weight.transposed(), &kept)
		y.compute(f, nil, y)
	}
	record(out, op.RNN, rnnGrad, recurrent{r, relu}, x, weight, h).save(out, weight)
	hs = out.Narrow(0, r.base(), r.rows)
	return hs, r.last(hs)
}

// recurrent are the parameters of a recurrent layer.
type recurrent struct {
	recurrence
	relu bool
}

func rnnGrad(b *backprop, dy *Tensor) {
	r, hs, weight := b.params().(recurrent), b.saved(0), b.saved(1)
	f := op.TanhGrad
	if r.relu {
		f = op.ReLUGrad
	}
	dh := dy.like(op.RNN, dy.dtype).copyFrom(dy)
	dx := dy.empty(op.RNN, dy.dtype, Shape{r.rows, dy.layout.Shape()[1]})
	moments := r.moments()
	var kept backend.Kept
	defer dy.freeKept(&kept)
	for i := range moments {
		m := moments[len(moments)-1-i]
		d, at := dx.rows(m.row, m.n), r.base()+m.row
		d.compute(f, nil, dh.rows(at, m.n), hs.rows(at, m.n))
		dh.addProductBefore(m, d, weight, &kept)
	}
	b.give(0, b.byKernels(dx, dy))
	b.giveNeeded(1, func() *Tensor { return dx.T().MM(r.starts(hs)) })
	b.giveNeeded(2, func() *Tensor { return b.byKernels(dh.rows(r.first(), r.sequences()).Clone(), dy) })
}
