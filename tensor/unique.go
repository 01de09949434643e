package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
)

// UniqueOption is an option of Unique and UniqueConsecutive: OverAxis.
type UniqueOption interface{ uniqueAxis() int }

func (a OverAxis) uniqueAxis() int { return int(a) }

// Unique returns the elements that differ from each other, sorted, as a vector; for each element of x the place of its equal among
// them; and as a vector how often each occurs, both int64. With OverAxis it compares the parts of x at each place of that axis, in the
// order of their first elements, then of their second, and returns those that differ joined along the axis, and a vector of places. No
// NaN equals another. It waits for the device, because the shapes depend on the data. It records no gradient.
func (x *Tensor) Unique(opts ...UniqueOption) (values, inverse, counts *Tensor) {
	return x.unique("unique", opts, true)
}

// UniqueConsecutive is Unique of runs: an element counts where it differs from the one before it, in row-major order, and nothing is
// sorted.
func (x *Tensor) UniqueConsecutive(opts ...UniqueOption) (values, inverse, counts *Tensor) {
	return x.unique("unique_consecutive", opts, false)
}

func (x *Tensor) unique(name string, opts []UniqueOption, sort bool) (values, inverse, counts *Tensor) {
	refuseNil(name, "input", 1, x)
	x = x.Detach()
	if len(opts) == 0 {
		if x.layout.Size() == 0 {
			return x.zeros(Shape{0}), x.zerosAs(dtype.Int64, x.layout.Shape()), x.zerosAs(dtype.Int64, Shape{0})
		}
		values, inverse, counts = x.Reshape(-1, 1).differing(sort)
		return values.Reshape(-1), inverse.Reshape(x.layout.Shape()...), counts
	}
	axis := x.checkUnique(name, opts[len(opts)-1].uniqueAxis())
	if x.layout.Size() == 0 {
		return x.zeros(x.layout.Shape()), x.zerosAs(dtype.Int64, Shape{0}), x.zerosAs(dtype.Int64, Shape{0})
	}
	parts := x.MoveAxis([]int{axis}, []int{0})
	shape := parts.Shape()
	values, inverse, counts = parts.Reshape(shape[0], -1).differing(sort)
	shape[0] = values.layout.Shape()[0]
	return values.Reshape(shape...).MoveAxis([]int{0}, []int{axis}).Contiguous(), inverse, counts
}

func (x *Tensor) checkUnique(name string, axis int) int {
	if x.layout.Rank() == 0 {
		fail(name, ErrIndex, fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axis), x)
	}
	axis = x.axis(name, axis)
	shape := x.layout.Shape()
	switch gone := len(slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n > 0 })); {
	case gone > 1:
		fail(name, ErrShape, "Number of zero sized dimensions is more than one, so unique cannot be applied ", x)
	case gone == 1 && shape[axis] > 0:
		fail(name, ErrShape, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied", x)
	}
	return axis
}

// differing returns the rows of x, a matrix with elements, that differ from the row before, after sorting where that is wanted; for each
// row the place of its equal; and how many are equal to each.
func (x *Tensor) differing(sort bool) (values, inverse, counts *Tensor) {
	n := x.layout.Shape()[0]
	sorted, order := x, (*Tensor)(nil)
	if sort {
		order = x.orderOfRows()
		sorted = x.IndexSelect(0, order)
	}
	changed := x.zerosAs(dtype.Bool, Shape{1}).EqScalar(false)
	if n > 1 {
		differ := sorted.Narrow(0, 1, n-1).Ne(sorted.Narrow(0, 0, n-1))
		changed = Cat([]*Tensor{changed, differ.AnyAxis(1)}, 0)
	}
	inverse = changed.CumSum(0).SubScalar(1)
	if sort {
		places := inverse
		inverse = x.zerosAs(dtype.Int64, Shape{n})
		inverse.putRows(0, order, places)
	}
	starts := changed.NonZero().Reshape(-1)
	ends := Cat([]*Tensor{starts.Slice(0, 1, End), x.counting(n, 1, 1)}, 0)
	return sorted.IndexSelect(0, starts), inverse, ends.Sub(starts)
}

// orderOfRows returns the indices that sort the rows of a matrix: stable sorts by each column, the first one last.
func (x *Tensor) orderOfRows() *Tensor {
	x = x.summable()
	columns := x.Unbind(1)
	order := columns[len(columns)-1].ArgSort(0)
	for _, column := range slices.Backward(columns[:len(columns)-1]) {
		order = order.IndexSelect(0, column.IndexSelect(0, order).ArgSort(0))
	}
	return order
}
