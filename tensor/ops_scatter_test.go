package tensor_test

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// scatterTo returns the row of a function of x [3, 4] and src [2, 3] that writes elements of src to places of x: join tells what becomes
// of an element and of one of src that meets it.
func scatterTo(name string, f func(x, index, src *tensor.Tensor) *tensor.Tensor, start func(v float64) float64, join func(a, b float64) float64) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 3}, 0, 2, 2, 3, 1, 3), {shape: []int{2, 3}}},
		dtypes: numberTypes,
		scale:  6,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{2, 3}, func(i []int) { to := y.at(i[0], int(*x[1].at(i...))); *to = start(*to) })
			each([]int{2, 3}, func(i []int) { to := y.at(i[0], int(*x[1].at(i...))); *to = join(*to, *x[2].at(i...)) })
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {0, 3}, {0, 3}}, []int{0, 4}}},
		wrong: []wrongCase{
			{[][]int{{3, 4}, {2}, {2, 3}}, tensor.ErrShape, "Index tensor must have the same number of dimensions as self tensor"},
			{[][]int{{3, 4}, {2, 4}, {2, 3}}, tensor.ErrShape, "Expected index [2, 4] to be no larger than self [3, 4] apart from dimension 1 and to be no larger size than src [2, 3]"},
		},
	}
}

func stays(v float64) float64                 { return v }
func becomes(v float64) func(float64) float64 { return func(float64) float64 { return v } }
func latter(_, b float64) float64             { return b }
func product(a, b float64) float64            { return a * b }
func addition(a, b float64) float64           { return a + b }

func reducedInto(reduce string, self bool) func(x, index, src *tensor.Tensor) *tensor.Tensor {
	return func(x, index, src *tensor.Tensor) *tensor.Tensor {
		return x.ScatterReduce(1, index, src, reduce, tensor.IncludeSelf(self))
	}
}

// distinct draws numbers that differ, so that no gradient is divided among equal ones.
func distinct(r *opRow) {
	r.in[0].values = []float64{1, 5, -3, 7, 0, 2, 4, 6, -1, 3, 8, 9}
	r.in[2].values = []float64{1.5, 2.5, -2.5, 3.5, 8.5, 6.5}
	r.moreTypes = true
	r.dtypes = floatTypes
}

var scatterRows = []opRow{
	scatterTo("scatter", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.Scatter(1, index, src) }, stays, latter).as(everyType).
		as(func(r *opRow) {
			r.in[2].shape = []int{3, 3}
			r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return x[0].ScatterInPlace(1, x[1], x[2]) }
			r.wrong[1].in = [][]int{{3, 4}, {2, 4}, {2, 3}}
		}).as(unique),
	{
		name:   "scatter a number",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Scatter(1, x[1], 1) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 3}, 0, 2, 2, 3, 1, 3)},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{2, 3}, func(i []int) { *y.at(i[0], int(*x[1].at(i...))) = 1 })
			return y
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].ScatterInPlace(1, x[1], 1) },
		empty:   []emptyCase{{[][]int{{0, 4}, {0, 3}}, []int{0, 4}}},
	},
	scatterTo("scatter_add in place", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.Clone().ScatterAddInPlace(1, index, src) }, stays, addition),
	scatterTo("scatter_reduce sum", reducedInto("sum", true), stays, addition).as(func(r *opRow) {
		r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return x[0].ScatterReduceInPlace(1, x[1], x[2], "sum") }
	}),
	scatterTo("scatter_reduce sum of src", reducedInto("sum", false), becomes(0), addition),
	scatterTo("scatter_reduce prod", reducedInto("prod", true), stays, product).as(fewRoundings),
	scatterTo("scatter_reduce prod of src", reducedInto("prod", false), becomes(1), product).as(fewRoundings),
	scatterTo("scatter_reduce prod with zeros", reducedInto("prod", true), stays, product).as(fewRoundings).as(func(r *opRow) {
		r.in[0].values, r.in[2].values = []float64{0, 1, 2, 3, 4, 5, 6}, []float64{2, 0, 3, 0, 5, 0}
	}),
	scatterTo("scatter_reduce amax", reducedInto("amax", true), stays, math.Max).as(distinct),
	scatterTo("scatter_reduce amax of src", reducedInto("amax", false), becomes(math.Inf(-1)), math.Max).as(distinct),
	scatterTo("scatter_reduce amin", reducedInto("amin", true), stays, math.Min).as(distinct),
	scatterTo("scatter_reduce amin of src", reducedInto("amin", false), becomes(math.Inf(1)), math.Min).as(distinct),
	meanWritten("scatter_reduce mean", true),
	meanWritten("scatter_reduce mean of src", false),
	scatterTo("scatter_reduce amax of integers", reducedInto("amax", false), becomes(math.Inf(-1)), math.Max).as(func(r *opRow) {
		r.dtypes, r.moreTypes, r.noGrad = integerTypes, true, true
	}),

	atRows("index_copy", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.IndexCopy(0, index, src) }, latter).as(everyType).as(func(r *opRow) {
		r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexCopyInPlace(0, x[1], x[2]) }
		r.in[1].values = []float64{2, 0}
	}),
	atRows("index_copy of places that repeat", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.IndexCopy(0, index, src) }, latter).as(everyType).
		as(func(r *opRow) {
			r.noGrad = true
			r.in[0].constant, r.in[2].constant = true, true
			r.in[1].values = []float64{2, 2}
		}),
	atRows("index_add in place", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.Clone().IndexAddInPlace(0, index, src) }, addition),
	atRows("index_reduce", func(x, index, src *tensor.Tensor) *tensor.Tensor { return x.IndexReduce(0, index, src, "prod") }, product).as(func(r *opRow) {
		r.inPlace = func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexReduceInPlace(0, x[1], x[2], "prod") }
		r.roundings = 16
	}),
	{
		name:   "index_fill",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexFill(-1, x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2}, -1, 1), {shape: []int{}}},
		dtypes: allTypes,
		scale:  8,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{3}, func(i []int) { *y.at(i[0], 3), *y.at(i[0], 1) = x[2].v[0], x[2].v[0] })
			return y
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexFillInPlace(-1, x[1], x[2]) },
		empty:   []emptyCase{{[][]int{{0, 4}, {2}, {}}, []int{0, 4}}},
	},
	{
		name:   "masked_fill by a tensor",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedFill(x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, {shape: []int{3, 1}, dtype: dtype.Bool}, {shape: []int{}}},
		dtypes: allTypes,
		scale:  8,
		naive: func(x []array) array {
			y := newArray(3, 4)
			each(y.shape, func(i []int) {
				if *y.at(i...) = *x[0].at(i...); *x[1].at(i[0], 0) != 0 {
					*y.at(i...) = x[2].v[0]
				}
			})
			return y
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedFillInPlace(x[1], x[2]) },
		empty:   []emptyCase{{[][]int{{0, 4}, {1}, {}}, []int{0, 4}}},
	},
}

// unique has no place twice: only the last of those that meet gets a gradient.
func unique(r *opRow) { r.in[1].values = []float64{0, 2, 1, 3, 1, 0} }

// meanWritten is the mean of the elements of src that meet, and of what they find.
func meanWritten(name string, self bool) opRow {
	return scatterTo(name, reducedInto("mean", self), stays, addition).as(fewRoundings).as(func(r *opRow) {
		r.naive = func(x []array) array {
			sum, count := newArray(3, 4), newArray(3, 4)
			copy(sum.v, x[0].v)
			for i := range count.v {
				count.v[i] = 1
			}
			seen := make([]bool, 12)
			each([]int{2, 3}, func(i []int) {
				at := 4*i[0] + int(*x[1].at(i...))
				if !self && !seen[at] {
					sum.v[at], count.v[at], seen[at] = 0, 0, true
				}
				sum.v[at] += *x[2].at(i...)
				count.v[at]++
			})
			for i := range sum.v {
				sum.v[i] /= count.v[i]
			}
			return sum
		}
		r.dtypes, r.moreTypes = floatTypes, true
	})
}

// atRows returns the row of a function that joins rows of src [2, 4] to rows of x [3, 4] that an index names.
func atRows(name string, f func(x, index, src *tensor.Tensor) *tensor.Tensor, join func(a, b float64) float64) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2}, 2, 2), {shape: []int{2, 4}}},
		dtypes: numberTypes,
		scale:  8,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{2, 4}, func(i []int) { to := y.at(int(x[1].v[i[0]]), i[1]); *to = join(*to, *x[2].at(i...)) })
			return y
		},
		empty: []emptyCase{{[][]int{{3, 0}, {2}, {2, 0}}, []int{3, 0}}, {[][]int{{3, 4}, {0}, {0, 4}}, []int{3, 4}}},
		wrong: []wrongCase{{[][]int{{3, 4}, {2}, {3, 4}}, nil, "Number of indices (2) should be equal to source.size(dim)"}},
	}
}

// putRows write values to places, or take elements from them.
var putRows = []opRow{
	{
		name:   "index_put",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexPut([]*tensor.Tensor{x[1], nil, x[2]}, x[3]) },
		in:     []arg{{shape: []int{3, 2, 4}}, places([]int{2, 1}, -1, 0), places([]int{3}, 3, 0, 1), {shape: []int{3, 2}}},
		dtypes: allTypes,
		scale:  8,

		severalDevices: "PyTorch moves indices on the CPU to the indexed tensor; indexing_test.go judges the others",
		naive: func(x []array) array {
			y := newArray(3, 2, 4)
			copy(y.v, x[0].v)
			each([]int{2, 3, 2}, func(i []int) { *y.at((int(x[1].v[i[0]])+3)%3, i[2], int(x[2].v[i[1]])) = *x[3].at(i[1], i[2]) })
			return y
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].IndexPutInPlace([]*tensor.Tensor{x[1], nil, x[2]}, x[3])
		},
		empty: []emptyCase{{[][]int{{3, 0, 4}, {2, 1}, {3}, {3, 0}}, []int{3, 0, 4}}},
	},
	{
		name: "index_put that accumulates",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].IndexPut([]*tensor.Tensor{x[1]}, x[2], tensor.Accumulate(true))
		},
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 2}, -1, 0, 2, 2), {shape: []int{2, 1, 4}}},
		dtypes: numberTypes,
		scale:  8,

		severalDevices: "PyTorch moves indices on the CPU to the indexed tensor; indexing_test.go judges the others",
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{2, 2, 4}, func(i []int) { *y.at((int(*x[1].at(i[0], i[1]))+3)%3, i[2]) += *x[2].at(i[0], 0, i[2]) })
			return y
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].IndexPutInPlace([]*tensor.Tensor{x[1]}, x[2], tensor.Accumulate(true))
		},
		empty: []emptyCase{{[][]int{{3, 0}, {2, 2}, {2, 1, 0}}, []int{3, 0}}},
	},
	{
		name:   "masked_scatter",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedScatter(x[1], x[2]) },
		in:     []arg{{shape: []int{2, 3}}, {shape: []int{3}, values: []float64{1, 0, 1}, dtype: dtype.Bool}, {shape: []int{7}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			v, s := slices.Clone(x[0].v), x[2].v
			v[0], v[2], v[3], v[5] = s[0], s[1], s[2], s[3]
			return array{[]int{2, 3}, v}
		},
		inPlace: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedScatterInPlace(x[1], x[2]) },
		empty:   []emptyCase{{[][]int{{0, 3}, {3}, {7}}, []int{0, 3}}},
		wrong:   []wrongCase{{[][]int{{2, 3}, {3}, {2}}, tensor.ErrShape, "Number of elements of source < number of ones in mask"}},
	},
	overlaid("select_scatter", []int{2}, func(x, src *tensor.Tensor) *tensor.Tensor { return x.SelectScatter(src, 1, -3) }, func(i []int) []int {
		if i[1] != 2 {
			return nil
		}
		return i[:1]
	}),
	overlaid("slice_scatter", []int{2, 2}, func(x, src *tensor.Tensor) *tensor.Tensor { return x.SliceScatter(src, 1, 1, 4, 2) }, func(i []int) []int {
		if i[1] != 1 && i[1] != 3 {
			return nil
		}
		return []int{i[0], i[1] / 2}
	}),
	{
		name:   "take",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Take(x[1]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 2}, 3, -1, 3, 5)},
		dtypes: allTypes,
		naive: func(x []array) array {
			return array{[]int{2, 2}, []float64{x[0].v[3], x[0].v[11], x[0].v[3], x[0].v[5]}}
		},
		empty: []emptyCase{{[][]int{{3, 4}, {0, 2}}, []int{0, 2}}},
	},
	{
		name:   "take_along_dim",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].TakeAlongAxis(x[1], 1) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{1, 2}, 3, -3)},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(3, 2)
			each(y.shape, func(i []int) { *y.at(i...) = *x[0].at(i[0], (int(x[1].v[i[1]])+4)%4) })
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {1, 2}}, []int{0, 2}}},
	},
	{
		name:    "take_along_dim of all",
		f:       func(x []*tensor.Tensor) *tensor.Tensor { return x[0].TakeAlongAxis(x[1]) },
		in:      []arg{{shape: []int{3, 4}}, places([]int{2, 1}, 11, 1)},
		dtypes:  allTypes,
		naive:   func(x []array) array { return array{[]int{2}, []float64{x[0].v[11], x[0].v[1]}} },
		noEmpty: "it takes elements that no empty tensor has",
	},
}

// overlaid returns the row of a function that puts src in the place of a part of x [2, 5]; from tells where in src an element comes
// from, nil for x's own.
func overlaid(name string, src []int, f func(x, src *tensor.Tensor) *tensor.Tensor, from func(i []int) []int) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) },
		in:     []arg{{shape: []int{2, 5}}, {shape: src}},
		dtypes: allTypes, moreTypes: true,
		naive: func(x []array) array {
			y := newArray(2, 5)
			each(y.shape, func(i []int) {
				*y.at(i...) = *x[0].at(i...)
				if at := from(i); at != nil {
					*y.at(i...) = *x[1].at(at...)
				}
			})
			return y
		},
		noEmpty: "the part that is replaced would be missing",
		wrong:   []wrongCase{{[][]int{{2, 5}, {3}}, tensor.ErrShape, "expected src to have a size equal to the slice of self. src size = [3]"}},
	}
}
