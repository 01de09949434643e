package tensor

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Sort returns the elements sorted along one axis, from the smallest unless Descending is given, and as int64 the indices
// where they were. Equal elements keep their order, and NaN counts as the largest number.
func (x *Tensor) Sort(axis int, descending ...Descending) (values, indices *Tensor) {
	p := op.Order{Axis: x.axis("sort", axis), Descending: last(descending, false)}
	return x.sorted(op.Sort, p, x.layout.Shape())
}

// ArgSort returns as int64 the indices that Sort returns.
func (x *Tensor) ArgSort(axis int, descending ...Descending) *Tensor {
	_, indices := x.Detach().Sort(axis, descending...)
	return indices
}

// TopK returns the k largest elements along one axis, or with Largest(false) the smallest, sorted from the most extreme on,
// and as int64 the indices where they were.
func (x *Tensor) TopK(k, axis int, largest ...Largest) (values, indices *Tensor) {
	axis = x.axis("topk", axis)
	shape := x.Shape()
	n := 1
	if len(shape) > 0 {
		n = shape[axis]
		shape[axis] = k
	}
	if k < 0 || k > n {
		fail("topk", ErrIndex, "selected index k out of range", x)
	}
	if x.dtype == dtype.Bool && !x.IsCUDA() {
		fail("topk", ErrKernel, "topk does not support bool dtypes on CPU", x)
	}
	return x.sorted(op.TopK, op.Order{Axis: axis, Descending: last(largest, true)}, shape)
}

func (x *Tensor) sorted(o op.Op, p op.Order, shape Shape) (values, indices *Tensor) {
	values, indices = x.empty(o, x.dtype, shape), x.empty(o, dtype.Int64, shape)
	launch(o, x.dtype, p, []*Tensor{values.atLeast1(), indices.atLeast1()}, []*Tensor{x.atLeast1()})
	record(values, o, gatherGrad, p.Axis, x).save(indices.atLeast1())
	return values, indices
}
