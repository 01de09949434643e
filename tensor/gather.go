package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Gather returns the elements that index, int64, names along one axis: out[i, j] = x[i, index[i, j]] for axis 1 of a
// matrix. The other extents of index must not exceed x's.
func (x *Tensor) Gather(axis int, index *Tensor) *Tensor {
	axis = x.axis("gather", axis)
	x.sameIndexDevice("gather", "wrapper_CUDA_gather", "index", index)
	if index.dtype != dtype.Int64 && index.layout.Size() > 0 {
		fail("gather", ErrDType, "gather(): Expected dtype int64 for index", x, index)
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

// ScatterAdd returns x with the elements of src added where index, int64, names places along one axis:
// out[i, index[i, j]] += src[i, j] for axis 1 of a matrix. Where places repeat, src is added in its order.
func (x *Tensor) ScatterAdd(axis int, index, src *Tensor) *Tensor {
	axis = x.axis("scatter_add", axis)
	x.checkScatter(axis, index, src)
	at := index.cast(dtype.Int64).atLeast1()
	out := x.empty(op.ScatterAdd, x.dtype, x.layout.Shape(), index, src).copyFrom(x)
	out.scatterInto(axis, at, src)
	record(out, op.ScatterAdd, scatterAddGrad, axis, x, src).save(at)
	return out
}

func scatterAddGrad(b *backprop, dy *Tensor) {
	b.give(0, dy)
	if !b.needs(1) {
		return
	}
	at, shape := b.saved(0), b.input(1)
	g := dy.empty(op.Gather, dy.dtype, at.layout.Shape())
	launch(op.Gather, dy.dtype, op.Axis{Axis: b.params().(int)}, []*Tensor{g}, []*Tensor{dy.atLeast1(), at})
	record(g, op.Gather, gatherGrad, b.params(), dy).save(at)
	if len(shape) == 0 || shape.Equal(g.layout.Shape()) {
		b.give(1, g.Reshape(shape...))
		return
	}
	// Elements of src beyond the index were not used.
	part := layout.Contiguous(shape)
	for axis, n := range at.layout.Shape() {
		part = part.Narrow(nil, axis, 0, n, 1)
	}
	b.give(1, g.placed(shape, part))
}

func (x *Tensor) checkScatter(axis int, index, src *Tensor) {
	x.sameIndexDevice("scatter_add", "wrapper_CUDA_scatter_add", "index", index)
	x.sameIndexDevice("scatter_add", "wrapper_CUDA_scatter_add", "src", src)
	if index.dtype != dtype.Int64 && index.layout.Size() > 0 {
		fail("scatter_add", ErrDType, "scatter(): Expected dtype int64 for index", x, index, src)
	}
	if x.dtype != src.dtype {
		fail("scatter_add", ErrDType, "scatter(): Expected self.dtype to be equal to src.dtype", x, index, src)
	}
	to, at, from := x.atLeast1().layout.Shape(), index.atLeast1().layout.Shape(), src.atLeast1().layout.Shape()
	if len(at) != len(to) {
		fail("scatter_add", ErrShape, "Index tensor must have the same number of dimensions as self tensor", x, index, src)
	}
	if len(at) != len(from) {
		fail("scatter_add", ErrShape, "Index tensor must have the same number of dimensions as src tensor", x, index, src)
	}
	for i, n := range at {
		if (i != axis && n > to[i]) || n > from[i] {
			fail("scatter_add", ErrShape, fmt.Sprintf("Expected index %s to be no larger than self %s apart from dimension %d and to be no larger size than src %s",
				index.layout.Shape().List(), x.layout.Shape().List(), axis, src.layout.Shape().List()), x, index, src)
		}
	}
}
