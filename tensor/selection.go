package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// Median returns the element in the middle of all sorted elements, of two the smaller, a tensor without axes; NaN where there is one
// or no element. Its gradient is divided evenly among elements that are equal to it.
func (x *Tensor) Median() *Tensor { return x.medianOfAll(op.Median, false) }

// NaNMedian is Median of the elements that are not NaN.
func (x *Tensor) NaNMedian() *Tensor { return x.medianOfAll(op.NaNMedian, true) }

func (x *Tensor) medianOfAll(o op.Op, skip bool) *Tensor {
	x.refuseBool(o, "median_cpu")
	flat := x.Detach().Reshape(-1)
	if flat.layout.Size() == 0 {
		if !x.dtype.IsFloat() {
			fail(o.String(), ErrShape, o.String()+"(): the median of no integers is not defined", x)
		}
		return flat.MeanAxes(nil)
	}
	values, _ := flat.medianAlong(0, skip)
	out := values.Reshape()
	record(out, o, kernelGrad, nil, x).save(out, x)
	return out
}

// MedianAxis returns along an axis the elements in the middle of the sorted ones, of two the smaller, and an index of each; the first
// NaN where there is one. The axis disappears unless KeepDim is given. Gradients flow to the elements that the indices name.
func (x *Tensor) MedianAxis(axis int, keep ...KeepDim) (values, indices *Tensor) {
	x.refuseBool(op.MedianAxis, "median_out")
	return x.ranked(op.MedianAxis, axis, kept(keep), func(y *Tensor, axis int) *Tensor {
		_, indices := y.medianAlong(axis, false)
		return indices
	})
}

// NaNMedianAxis is MedianAxis of the elements that are not NaN; NaN where there are no others.
func (x *Tensor) NaNMedianAxis(axis int, keep ...KeepDim) (values, indices *Tensor) {
	x.refuseBool(op.NaNMedianAxis, "median_out")
	return x.ranked(op.NaNMedianAxis, axis, kept(keep), func(y *Tensor, axis int) *Tensor {
		_, indices := y.medianAlong(axis, true)
		return indices
	})
}

// medianAlong returns medians and their indices along an axis, which stays. NaN is sorted to the end, the first of them first.
func (x *Tensor) medianAlong(axis int, skip bool) (values, indices *Tensor) {
	sorted, order := x.Sort(axis)
	n := x.layout.Shape()[axis]
	if !x.dtype.IsFloat() {
		return sorted.Narrow(axis, (n-1)/2, 1), order.Narrow(axis, (n-1)/2, 1)
	}
	numbers := x.IsNaN().LogicalNot().SumAxes([]int{axis}, true)
	at := numbers.SubScalar(1).Clamp(0, nil).FloorDivideScalar(2)
	if !skip {
		at = Where(numbers.LtScalar(n), numbers, (n-1)/2)
	}
	return sorted.Gather(axis, at), order.Gather(axis, at)
}

// ranked returns the elements along an axis whose indices, with the axis, choose names, and the indices.
func (x *Tensor) ranked(o op.Op, axis int, keep bool, choose func(y *Tensor, axis int) *Tensor) (values, indices *Tensor) {
	p := x.reducedAxis(o.String(), axis, keep)
	x.checkExtents(o.String(), p)
	y, at := x.Detach().atLeast1(), x.axis(o.String(), axis)
	indices = choose(y, at)
	shape := reducedShape(x.layout.Shape(), p)
	values = y.Gather(at, indices).Reshape(shape...)
	indices = indices.Reshape(shape...).Contiguous()
	record(values, o, kernelGrad, p, x).save(indices)
	return values, indices
}

// KthValue returns along an axis the k-th smallest elements, from 1 on, and an index of each; NaN counts as the largest number. The
// axis disappears unless KeepDim is given. Gradients flow to the elements that the indices name.
func (x *Tensor) KthValue(k, axis int, keep ...KeepDim) (values, indices *Tensor) {
	at := x.axis("kthvalue", axis)
	x.checkExtents("kthvalue", x.reducedAxis("kthvalue", axis, false))
	if k < 1 || k > x.atLeast1().layout.Shape()[at] {
		fail("kthvalue", ErrIndex, fmt.Sprintf("kthvalue(): selected number k out of range for dimension %d", at), x)
	}
	x.refuseBool(op.KthValue, "kthvalue_cpu")
	return x.ranked(op.KthValue, axis, kept(keep), func(y *Tensor, axis int) *Tensor {
		_, order := y.TopK(k, axis, Largest(false))
		return order.Narrow(axis, k-1, 1)
	})
}

// Mode returns along an axis the elements that occur most often, of several the smallest, and the last index of each. The axis
// disappears unless KeepDim is given. Gradients flow to the elements that the indices name.
func (x *Tensor) Mode(axis int, keep ...KeepDim) (values, indices *Tensor) {
	return x.ranked(op.Mode, axis, kept(keep), (*Tensor).commonest)
}

// commonest returns the last index of the first longest run of equal elements of sorted lines.
func (x *Tensor) commonest(axis int) *Tensor {
	sorted, order := x.summable().Sort(axis)
	n := x.layout.Shape()[axis]
	shape := Shape{n}
	for range x.layout.Rank() - axis - 1 {
		shape = append(shape, 1)
	}
	place := x.counting(0, 1, n).Reshape(shape...)
	starts := place
	if n > 1 {
		changed := sorted.Narrow(axis, 1, n-1).Ne(sorted.Narrow(axis, 0, n-1))
		first := changed.Narrow(axis, 0, 1).zerosAs(dtype.Bool, sorted.Narrow(axis, 0, 1).Shape())
		starts, _ = Where(Cat([]*Tensor{first, changed}, axis), place, 0).CumMax(axis)
	}
	length := place.Sub(starts)
	longest := length.Expand(x.layout.Shape()...).ArgMaxAxis(axis, true)
	return order.Gather(axis, longest)
}
