package tensor_test

import (
	"math"

	"cresset/tensor"
)

// contractionRows are products that are composed of others.
var contractionRows = []opRow{
	einsumRow("bij,bjk->bik", []int{2, 3, 4}, []int{2, 4, 5}, batchProduct,
		wrongCase{[][]int{{2, 3, 4}, {3, 4, 5}}, tensor.ErrShape, "einsum(): subscript b has size 3 for operand 1 which does not broadcast with previously seen size 2"},
		wrongCase{[][]int{{2, 3}, {2, 4, 5}}, tensor.ErrShape, "einsum(): the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand 0"}),
	einsumRow("iij,...j->...i", []int{3, 3, 4}, []int{2, 1, 4}, func(x []array) array {
		return contracted([]int{2, 1, 3}, 4, func(i []int, l int) float64 { return *x[0].at(i[2], i[2], l) * *x[1].at(i[0], i[1], l) })
	}, wrongCase{[][]int{{3, 2, 4}, {2, 4}}, tensor.ErrShape, "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 2 != 3"}),
	einsumRow("ij,kj", []int{3, 4}, []int{2, 4}, func(x []array) array {
		return contracted([]int{3, 2}, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) * *x[1].at(i[1], l) })
	}),
	productRow("tensordot", func(x, y *tensor.Tensor) *tensor.Tensor { return x.TensorDotAxes(y, []int{0, -1}, []int{1, 0}) }, []int{2, 3, 4}, []int{4, 2, 5},
		func(x []array) array {
			return contracted([]int{3, 5}, 8, func(i []int, l int) float64 { return *x[0].at(l/4, i[0], l%4) * *x[1].at(l%4, l/4, i[1]) })
		},
		[]emptyCase{{[][]int{{0, 3, 4}, {4, 0, 5}}, []int{3, 5}}},
		wrongCase{[][]int{{2, 3, 4}, {5, 2, 4}}, tensor.ErrShape, "contracted dimensions need to match, but first has size 4 in dim -1 and second has size 5 in dim 0"}),
	productRow("kron", (*tensor.Tensor).Kron, []int{3}, []int{2, 2}, func(x []array) array {
		return contracted([]int{2, 6}, 1, func(i []int, _ int) float64 { return *x[0].at(i[1] / 2) * *x[1].at(i[0], i[1]%2) })
	}, []emptyCase{{[][]int{{0}, {2, 2}}, []int{2, 0}}}).as(everyType),
	withBias("addbmm", func(c, x, y *tensor.Tensor) *tensor.Tensor { return c.AddBMM(x, y, tensor.Beta(2), tensor.Alpha(3)) }, []int{5}, []int{2, 3, 4}, []int{2, 4, 5},
		func(x []array) array {
			return contracted([]int{3, 5}, 8, func(i []int, l int) float64 {
				return 3**x[1].at(l/4, i[0], l%4)**x[2].at(l/4, l%4, i[1]) + *x[0].at(i[1])/4
			})
		}),
	withBias("baddbmm", func(c, x, y *tensor.Tensor) *tensor.Tensor { return c.BAddBMM(x, y, tensor.Beta(2), tensor.Alpha(3)) }, []int{5}, []int{2, 3, 4}, []int{2, 4, 5},
		func(x []array) array {
			out := batchProduct(x[1:])
			each(out.shape, func(i []int) { *out.at(i...) = 3**out.at(i...) + 2**x[0].at(i[2]) })
			return out
		}),
	withBias("addmv", func(c, x, v *tensor.Tensor) *tensor.Tensor { return c.AddMV(x, v, tensor.Beta(2), tensor.Alpha(3)) }, []int{3}, []int{3, 4}, []int{4},
		func(x []array) array {
			return contracted([]int{3}, 4, func(i []int, l int) float64 { return 3**x[1].at(i[0], l)**x[2].at(l) + *x[0].at(i[0])/2 })
		}),
	withBias("addr", func(c, u, v *tensor.Tensor) *tensor.Tensor { return c.AddR(u, v, tensor.Beta(2), tensor.Alpha(3)) }, []int{4}, []int{3}, []int{4},
		func(x []array) array {
			return contracted([]int{3, 4}, 1, func(i []int, _ int) float64 { return 3**x[1].at(i[0])**x[2].at(i[1]) + 2**x[0].at(i[1]) })
		}),
	distanceRow("cdist", []int{3, 4}, []int{2, 4}, func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.CDist(x, y, 3) }, func(x []array) array {
		return rooted([]int{3, 2}, 3, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) - *x[1].at(i[1], l) })
	}, wrongCase{[][]int{{2, 4}, {2, 5}}, tensor.ErrShape, "X1 and X2 must have the same number of columns. X1: 4 X2: 5"}),
	distanceRow("pairwise_distance", []int{3, 4}, []int{4}, func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.PairwiseDistance(x, y, 2) }, func(x []array) array {
		return rooted([]int{3}, 2, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) - *x[1].at(l) + 1e-6 })
	}).as(func(r *opRow) {
		r.dtypes, r.result = numberTypes, toFloat
		r.in[0].whole, r.in[1].whole = [2]int{4, 9}, [2]int{0, 3} // differences that are not below 0
	}),
	distanceRow("cosine_similarity", []int{3, 4}, []int{4}, func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.CosineSimilarity(x, y, 1) }, func(x []array) array {
		inner := contracted([]int{3}, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) * *x[1].at(l) })
		a := rooted([]int{3}, 2, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) })
		b := rooted([]int{}, 2, 4, func(_ []int, l int) float64 { return *x[1].at(l) })
		each(inner.shape, func(i []int) { *inner.at(i...) /= *a.at(i...) * b.v[0] })
		return inner
	}),
	{
		name: "pdist", f: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].PDist(3) }, in: []arg{{shape: []int{3, 4}}}, scale: 32,
		dtypes: floatTypes, noSpecials: "a norm of differences", noEmpty: "of a long axis there are as many pairs as its square",
		naive: func(x []array) array {
			return rooted([]int{3}, 3, 4, func(i []int, l int) float64 { return *x[0].at(i[0]/2, l) - *x[0].at(1+(i[0]+1)/2, l) })
		},
		wrong: []wrongCase{{[][]int{{4}}, tensor.ErrShape, "pdist only supports 2D tensors, got: 1D"}},
	},
	{
		name: "normalize", f: func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Normalize(3, 1) }, in: []arg{{shape: []int{3, 4}}}, scale: 8,
		naive: func(x []array) array {
			norm := rooted([]int{3}, 3, 4, func(i []int, l int) float64 { return *x[0].at(i[0], l) })
			return contracted([]int{3, 4}, 1, func(i []int, _ int) float64 { return *x[0].at(i...) / *norm.at(i[0]) })
		},
		wrong: []wrongCase{{[][]int{{4}}, tensor.ErrIndex, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"}},
	},
}

func einsumRow(equation string, a, b []int, naive func(x []array) array, wrong ...wrongCase) opRow {
	return productRow("einsum "+equation, func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.Einsum(equation, x, y) }, a, b, naive, nil, wrong...)
}

func distanceRow(name string, a, b []int, f func(x, y *tensor.Tensor) *tensor.Tensor, naive func(x []array) array, wrong ...wrongCase) opRow {
	return productRow(name, f, a, b, naive, nil, wrong...).as(func(r *opRow) { r.dtypes = floatTypes })
}

// rooted returns (Σ |term|ᵖ)^(1/p), summed over l below k.
func rooted(shape []int, p float64, k int, term func(i []int, l int) float64) array {
	out := contracted(shape, k, func(i []int, l int) float64 { return math.Pow(math.Abs(term(i, l)), p) })
	for i, v := range out.v {
		out.v[i] = math.Pow(v, 1/p)
	}
	return out
}
