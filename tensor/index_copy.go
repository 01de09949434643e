package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// IndexAddInPlace adds src to x as IndexAdd says.
func (x *Tensor) IndexAddInPlace(axis int, index, src *Tensor, opts ...IndexAddOption) *Tensor {
	x.mutable(op.IndexAdd, src)
	return x.become(op.IndexAdd, x.IndexAdd(axis, index, src, opts...))
}

// IndexCopy returns x with src at those indices of one axis that index, a vector, names. Where an index repeats, the last stays.
func (x *Tensor) IndexCopy(axis int, index, src *Tensor) *Tensor {
	if a := autocastOf(x, src); a != nil {
		x, src = a.two("index_copy", x, src)
	}
	axis = x.checkIndexCopy(axis, index, src)
	long := index.Detach().cast(dtype.Int64).atLeast1()
	out := x.empty(op.IndexCopy, x.dtype, x.layout.Shape(), index, src).copyFrom(x)
	out.putRows(axis, long, src)
	record(out, op.IndexCopy, indexCopyGrad, axis, x, src).save(long)
	return out
}

func indexCopyGrad(b *backprop, dy *Tensor) {
	axis, index := b.params().(int), b.saved(0)
	b.giveNeeded(0, func() *Tensor { return Where(dy.placesOf(axis, index), 0, dy) })
	b.giveNeeded(1, func() *Tensor { return dy.IndexSelect(axis, index).Reshape(b.input(1)...) })
}

// putRows writes src to x, whose elements lie in order, at those indices of one axis that index names.
func (x *Tensor) putRows(axis int, index, src *Tensor) {
	launch(op.IndexCopy, x.dtype, op.Axis{Axis: axis}, []*Tensor{x.atLeast1()}, []*Tensor{index, src.atLeast1()})
}

// placesOf returns a mask that is true at those indices of one axis of x that index names, and broadcasts to x.
func (x *Tensor) placesOf(axis int, index *Tensor) *Tensor {
	n := 1
	if x.layout.Rank() > 0 {
		n = x.layout.Shape()[axis]
	}
	mask := x.zerosAs(dtype.Bool, Shape{n})
	mask.putRows(0, index, index.like(op.Fill, dtype.Bool).fill(backend.Scalar{I: 1, Kind: backend.BoolScalar}))
	if x.layout.Rank() == 0 {
		return mask.Reshape()
	}
	return mask.Reshape(lineShape(x.layout.Rank()-axis, 0, n)...)
}

func (x *Tensor) checkIndexCopy(axis int, index, src *Tensor) int {
	const name = "index_copy"
	axis = x.axis(name, axis)
	x.sameIndexDevice(name, "wrapper_CUDA_index_copy", "index", index)
	x.sameIndexDevice(name, "wrapper_CUDA_index_copy", "source", src)
	from, to, n := src.atLeast1().layout.Shape(), x.atLeast1().layout.Shape(), index.layout.Size()
	switch {
	case index.layout.Rank() > 1:
		fail(name, ErrIndex, fmt.Sprintf("index_copy_(): Index should have dimension 1 or 0 (got %d)", index.layout.Rank()), x, index, src)
	case index.dtype != dtype.Int64:
		fail(name, ErrIndex, "index_copy_(): Expected a long tensor for index, but got "+index.dtype.ScalarName(), x, index, src)
	case x.dtype != src.dtype:
		fail(name, ErrDType, fmt.Sprintf("index_copy_(): self and source expected to have the same dtype, but got (self) %s and (source) %s",
			x.dtype.ScalarName(), src.dtype.ScalarName()), x, index, src)
	case len(from) != len(to):
		fail(name, ErrIndex, fmt.Sprintf("index_copy_(): When source and destination are not scalars, their dimensionality must match. "+
			"Source dimensionality (%d), destination dimensionality (%d)", src.layout.Rank(), x.layout.Rank()), x, index, src)
	case n != from[axis]:
		fail(name, ErrIndex, fmt.Sprintf("index_copy_(): Number of indices (%d) should be equal to source.size(dim) (%d)", n, from[axis]), x, index, src)
	case !equalBut(from, to, axis):
		fail(name, ErrShape, fmt.Sprintf("index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: %s at dimension %d "+
			"and source slice shape: %s at dimension %d.", without(to, axis).List(), axis, without(from, axis).List(), axis), x, index, src)
	}
	return axis
}

// without returns a shape that lacks one axis.
func without(shape Shape, axis int) Shape {
	return append(append(Shape{}, shape[:axis]...), shape[axis+1:]...)
}

// IndexCopyInPlace writes src to x as IndexCopy says.
func (x *Tensor) IndexCopyInPlace(axis int, index, src *Tensor) *Tensor {
	x.mutable(op.IndexCopy, src)
	if tracked(x, src) || !x.layout.IsContiguous() {
		return x.become(op.IndexCopy, uncast(func(t []*Tensor) *Tensor { return t[0].IndexCopy(axis, index, t[1]) }, x, src))
	}
	axis = x.checkIndexCopy(axis, index, src)
	x.Detach().putRows(axis, index.Detach().unshared(x).atLeast1(), src.Detach().unshared(x))
	x.storage.version++
	return x
}

// IndexFill returns x with v, a number or a tensor without axes, at those indices of one axis that index, a vector, names; negative
// ones count from the end.
func (x *Tensor) IndexFill(axis int, index *Tensor, v any) *Tensor {
	const name = "index_fill"
	axis = x.axis(name, axis)
	x.sameIndexDevice(name, "wrapper_CUDA_index_fill_", "index", index)
	switch {
	case index.dtype != dtype.Int64:
		fail(name, ErrIndex, "index_fill_(): Expected dtype int64 for index.", x, index)
	case index.layout.Rank() > 1:
		fail(name, ErrIndex, "Index has to be a vector/scalar", x, index)
	}
	value := operandOf(name, v)
	x.fitsFill(name, value)
	n := x.atLeast1().layout.Shape()[axis]
	mask := x.placesOf(axis, index.Detach().atLeast1().wrapped(op.Ravel{Axis: axis, Extent: n}))
	out := choose(op.IndexFill, mask, value, operand{t: x}, x.dtype)
	record(out, op.IndexFill, maskedFillGrad, nil, x, value.t).save(mask)
	return out
}

// wrapped returns indices of an axis with negative ones counted from the end, after a check that all are in range.
func (x *Tensor) wrapped(p op.Ravel) *Tensor {
	out := x.zerosAs(dtype.Int64, x.layout.Shape())
	launch(op.RavelIndex, dtype.Int64, p, []*Tensor{out}, []*Tensor{x})
	return out
}

// IndexFillInPlace writes v to x as IndexFill says.
func (x *Tensor) IndexFillInPlace(axis int, index *Tensor, v any) *Tensor {
	value := operandOf("index_fill_", v)
	x.mutable(op.IndexFill, value.t)
	return x.become(op.IndexFill, x.IndexFill(axis, index, v))
}
