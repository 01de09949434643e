package tensor_test

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// places is an input of int64 indices.
func places(shape []int, values ...float64) arg {
	return arg{shape: shape, values: values, dtype: dtype.Int64}
}

// rearranged returns the row of a function whose elements are x's own, or 0: naive tells for each place of the result
// where in x it comes from, or nil.
func rearranged(name string, shape []int, f func(x *tensor.Tensor) *tensor.Tensor, out []int, from func(index []int) []int) opRow {
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) },
		in:   []arg{{shape: shape}},
		naive: func(x []array) array {
			y := newArray(out...)
			each(out, func(index []int) {
				if source := from(index); source != nil {
					*y.at(index...) = *x[0].at(source...)
				}
			})
			return y
		},
		dtypes: allTypes,
	}
}

func isView(r *opRow) { r.view = true }

func takesAPart(r *opRow) { r.noEmpty = "it takes a part that an empty axis does not have" }

var viewRows = []opRow{
	rearranged("view", []int{2, 6}, func(x *tensor.Tensor) *tensor.Tensor { return x.View(4, -1) }, []int{4, 3},
		func(i []int) []int { k := 3*i[0] + i[1]; return []int{k / 6, k % 6} }).as(isView).as(func(r *opRow) { r.contiguousOnly = true }),
	rearranged("reshape", []int{2, 6}, func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(4, -1) }, []int{4, 3},
		func(i []int) []int { k := 3*i[0] + i[1]; return []int{k / 6, k % 6} }).as(isView).as(func(r *opRow) { r.contiguousOnly = true }),
	rearranged("flatten", []int{2, 3, 2}, func(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(0, 1).Flatten(0, 1) }, []int{6, 2},
		func(i []int) []int { return []int{i[0] % 2, i[0] / 2, i[1]} }),
	rearranged("t", []int{2, 3}, (*tensor.Tensor).T, []int{3, 2}, func(i []int) []int { return []int{i[1], i[0]} }).as(isView),
	rearranged("transpose", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(0, -1) }, []int{4, 3, 2},
		func(i []int) []int { return []int{i[2], i[1], i[0]} }).as(isView),
	rearranged("permute", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Permute(2, 0, -2) }, []int{4, 2, 3},
		func(i []int) []int { return []int{i[1], i[2], i[0]} }).as(isView),
	rearranged("expand", []int{3, 1}, func(x *tensor.Tensor) *tensor.Tensor { return x.Expand(2, -1, 4) }, []int{2, 3, 4},
		func(i []int) []int { return []int{i[1], 0} }).as(isView),
	rearranged("squeeze", []int{1, 3, 1}, (*tensor.Tensor).Squeeze, []int{3}, func(i []int) []int { return []int{0, i[0], 0} }).as(isView),
	rearranged("squeeze axes", []int{1, 3, 1}, func(x *tensor.Tensor) *tensor.Tensor { return x.SqueezeAxis(-1, 1) }, []int{1, 3},
		func(i []int) []int { return []int{i[0], i[1], 0} }).as(isView),
	rearranged("unsqueeze", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Unsqueeze(1) }, []int{2, 1, 3},
		func(i []int) []int { return []int{i[0], i[2]} }).as(isView),
	rearranged("slice", []int{5, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, -4, tensor.End, 2) }, []int{2, 3},
		func(i []int) []int { return []int{1 + 2*i[0], i[1]} }).as(isView),
	rearranged("narrow", []int{2, 5}, func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 1, 3) }, []int{2, 3},
		func(i []int) []int { return []int{i[0], 1 + i[1]} }).as(isView),
	rearranged("select", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Select(1, -1) }, []int{2, 4},
		func(i []int) []int { return []int{i[0], 2, i[1]} }).as(isView),
	rearranged("split", []int{2, 5}, func(x *tensor.Tensor) *tensor.Tensor { return x.Split(2, 1)[1] }, []int{2, 2},
		func(i []int) []int { return []int{i[0], 2 + i[1]} }).as(isView).as(takesAPart),
	rearranged("split_with_sizes", []int{2, 5}, func(x *tensor.Tensor) *tensor.Tensor { return x.SplitSizes([]int{1, 3, 1}, 1)[1] }, []int{2, 3},
		func(i []int) []int { return []int{i[0], 1 + i[1]} }).as(isView),
	rearranged("whole axes", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Index(tensor.All, tensor.All) }, []int{2, 3},
		func(i []int) []int { return i }).as(isView),
	rearranged("unbind", []int{2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Unbind(1)[2] }, []int{2},
		func(i []int) []int { return []int{i[0], 2} }).as(isView).as(takesAPart),
}

var indexingRows = []opRow{
	rearranged("pad", []int{3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Pad([]int{1, -1, -1, 2}, 0) }, []int{4, 4},
		func(i []int) []int {
			if i[0] >= 2 || i[1] == 0 {
				return nil
			}
			return []int{i[0] + 1, i[1] - 1}
		}),
	rearranged("tril", []int{2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Tril(1) }, []int{2, 3, 4},
		func(i []int) []int {
			if i[2] > i[1]+1 {
				return nil
			}
			return i
		}),
	rearranged("triu", []int{2, 4, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Triu(-1) }, []int{2, 4, 3},
		func(i []int) []int {
			if i[2] < i[1]-1 {
				return nil
			}
			return i
		}),
	joined("cat", func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Cat(x, 1) }),
	joined("cat on a device", func(x []*tensor.Tensor) *tensor.Tensor { return inner.CatOn(x[0].Device(), x, 1) }).as(func(r *opRow) {
		r.severalDevices = "the parts may be anywhere"
	}),
	unary("replica on the same device", func(x *tensor.Tensor) *tensor.Tensor {
		return inner.NewReplicas().Of([]*tensor.Tensor{x}, []device.Device{x.Device()})[0][0]
	}, func(v float64) float64 { return v }).as(everyType).as(isView),
	{
		name:   "stack",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Stack(x, 1) },
		in:     []arg{{shape: []int{2, 3}}, {shape: []int{2, 3}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(2, 2, 3)
			each(y.shape, func(i []int) { *y.at(i...) = *x[i[1]].at(i[0], i[2]) })
			return y
		},
		empty: []emptyCase{{[][]int{{2, 0}, {2, 0}}, []int{2, 2, 0}}},
	},
	{
		name:   "index_select",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexSelect(1, x[1]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{3}, 3, 0, 3)},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(3, 3)
			each(y.shape, func(i []int) { *y.at(i...) = *x[0].at(i[0], int(x[1].v[i[1]])) })
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {3}}, []int{0, 3}}, {[][]int{{3, 4}, {0}}, []int{3, 0}}},
	},
	{
		name:   "index",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Index(x[1], tensor.All, x[2]) },
		in:     []arg{{shape: []int{3, 2, 4}}, places([]int{2, 1}, -1, 0), places([]int{3}, 3, 0, 3)},
		dtypes: allTypes,

		severalDevices: "PyTorch moves indices on the CPU to the indexed tensor; indexing_test.go judges the others",
		naive: func(x []array) array {
			y := newArray(2, 3, 2)
			each(y.shape, func(i []int) {
				*y.at(i...) = *x[0].at((int(x[1].v[i[0]])+3)%3, i[2], int(x[2].v[i[1]]))
			})
			return y
		},
		empty: []emptyCase{{[][]int{{3, 0, 4}, {2, 1}, {3}}, []int{2, 3, 0}}, {[][]int{{3, 2, 4}, {0, 1}, {3}}, []int{0, 3, 2}}},
	},
	{
		name:   "gather",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Gather(1, x[1]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 3}, 0, 2, 2, 3, 1, 3)},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(2, 3)
			each(y.shape, func(i []int) { *y.at(i...) = *x[0].at(i[0], int(*x[1].at(i...))) })
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {0, 3}}, []int{0, 3}}, {[][]int{{3, 4}, {3, 0}}, []int{3, 0}}},
	},
	{
		name:   "scatter_add",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].ScatterAdd(1, x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{2, 3}, 0, 2, 2, 3, 1, 3), {shape: []int{3, 3}}},
		dtypes: numberTypes,
		scale:  6,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{2, 3}, func(i []int) { *y.at(i[0], int(*x[1].at(i...))) += *x[2].at(i...) })
			return y
		},
		empty: []emptyCase{{[][]int{{0, 4}, {0, 3}, {0, 3}}, []int{0, 4}}},
	},
	{
		name:   "index_add alpha",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexAdd(0, x[1], x[2], tensor.Alpha(-2)) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{4}, 2, 0, 2, 2), {shape: []int{4, 4}}},
		dtypes: numberTypes,
		scale:  16,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{4, 4}, func(i []int) { *y.at(int(x[1].v[i[0]]), i[1]) -= 2 * *x[2].at(i...) })
			return y
		},
	},
	{
		name:   "index_add",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexAdd(0, x[1], x[2]) },
		in:     []arg{{shape: []int{3, 4}}, places([]int{4}, 2, 0, 2, 2), {shape: []int{4, 4}}},
		dtypes: numberTypes,
		scale:  8,
		naive: func(x []array) array {
			y := newArray(3, 4)
			copy(y.v, x[0].v)
			each([]int{4, 4}, func(i []int) { *y.at(int(x[1].v[i[0]]), i[1]) += *x[2].at(i...) })
			return y
		},
		empty: []emptyCase{{[][]int{{3, 0}, {4}, {4, 0}}, []int{3, 0}}, {[][]int{{3, 4}, {0}, {0, 4}}, []int{3, 4}}},
	},
	{
		name:   "embedding",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Embedding(x[0], x[1]) },
		in:     []arg{{shape: []int{4, 3}}, places([]int{2, 2}, 3, 0, 3, 1)},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(2, 2, 3)
			each(y.shape, func(i []int) { *y.at(i...) = *x[0].at(int(*x[1].at(i[0], i[1])), i[2]) })
			return y
		},
		empty: []emptyCase{{[][]int{{4, 0}, {2}}, []int{2, 0}}, {[][]int{{4, 3}, {0, 2}}, []int{0, 2, 3}}},
	},
	{
		name:       "one_hot",
		f:          func(x []*tensor.Tensor) *tensor.Tensor { return tensor.OneHot(x[0], 4) },
		in:         []arg{{shape: []int{2, 3}, whole: [2]int{0, 3}}},
		dtypes:     []dtype.DType{dtype.Int64},
		noGrad:     true,
		noSpecials: "classes are integers",
		naive: func(x []array) array {
			y := newArray(2, 3, 4)
			each(x[0].shape, func(i []int) { *y.at(i[0], i[1], int(*x[0].at(i...))) = 1 })
			return y
		},
		empty: []emptyCase{{[][]int{{2, 0}}, []int{2, 0, 4}}},
	},
	{
		name:   "masked_select",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedSelect(x[1]) },
		in:     []arg{{shape: []int{2, 3}}, {shape: []int{3}, values: []float64{1, 0, 1}, dtype: dtype.Bool}},
		dtypes: allTypes,
		naive: func(x []array) array {
			return array{[]int{4}, []float64{x[0].v[0], x[0].v[2], x[0].v[3], x[0].v[5]}}
		},
		empty: []emptyCase{{[][]int{{0, 3}, {3}}, []int{0}}},
	},
	{
		name:   "sort",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { v, _ := x[0].Sort(1, true); return v },
		in:     []arg{{shape: []int{2, 4}, values: []float64{3, 1, 4, 0, 2, 7, 1, 5}}},
		dtypes: numberTypes,
		naive: func(x []array) array {
			return array{[]int{2, 4}, []float64{4, 3, 1, 0, 7, 5, 2, 1}}
		},
		empty: []emptyCase{{[][]int{{0, 4}}, []int{0, 4}}, {[][]int{{2, 0}}, []int{2, 0}}},
	},
	{
		name:   "topk",
		f:      func(x []*tensor.Tensor) *tensor.Tensor { v, _ := x[0].TopK(2, 0, tensor.Largest(false)); return v },
		in:     []arg{{shape: []int{4, 2}, values: []float64{3, 1, 4, 0, 2, 7, 1, 5}}},
		dtypes: numberTypes,
		naive: func(x []array) array {
			return array{[]int{2, 2}, []float64{1, 0, 2, 1}}
		},
		empty: []emptyCase{{[][]int{{4, 0}}, []int{2, 0}}},
	},
}

// joined returns the row of a function that joins [2, 3] and [2, 2] to [2, 5].
func joined(name string, f func(x []*tensor.Tensor) *tensor.Tensor) opRow {
	return opRow{
		name:   name,
		f:      f,
		in:     []arg{{shape: []int{2, 3}}, {shape: []int{2, 2}}},
		dtypes: allTypes,
		naive: func(x []array) array {
			y := newArray(2, 5)
			each(y.shape, func(i []int) {
				if i[1] < 3 {
					*y.at(i...) = *x[0].at(i...)
				} else {
					*y.at(i...) = *x[1].at(i[0], i[1]-3)
				}
			})
			return y
		},
		empty: []emptyCase{{[][]int{{2, 0}, {2, 3}}, []int{2, 3}}, {[][]int{{0}, {2, 3}}, []int{2, 3}}, {[][]int{{0, 1}, {0, 2}}, []int{0, 3}}},
	}
}
