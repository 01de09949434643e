package selftest

import (
	"cresset/dtype"
	"cresset/tensor"
)

// moving are samples that copy and choose elements.
var moving = []sample{
	{name: "contiguous", in: []operand{of(129, 67)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Transpose(0, 1).Contiguous() })},
	{name: "clone of a slice", in: []operand{of(67, 130)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Slice(1, 1, 130, 3).Clone() })},
	{name: "cat", in: []operand{of(31, 5), of(31, 130)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Cat(x, 1) })},
	{name: "fill", in: []operand{of(1031)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Narrow(0, 1, 1029).FillInPlace(1) })},
	{name: "where", in: []operand{coins(33, 65), of(33, 65), of(65)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Where(x[0], x[1], x[2]) })},
	{name: "flip", in: []operand{of(33, 65)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Flip(0, 1) })},
	{name: "roll", in: []operand{of(33, 65)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Roll([]int{7, 50}, 0, 1) })},
	{name: "triu and tril", in: []operand{of(3, 33, 65)}, dtypes: each, f: func(x []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{x[0].Triu(3), x[0].Tril(-2)}
	}},
	{name: "pad", in: []operand{of(2, 3, 9, 11)}, dtypes: numeric, f: func(x []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{x[0].Pad([]int{1, 2, 3, 0}, 1), x[0].PadReflect([]int{1, 2, 3, 0})}
	}},
	{name: "arange and linspace", in: []operand{of(1)}, dtypes: numeric, f: func(x []*tensor.Tensor) []*tensor.Tensor {
		on := tensor.Like(x[0])
		return []*tensor.Tensor{on.Arange(1, 100, 3), on.Linspace(0, 90, 31)}
	}},
}

// indexing are samples with indices.
var indexing = []sample{
	{name: "copy of a transpose", in: []operand{of(3, 70, 45)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Transpose(1, 2).Contiguous() })},
	{name: "copy of a transpose by vectors", in: []operand{of(2, 80, 144)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Transpose(1, 2).Contiguous() })},
	{name: "index_select", in: []operand{of(70, 33), below(70, 129)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexSelect(0, x[1]) })},
	{name: "take", in: []operand{of(70, 33), below(70*33, 300)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Take(x[1]) })},
	{name: "gather", in: []operand{of(70, 33), below(70, 40, 33)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Gather(0, x[1]) })},
	{name: "scatter", in: []operand{of(70, 33), of(70, 33)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		order := tensor.On(x[0].Device()).Arange(69, -1, -1).Unsqueeze(1).Expand(70, 33).Contiguous()
		return x[0].Scatter(0, order, x[1])
	})},
	{name: "index", in: []operand{of(70, 33), below(70, 129), below(33, 129)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Index(x[1], x[2]) })},
	{name: "index_put", in: []operand{of(70, 33), of(70)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		at := tensor.On(x[0].Device()).Arange(0, 70, 1)
		return x[0].IndexPut([]*tensor.Tensor{at, at.RemainderScalar(33)}, x[1])
	})},
	{name: "index_put that accumulates", in: []operand{of(70, 33), below(70, 2000), below(33, 2000), of(2000)}, dtypes: numeric, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].IndexPut(x[1:3], x[3], true)
	})},
	{name: "index_add", in: []operand{of(70, 33), below(70, 300), of(300, 33)}, dtypes: numeric, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexAdd(0, x[1], x[2]) })},
	{name: "scatter_add of a line", in: []operand{of(50), below(50, 1000), of(1000)}, dtypes: numeric, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].ScatterAdd(0, x[1], x[2]) })},
	{name: "scatter_reduce", in: []operand{of(50), below(50, 300), of(300)}, dtypes: numeric, roundings: 64, f: func(x []*tensor.Tensor) (all []*tensor.Tensor) {
		for _, how := range []string{"prod", "amax", "amin"} {
			all = append(all, x[0].ScatterReduce(0, x[1], x[2], how))
		}
		return all
	}},
	{name: "index_copy of many", in: []operand{of(70, 3), below(70, 1500), of(1500, 3)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].IndexCopy(0, x[1], x[2]) })},
	{name: "scatter_reduce of many", in: []operand{of(50), below(50, 1500), of(1500)}, dtypes: numeric, roundings: 64, f: func(x []*tensor.Tensor) (all []*tensor.Tensor) {
		for _, how := range []string{"prod", "amax", "amin"} {
			all = append(all, x[0].ScatterReduce(0, x[1], x[2], how))
		}
		return all
	}},
	{name: "scatter of few long lines", in: []operand{of(50, 3), below(50, 2500, 3), of(3, 2500)}, dtypes: numeric, roundings: 64, f: func(x []*tensor.Tensor) (all []*tensor.Tensor) {
		src := x[2].Transpose(0, 1)
		return []*tensor.Tensor{x[0].Scatter(0, x[1], src), x[0].ScatterAdd(0, x[1], src), x[0].ScatterReduce(0, x[1], src, "amax")}
	}},
	{name: "embedding", in: []operand{of(50, 33), below(50, 7, 40)}, dtypes: floats, roundings: 32, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Embedding(x[0], x[1]) })},
	{name: "one_hot", in: []operand{below(9, 300)}, dtypes: []dtype.DType{dtype.Int64}, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.OneHot(x[0], 9) })},
	{name: "nonzero", in: []operand{of(40, 70)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GtScalar(0).NonZero() })},
	{name: "masked_select", in: []operand{of(40, 70), coins(40, 70)}, dtypes: each, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaskedSelect(x[1]) })},
	{name: "searchsorted", in: []operand{of(300), of(77)}, dtypes: numeric, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		sorted, _ := x[0].Sort(0)
		return tensor.SearchSorted(sorted, x[1])
	})},
	{name: "sort", in: []operand{of(5, 2001)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].Sort(1) })},
	{name: "sort of a long line", in: []operand{of(33001)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].Sort(0, true) })},
	{name: "sort downwards over 0", in: []operand{of(70, 33)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].Sort(0, true) })},
	{name: "topk of a long line", in: []operand{of(20001)}, dtypes: numeric, f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].TopK(50, 0) })},
	{name: "topk", in: []operand{of(9, 1500)}, dtypes: floats[:2], f: two(func(x []*tensor.Tensor) (a, b *tensor.Tensor) { return x[0].TopK(7, 1) })},
}
