package tensor_test

import "cresset/tensor"

// contracted sums term over l below k at every index of a result.
func contracted(shape []int, k int, term func(i []int, l int) float64) array {
	out := newArray(shape...)
	each(shape, func(i []int) {
		for l := range k {
			*out.at(i...) += term(i, l)
		}
	})
	return out
}

// productRow returns the row of a product of two inputs; wrong are shapes that do not fit, with what is said.
func productRow(name string, f func(x, y *tensor.Tensor) *tensor.Tensor, a, b []int, naive func(x []array) array, empty []emptyCase, wrong ...wrongCase) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) },
		in:     []arg{{shape: a}, {shape: b}},
		naive:  naive,
		dtypes: numberTypes,
		scale:  32,
		empty:  empty,
		wrong:  wrong,
	}
}

var productRows = []opRow{
	productRow("mm", (*tensor.Tensor).MM, []int{3, 4}, []int{4, 5}, matrixProduct,
		[]emptyCase{{[][]int{{0, 4}, {4, 5}}, []int{0, 5}}, {[][]int{{3, 0}, {0, 5}}, []int{3, 5}}, {[][]int{{3, 4}, {4, 0}}, []int{3, 0}}},
		wrongCase{[][]int{{2, 3}, {2, 3}}, tensor.ErrShape, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"},
		wrongCase{[][]int{{2, 3}, {3}}, tensor.ErrShape, "mat2 must be a matrix"}),
	productRow("mv", (*tensor.Tensor).MV, []int{3, 4}, []int{4},
		func(x []array) array {
			return contracted([]int{3}, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) * *x[1].at(l) })
		},
		[]emptyCase{{[][]int{{0, 4}, {4}}, []int{0}}, {[][]int{{3, 0}, {0}}, []int{3}}},
		wrongCase{[][]int{{2, 3}, {4}}, tensor.ErrShape, "size mismatch, got input (2), mat (2x3), vec (4)"}),
	productRow("dot", (*tensor.Tensor).Dot, []int{5}, []int{5},
		func(x []array) array {
			return contracted([]int{}, 5, func(_ []int, l int) float64 { return *x[0].at(l) * *x[1].at(l) })
		},
		[]emptyCase{{[][]int{{0}, {0}}, []int{}}},
		wrongCase{[][]int{{3}, {4}}, tensor.ErrShape, "inconsistent tensor size, expected tensor [3] and src [4]"}),
	productRow("outer", (*tensor.Tensor).Outer, []int{3}, []int{4},
		func(x []array) array {
			return contracted([]int{3, 4}, 1, func(i []int, _ int) float64 { return *x[0].at(i[0]) * *x[1].at(i[1]) })
		},
		[]emptyCase{{[][]int{{0}, {4}}, []int{0, 4}}},
		wrongCase{[][]int{{3, 1}, {4}}, tensor.ErrShape, "outer: Expected 1-D argument self, but got 2-D"}).as(everyType),
	productRow("bmm", (*tensor.Tensor).BMM, []int{2, 3, 4}, []int{2, 4, 5}, batchProduct,
		[]emptyCase{{[][]int{{0, 3, 4}, {0, 4, 5}}, []int{0, 3, 5}}, {[][]int{{2, 3, 0}, {2, 0, 5}}, []int{2, 3, 5}}},
		wrongCase{[][]int{{2, 3, 4}, {3, 4, 5}}, tensor.ErrShape, "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4]."}),
	productRow("matmul 1x2", (*tensor.Tensor).MatMul, []int{4}, []int{4, 5},
		func(x []array) array {
			return contracted([]int{5}, 4, func(i []int, l int) float64 { return *x[0].at(l) * *x[1].at(l, i[0]) })
		},
		[]emptyCase{{[][]int{{0}, {0, 5}}, []int{5}}, {[][]int{{4}, {4, 0}}, []int{0}}},
		wrongCase{[][]int{{3}, {4, 2}}, tensor.ErrShape, "mat1 and mat2 shapes cannot be multiplied (1x3 and 4x2)"}),
	productRow("matmul 2x2", (*tensor.Tensor).MatMul, []int{3, 4}, []int{4, 5}, matrixProduct, nil),
	productRow("matmul 3x3", (*tensor.Tensor).MatMul, []int{2, 3, 4}, []int{2, 4, 5}, batchProduct, nil),
	productRow("matmul 3x2", (*tensor.Tensor).MatMul, []int{2, 3, 4}, []int{4, 5},
		func(x []array) array {
			return contracted([]int{2, 3, 5}, 4, func(i []int, l int) float64 { return *x[0].at(i[0], i[1], l) * *x[1].at(l, i[2]) })
		},
		[]emptyCase{{[][]int{{0, 3, 4}, {4, 5}}, []int{0, 3, 5}}}),
	productRow("matmul 2x3", (*tensor.Tensor).MatMul, []int{3, 4}, []int{2, 4, 5},
		func(x []array) array {
			return contracted([]int{2, 3, 5}, 4, func(i []int, l int) float64 { return *x[0].at(i[1], l) * *x[1].at(i[0], l, i[2]) })
		},
		[]emptyCase{{[][]int{{3, 0}, {2, 0, 5}}, []int{2, 3, 5}}}),
	productRow("matmul of broadcast batches", (*tensor.Tensor).MatMul, []int{2, 1, 3, 4}, []int{3, 4, 2},
		func(x []array) array {
			return contracted([]int{2, 3, 3, 2}, 4, func(i []int, l int) float64 { return *x[0].at(i[0], 0, i[2], l) * *x[1].at(i[1], l, i[3]) })
		},
		nil,
		wrongCase{[][]int{{2, 1, 3, 4}, {3, 5, 2}}, tensor.ErrShape, "Expected size for first two dimensions of batch2 tensor to be: [6, 4] but got: [6, 5]."}),
	withBias("addmm", func(bias, x, y *tensor.Tensor) *tensor.Tensor { return bias.AddMM(x, y) }, []int{5}, []int{3, 4}, []int{4, 5},
		func(x []array) array {
			out := matrixProduct(x[1:])
			each(out.shape, func(i []int) { *out.at(i...) += *x[0].at(i[1]) })
			return out
		}),
	withBias("linear", func(bias, x, w *tensor.Tensor) *tensor.Tensor { return x.Linear(w, bias) }, []int{5}, []int{2, 3, 4}, []int{5, 4},
		func(x []array) array {
			out := contracted([]int{2, 3, 5}, 4, func(i []int, l int) float64 { return *x[1].at(i[0], i[1], l) * *x[2].at(i[2], l) })
			each(out.shape, func(i []int) { *out.at(i...) += *x[0].at(i[2]) })
			return out
		}),
	withBias("linear and relu", func(bias, x, w *tensor.Tensor) *tensor.Tensor { return inner.LinearReLU(x, w, bias) }, []int{5}, []int{3, 4}, []int{5, 4},
		func(x []array) array {
			out := contracted([]int{3, 5}, 4, func(i []int, l int) float64 { return *x[1].at(i[0], l) * *x[2].at(i[1], l) })
			each(out.shape, func(i []int) { *out.at(i...) = relu(*out.at(i...) + *x[0].at(i[1])) })
			return out
		}),
}

func withBias(name string, f func(bias, x, y *tensor.Tensor) *tensor.Tensor, bias, a, b []int, naive func(x []array) array) opRow {
	return opRow{
		name:   name,
		f:      func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1], x[2]) },
		in:     []arg{{shape: bias}, {shape: a}, {shape: b}},
		naive:  naive,
		dtypes: numberTypes,
		scale:  32,
	}
}

func matrixProduct(x []array) array {
	return contracted([]int{x[0].shape[0], x[1].shape[1]}, x[0].shape[1], func(i []int, l int) float64 {
		return *x[0].at(i[0], l) * *x[1].at(l, i[1])
	})
}

func batchProduct(x []array) array {
	return contracted([]int{x[0].shape[0], x[0].shape[1], x[1].shape[2]}, x[0].shape[2], func(i []int, l int) float64 {
		return *x[0].at(i[0], i[1], l) * *x[1].at(i[0], l, i[2])
	})
}
