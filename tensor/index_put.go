package tensor

import (
	"fmt"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// Accumulate makes IndexPut add to what it finds instead of replacing it.
type Accumulate bool

// IndexPut returns x with values, which broadcast, at the places that tensors name, one for each leading axis as in Index; nil keeps a
// whole axis. Where places repeat the last value stays, or with Accumulate(true) all are added in their order.
func (x *Tensor) IndexPut(indices []*Tensor, values *Tensor, accumulate ...Accumulate) *Tensor {
	if a := autocastOf(x, values); a != nil {
		x, values = a.two("index_put", x, values)
	}
	return x.put(x.putting(indices, values, last(accumulate, false)), values)
}

// put is IndexPut with a plan.
func (x *Tensor) put(p putting, values *Tensor) *Tensor {
	out := x.empty(op.IndexPut, x.dtype, x.layout.Shape(), values).copyFrom(x)
	p.into(out, values)
	record(out, op.IndexPut, indexPutGrad, p.putPlan, x, values).save(p.index)
	return out
}

// putPlan says how the places of an IndexPut lie in a tensor.
type putPlan struct {
	indexPlan
	shape      Shape // of the places, to which values broadcast
	whole      Shape // of the indexed tensor, with an axis for each mask without axes
	accumulate bool
}

// putting is a plan with its flat index; a nil one names all elements.
type putting struct {
	putPlan
	index *Tensor
}

// putting checks the operands of an IndexPut.
func (x *Tensor) putting(indices []*Tensor, values *Tensor, accumulate bool) putting {
	const name = "index_put_"
	refuseNil(name, "self", 1, x)
	refuseNil(name, "values", 3, values)
	if x.dtype != values.dtype {
		fail(name, ErrDType, fmt.Sprintf("Index put requires the source and destination dtypes match, got %s for the destination and %s for the source.",
			x.dtype.ScalarName(), values.dtype.ScalarName()), x, values)
	}
	if values.layout.Rank() > 0 {
		sameDevice(name, x, values)
	}
	if n := len(indices); n > max(x.layout.Rank(), 1) {
		fail(name, ErrIndex, fmt.Sprintf("too many indices for tensor of dimension %d (got %d)", x.layout.Rank(), n), x)
	}
	src, places := x.Detach().places(indices)
	g := src.ravel(places)
	p := putting{putPlan{g.plan, g.shape, src.layout.Shape(), accumulate}, g.index}
	if g.index == nil {
		p.shape = p.whole
	}
	if wide, err := layout.Broadcast(p.shape, values.layout.Shape()); err != nil || !wide.Equal(p.shape) {
		fail(name, ErrShape, fmt.Sprintf("shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s",
			values.layout.Shape().List(), p.shape.List()), x, values)
	}
	return p
}

// into writes or adds values to out, whose elements may lie in any way, without a gradient record.
func (p *putting) into(out, values *Tensor) {
	out, values = out.Detach(), values.Detach()
	if values.storage.device != out.storage.device {
		values = values.To(out.storage.device)
	}
	wide := values.Expand(p.shape...)
	if p.index == nil {
		all := out.Reshape(p.whole...)
		if p.accumulate {
			wide = all.Add(wide)
		}
		out.copyFrom(wide.Reshape(out.layout.Shape()...))
		return
	}
	front := out.Reshape(p.whole...).permuted(p.order)
	flat := front
	if !front.layout.IsContiguous() {
		flat = front.like(op.Clone, out.dtype).copyFrom(front)
	}
	kernel := op.IndexCopy
	if p.accumulate {
		kernel = op.IndexAdd
	}
	rows := wide.Reshape(p.outer, p.index.layout.Size(), p.inner)
	whole := flat.alias(layout.Of(Shape{p.outer, p.extent, p.inner}, []int{p.extent * p.inner, p.inner, 1}, flat.layout.Offset))
	launch(kernel, out.dtype, op.Axis{Axis: 1}, []*Tensor{whole}, []*Tensor{p.index, rows})
	if flat != front {
		front.copyFrom(flat)
	}
}

// permuted is Permute for an order that may be nil, which keeps the axes.
func (x *Tensor) permuted(order []int) *Tensor {
	if order == nil {
		return x
	}
	return x.Permute(order...)
}

func indexPutGrad(b *backprop, dy *Tensor) {
	p := putting{b.params().(putPlan), b.saved(0)}
	if p.accumulate {
		b.give(0, dy)
	} else {
		b.giveNeeded(0, func() *Tensor { return dy.put(p, dy.zeros(Shape{})) })
	}
	b.giveNeeded(1, func() *Tensor {
		g := dy.Reshape(p.whole...)
		if p.index != nil {
			g = g.pickRavelled(ravelled{p.indexPlan, p.index, p.shape})
		}
		return g.sumTo(b.input(1))
	})
}

// IndexPutInPlace writes or adds values to x as IndexPut says.
func (x *Tensor) IndexPutInPlace(indices []*Tensor, values *Tensor, accumulate ...Accumulate) *Tensor {
	refuseNil("index_put_", "values", 3, values)
	x.mutable(op.IndexPut, values)
	if tracked(x, values) {
		return x.become(op.IndexPut, uncast(func(t []*Tensor) *Tensor { return t[0].IndexPut(indices, t[1], accumulate...) }, x, values))
	}
	p := x.putting(indices, values, last(accumulate, false))
	p.into(x, values.unshared(x))
	x.storage.version++
	return x
}
