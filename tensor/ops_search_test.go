package tensor_test

import (
	"slices"

	"cresset/tensor"
)

// searched returns the row of a search for the elements of values in sorted lines; before tells which elements stand before v.
func searched(name string, lines, values []int, f func(lines, values *tensor.Tensor) *tensor.Tensor, before func(a, v float64) bool) opRow {
	r := opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) },
		in: []arg{
			{shape: lines, values: []float64{0, 1, 1, 2, 5, 7}},
			{shape: values, lo: -1, hi: 8, values: []float64{1, 6, 0, 9, 2, 7, 3}},
		},
		noGrad: true,
		naive: func(x []array) array {
			y, n := newArray(values...), lines[len(lines)-1]
			each(values, func(i []int) {
				first := 0
				if len(lines) > 1 {
					first = i[0] * n
				}
				line := x[0].v[first : first+n]
				*y.at(i...) = float64(len(slices.DeleteFunc(slices.Clone(line), func(a float64) bool { return !before(a, *x[1].at(i...)) })))
			})
			return y
		},
		dtypes: numberTypes,
		result: toIndex,
		empty: []emptyCase{
			{[][]int{lines, append([]int{values[0]}, 0)}, []int{values[0], 0}},
			{[][]int{append(slices.Clone(lines[:len(lines)-1]), 0), values}, values},
		},
	}
	if len(lines) > 1 {
		r.wrong = []wrongCase{{[][]int{{3, 6}, values}, tensor.ErrShape,
			"torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, " +
				"but we got boundaries tensor [3, 6] and input value tensor [2, 7]"}}
	}
	return r
}

func less(a, v float64) bool      { return a < v }
func notLarger(a, v float64) bool { return a <= v }

func search(opts ...tensor.SearchOption) func(lines, values *tensor.Tensor) *tensor.Tensor {
	return func(lines, values *tensor.Tensor) *tensor.Tensor { return tensor.SearchSorted(lines, values, opts...) }
}

var searchRows = []opRow{
	searched("searchsorted", []int{6}, []int{3, 5}, search(), less),
	searched("searchsorted, right", []int{6}, []int{3, 5}, search(tensor.Right(true)), notLarger),
	searched("searchsorted of lines", []int{2, 6}, []int{2, 7}, search(), less),
	searched("searchsorted of lines, side", []int{2, 6}, []int{2, 7}, search(tensor.Side("right")), notLarger),
	searched("searchsorted with a sorter", []int{2, 6}, []int{2, 7}, func(lines, values *tensor.Tensor) *tensor.Tensor {
		lines = lines.Flip(-1)
		return tensor.SearchSorted(lines, values, tensor.Sorter(lines.ArgSort(-1)))
	}, less),
	searched("bucketize", []int{6}, []int{3, 5}, func(lines, values *tensor.Tensor) *tensor.Tensor {
		return tensor.Bucketize(values, lines, tensor.Right(true))
	}, notLarger),
}
