package tensor_test

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

type alongAnAxis = func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) (values, indices *tensor.Tensor)

// valuesOf are the elements that a function finds along an axis.
func valuesOf(f alongAnAxis) func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	return func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
		return first(f(x, axis, keep...))
	}
}

// foundAt are the elements at the indices that a function finds.
func foundAt(f alongAnAxis) func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	return func(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
		_, at := f(x, axis, true)
		y := x.Gather(axis, at)
		if !keep[0] {
			y = y.SqueezeAxis(axis)
		}
		return y
	}
}

func medianOf(v []float64) float64 { return kth((len(v) + 1) / 2)(v) }

func kth(k int) func(v []float64) float64 {
	return func(v []float64) float64 { return slices.Sorted(slices.Values(v))[k-1] }
}

func second(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) (values, indices *tensor.Tensor) {
	return x.KthValue(2, axis, keep...)
}

// modeOf is the smallest of the numbers that occur most often.
func modeOf(v []float64) float64 {
	count, best := make(map[float64]int), math.Inf(1)
	for _, x := range v {
		count[x]++
	}
	for x, n := range count {
		if n > count[best] || n == count[best] && x < best {
			best = x
		}
	}
	return best
}

func quantileOf(q float64) func(v []float64) float64 {
	return func(v []float64) float64 {
		sorted := slices.Sorted(slices.Values(v))
		at := q * float64(len(v)-1)
		low := math.Floor(at)
		return sorted[int(low)] + (at-low)*(sorted[int(math.Ceil(at))]-sorted[int(low)])
	}
}

func quantileAlong(x *tensor.Tensor, axis int, keep ...tensor.KeepDim) *tensor.Tensor {
	return x.Quantile(0.3, tensor.OverAxis(axis), keep[0])
}

func orderable(r *opRow) { r.dtypes, r.moreTypes = numberTypes, true }

// spaced are numbers that differ, in no order.
func spaced(r *opRow) {
	r.in[0].values = make([]float64, 24)
	for i := range r.in[0].values {
		r.in[0].values[i] = float64(i*7%24) / 4
	}
	r.dtypes = floatTypes
}

func wide32(r *opRow) { r.dtypes = []dtype.DType{dtype.Float64, dtype.Float32} }

// repeats are few numbers, of integers: which of equal ones gets a gradient depends on the index.
func repeats(r *opRow) {
	r.in[0].values, r.dtypes, r.moreTypes, r.noGrad = []float64{1, 2, 1, 3, 2, 2, 0}, integerTypes, true, true
	f := r.f
	r.f = func(x []*tensor.Tensor) *tensor.Tensor { return f([]*tensor.Tensor{x[0].Detach()}) }
}

func middles(r *opRow) {
	spaced(r)
	r.moreTypes = true
	if r.name == "median" || r.name == "nanmedian" { // that of nothing is NaN
		r.wrong, r.noEmpty = nil, "the median of nothing is NaN"
	}
}

var selectionRows = slices.Concat(
	reduction{"median", (*tensor.Tensor).Median, nil, valuesOf((*tensor.Tensor).MedianAxis), medianOf, middles, "dim"}.rows(),
	reduction{"nanmedian", (*tensor.Tensor).NaNMedian, nil, valuesOf((*tensor.Tensor).NaNMedianAxis), medianOf, middles, "dim"}.rows(),
	reduction{"element at the median", nil, nil, foundAt((*tensor.Tensor).MedianAxis), medianOf, orderable, "dim"}.rows(),
	reduction{"kthvalue", nil, nil, valuesOf(second), kth(2), orderable, "to have non-zero size."}.rows(),
	reduction{"element at kthvalue", nil, nil, foundAt(second), kth(2), orderable, "to have non-zero size."}.rows(),
	reduction{"mode", nil, nil, valuesOf((*tensor.Tensor).Mode), modeOf, orderable, "dim"}.rows(),
	reduction{"mode of numbers that repeat", nil, nil, valuesOf((*tensor.Tensor).Mode), modeOf, repeats, "dim"}.rows(),
	reduction{"element at the mode", nil, nil, foundAt((*tensor.Tensor).Mode), modeOf, repeats, "dim"}.rows(),
	reduction{"quantile", func(x *tensor.Tensor) *tensor.Tensor { return x.Quantile(0.3) }, nil, quantileAlong, quantileOf(0.3), wide32, "non-empty"}.rows(),
	reduction{"nanquantile", func(x *tensor.Tensor) *tensor.Tensor { return x.NaNQuantile(0.3) }, nil, nil, quantileOf(0.3), wide32, "non-empty"}.rows(),
)

// assignmentRows are SetIndex on copies.
var assignmentRows = []opRow{
	assigned("setitem of a slice", []int{1, 2}, func(x, v *tensor.Tensor) *tensor.Tensor {
		return x.SetIndex(v, tensor.Ellipsis, tensor.Span(1, 4, 2))
	}, func(i []int) []int {
		if i[1] != 1 && i[1] != 3 {
			return nil
		}
		return []int{0, i[1] / 2}
	}),
	assigned("setitem of a row", []int{}, func(x, v *tensor.Tensor) *tensor.Tensor { return x.SetIndex(v, -1, nil) }, func(i []int) []int {
		if i[0] != 2 {
			return nil
		}
		return []int{}
	}),
	assigned("setitem by a list", []int{3, 2}, func(x, v *tensor.Tensor) *tensor.Tensor { return x.SetIndex(v, tensor.All, []int{3, -4}) }, func(i []int) []int {
		switch i[1] {
		case 3:
			return []int{i[0], 0}
		case 0:
			return []int{i[0], 1}
		}
		return nil
	}),
}

// assigned returns the row of an assignment to a copy of x [3, 4].
func assigned(name string, value []int, f func(x, v *tensor.Tensor) *tensor.Tensor, from func(i []int) []int) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0].Clone(), x[1]) },
		in:     []arg{{shape: []int{3, 4}}, {shape: value}},
		dtypes: allTypes, moreTypes: true,
		naive: func(x []array) array {
			y := newArray(3, 4)
			each(y.shape, func(i []int) {
				*y.at(i...) = *x[0].at(i...)
				if at := from(i); at != nil {
					*y.at(i...) = *x[1].at(at...)
				}
			})
			return y
		},
		scale:          12,
		severalDevices: "PyTorch moves the value to the tensor",
		noEmpty:        "the places would be missing",
	}
}
