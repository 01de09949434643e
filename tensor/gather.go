package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// Gather returns the elements that index, int64 or int32, names along one axis: out[i, j] = x[i, index[i, j]] for axis 1 of a
// matrix. The other extents of index must not exceed x's.
func (x *Tensor) Gather(axis int, index *Tensor) *Tensor {
	axis = x.axis("gather", axis)
	x.sameIndexDevice("gather", "wrapper_CUDA_gather", "index", index)
	if index.dtype != dtype.Int64 && index.dtype != dtype.Int32 && index.layout.Size() > 0 {
		fail("gather", ErrDType, "gather(): Expected dtype int32/int64 for index", x, index)
	}
	src, at := x.atLeast1(), index.cast(dtype.Int64).atLeast1()
	if src.layout.Rank() != at.layout.Rank() {
		fail("gather", ErrShape, "Index tensor must have the same number of dimensions as input tensor", x, index)
	}
	for i, n := range at.layout.Shape() {
		if i != axis && n > src.layout.Shape()[i] {
			fail("gather", ErrShape, fmt.Sprintf("Size does not match at dimension %d expected index %s to be no larger than self %s apart from dimension %d",
				i, index.layout.Shape().List(), x.layout.Shape().List(), axis), x, index)
		}
	}
	out := x.empty(op.Gather, x.dtype, index.layout.Shape(), index)
	launch(op.Gather, x.dtype, op.Axis{Axis: axis}, []*Tensor{out.atLeast1()}, []*Tensor{src, at})
	record(out, op.Gather, gatherGrad, axis, x).save(at)
	return out
}

// gatherGrad brings each element's gradient back to where the element was.
func gatherGrad(b *backprop, dy *Tensor) {
	g, at := dy.zeros(b.input(0)), b.saved(0)
	g.scatterInto(b.params().(int), at, dy)
	record(g, op.ScatterAdd, scatterAddGrad, b.params(), nil, dy).save(at)
	b.give(0, g)
}

// scatterInto adds src to x, a fresh tensor, where index names places along one axis.
func (x *Tensor) scatterInto(axis int, index, src *Tensor) {
	launch(op.ScatterAdd, x.dtype, op.Axis{Axis: axis}, []*Tensor{x.atLeast1()}, []*Tensor{index, src.atLeast1()})
}

// ScatterAdd returns x with the elements of src added where index, int64 or int32, names places along one axis:
// out[i, index[i, j]] += src[i, j] for axis 1 of a matrix. Where places repeat, src is added in its order.
func (x *Tensor) ScatterAdd(axis int, index, src *Tensor) *Tensor {
	if a := autocastOf(x, src); a != nil {
		x, index, src = a.three("scatter_add", x, index, src)
	}
	axis = x.axis("scatter_add", axis)
	x.checkScatter("scatter_add", axis, index, src)
	at := index.cast(dtype.Int64).atLeast1()
	out := x.empty(op.ScatterAdd, x.dtype, x.layout.Shape(), index, src).copyFrom(x)
	out.scatterInto(axis, at, src)
	record(out, op.ScatterAdd, scatterAddGrad, axis, x, src).save(at)
	return out
}

func scatterAddGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	b.giveNeeded(1, func() *Tensor { return dy.Gather(b.params().(int), b.saved(0)).paddedTo(b.input(1)) })
}

// ScatterAddInPlace adds the elements of src to the places of x that ScatterAdd says.
func (x *Tensor) ScatterAddInPlace(axis int, index, src *Tensor) *Tensor {
	x.mutable(op.ScatterAdd, src)
	return x.become(op.ScatterAdd, uncast(func(t []*Tensor) *Tensor { return t[0].ScatterAdd(axis, index, t[1]) }, x, src))
}
