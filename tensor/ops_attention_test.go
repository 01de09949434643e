package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// attends is a plain description of attention, which computes each score by itself.
type attends struct {
	scale         float64 // 0: 1/√E
	cap           float64
	causal        bool
	first, window int
}

// sees reports whether query i sees key j.
func (a attends) sees(i, j int) bool {
	at := a.first + i
	switch {
	case a.causal && j > at:
		return false
	case a.window > 0:
		return at-j < a.window && j-at < a.window
	}
	return true
}

// of computes the attention of queries, keys and values of four axes and, where there is one, a mask to add, with as many.
func (a attends) of(x []array) array {
	q, k, v := x[0], x[1], x[2]
	heads, keys, width := q.shape[1], k.shape[2], q.shape[3]
	shared := heads / k.shape[1]
	scale := a.scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(width))
	}
	out := newArray(q.shape[0], heads, q.shape[2], v.shape[3])
	each(q.shape[:3], func(at []int) {
		b, h, i := at[0], at[1], at[2]
		weights, sum := make([]float64, keys), 0.0
		for j := range keys {
			score := 0.0
			for e := range width {
				score += *q.at(b, h, i, e) * *k.at(b, h/shared, j, e)
			}
			score *= scale
			if a.cap > 0 {
				score = a.cap * math.Tanh(score/a.cap)
			}
			if len(x) > 3 {
				m := x[3]
				score += *m.at(b%m.shape[0], h%m.shape[1], i%m.shape[2], j%m.shape[3])
			}
			if a.sees(i, j) {
				weights[j] = math.Exp(score)
			}
			sum += weights[j]
		}
		for j, w := range weights {
			for e := range v.shape[3] {
				if sum > 0 {
					*out.at(b, h, i, e) += w / sum * *v.at(b, h/shared, j, e)
				}
			}
		}
	})
	return out
}

// attending is a row of attention with some options, of operands that are queries, keys, values and perhaps a mask to add.
func attending(name string, a attends, opts []tensor.AttentionOption, shapes ...[]int) opRow {
	r := opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			if len(x) > 3 {
				return tensor.ScaledDotProductAttention(x[0], x[1], x[2], append(opts, tensor.AttnMask(x[3]))...)
			}
			return tensor.ScaledDotProductAttention(x[0], x[1], x[2], opts...)
		},
		naive: a.of,
		scale: 8,
	}
	for _, shape := range shapes {
		r.in = append(r.in, arg{shape: shape})
	}
	return r
}

var attentionRows = []opRow{
	attending("attention", attends{}, nil, []int{2, 3, 4, 4}, []int{2, 3, 5, 4}, []int{2, 3, 5, 6}).as(func(r *opRow) {
		r.empty = []emptyCase{
			{[][]int{{0, 3, 4, 4}, {0, 3, 5, 4}, {0, 3, 5, 6}}, []int{0, 3, 4, 6}},
			{[][]int{{2, 3, 0, 4}, {2, 3, 5, 4}, {2, 3, 5, 6}}, []int{2, 3, 0, 6}},
			{[][]int{{2, 3, 4, 4}, {2, 3, 5, 4}, {2, 3, 5, 0}}, []int{2, 3, 4, 0}},
			{[][]int{{2, 0, 4, 4}, {2, 0, 5, 4}, {2, 0, 5, 6}}, []int{2, 0, 4, 6}},
		}
		r.wrong = []wrongCase{
			{[][]int{{4}, {5, 4}, {5, 6}}, tensor.ErrShape, "to all be  at least 2 dimensional, but got query.dim: 1 key.dim: 2 and value.dim: 2"},
			{[][]int{{4, 4}, {5, 3}, {5, 6}}, tensor.ErrShape, "mat1 and mat2 shapes cannot be multiplied (4x4 and 3x5)"},
			{[][]int{{2, 4, 4}, {2, 5, 3}, {2, 5, 6}}, tensor.ErrShape, "batch2 tensor to be: [2, 4] but got: [2, 3]."},
			{[][]int{{2, 4, 4}, {2, 5, 4}, {2, 6, 6}}, tensor.ErrShape, "batch2 tensor to be: [2, 5] but got: [2, 6]."},
			{[][]int{{2, 4, 4}, {3, 5, 4}, {3, 5, 6}}, tensor.ErrShape, "The size of tensor a (2) must match the size of tensor b (3)"},
		}
	}),
	attending("attention that is causal", attends{causal: true}, []tensor.AttentionOption{tensor.IsCausal(true)},
		[]int{1, 2, 6, 3}, []int{1, 2, 4, 3}, []int{1, 2, 4, 3}),
	attending("attention of grouped queries", attends{causal: true, first: 2, window: 3, scale: 0.7},
		[]tensor.AttentionOption{tensor.EnableGQA(true), tensor.IsCausal(true), tensor.QueryOffset(2), tensor.SlidingWindow(3),
			tensor.Scale(0.7)},
		[]int{2, 4, 3, 4}, []int{2, 2, 5, 4}, []int{2, 2, 5, 4}).as(func(r *opRow) {
		r.wrong = []wrongCase{
			{[][]int{{2, 3, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}}, tensor.ErrShape, "Number of heads in key and value must divide the number of heads in query"},
			{[][]int{{3, 4}, {5, 4}, {5, 4}}, tensor.ErrIndex, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
		}
	}),
	attending("attention with a soft cap", attends{cap: 1.5}, []tensor.AttentionOption{tensor.SoftCap(1.5)}, []int{1, 1, 2, 3}, []int{1, 1, 3, 3}, []int{1, 1, 3, 3}),
	attending("attention with a mask", attends{}, nil, []int{2, 2, 3, 4}, []int{2, 2, 5, 4}, []int{2, 2, 5, 4}, []int{2, 1, 3, 5}).as(func(r *opRow) {
		r.wrong = []wrongCase{
			{[][]int{{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, {4, 5}}, tensor.ErrShape, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 2"},
			{[][]int{{2, 3, 4}, {2, 5, 4}, {2, 5, 4}, {2, 1, 3, 5}}, tensor.ErrShape, "output with shape [2, 3, 5] doesn't match the broadcast shape [2, 2, 3, 5]"},
			{[][]int{{2, 3, 4}, {2, 5, 4}, {2, 5, 4}, {5}}, tensor.ErrIndex, "Dimension out of range (expected to be in range of [-1, 0], but got -2)"},
		}
	}),
	{
		name: "attention with a mask of bools",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.ScaledDotProductAttention(x[0], x[1], x[2], tensor.AttnMask(x[3]))
		},
		in: []arg{{shape: []int{1, 2, 3, 4}}, {shape: []int{1, 2, 4, 4}}, {shape: []int{1, 2, 4, 4}},
			{shape: []int{3, 4}, values: []float64{1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0}, dtype: dtype.Bool}},
		naive: func(x []array) array {
			mask := newArray(1, 1, 3, 4)
			for i, v := range x[3].v {
				mask.v[i] = math.Log(v)
			}
			return attends{}.of([]array{x[0], x[1], x[2], mask})
		},
		scale: 8,
	},
}
