package tensor_test

import (
	"math"
	"slices"

	"cresset/tensor"
)

// chosen is a row whose result holds elements of its input: place tells which.
func chosen(name string, f func(x *tensor.Tensor) *tensor.Tensor, place func(at []int) []int, from, to []int) opRow {
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) },
		in:   []arg{{shape: from}},
		naive: func(in []array) array {
			out := newArray(to...)
			each(to, func(at []int) { *out.at(at...) = *in[0].at(place(slices.Clone(at))...) })
			return out
		},
		dtypes: allTypes,
	}
}

func padded(name string, f func(x *tensor.Tensor, pads []int) *tensor.Tensor, place func(i, n int) int) opRow {
	from := []int{2, 3, 4, 3}
	return chosen(name, func(x *tensor.Tensor) *tensor.Tensor { return f(x, []int{1, 2, 2, -1}) }, func(at []int) []int {
		return []int{at[0], at[1], place(at[2]-2, 4), place(at[3]-1, 3)}
	}, from, []int{2, 3, 5, 6}).as(func(r *opRow) {
		r.wrong = []wrongCase{{[][]int{{4}}, tensor.ErrShape, "Padding size 4 is not supported for 1D input tensor."}}
	})
}

var channelRows = []opRow{
	{
		name: "group_norm",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GroupNorm(2, x[1], x[2], tensor.Eps(1e-3)) },
		in:   []arg{{shape: []int{2, 4, 3}}, {shape: []int{4}}, {shape: []int{4}}},
		naive: func(x []array) array {
			return normalized(x[0], x[1], x[2], 1e-3, func(at []int) (int, any) { return at[1], [2]int{at[0], at[1] / 2} })
		},
		scale: 8, roundings: 8,
		empty: []emptyCase{{[][]int{{0, 4, 3}, {4}, {4}}, []int{0, 4, 3}}},
		wrong: []wrongCase{
			{[][]int{{2, 5, 3}, {5}, {5}}, tensor.ErrShape, "Expected number of channels in input to be divisible by num_groups"},
			{[][]int{{2, 4, 3}, {3}, {4}}, tensor.ErrShape, "Expected weight to be a vector of size equal to the number of channels in input"},
		},
	},
	{
		name: "instance_norm",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].InstanceNorm(x[1], x[2], nil, nil, tensor.Eps(1e-3))
		},
		in: []arg{{shape: []int{2, 3, 5}}, {shape: []int{3}}, {shape: []int{3}}},
		naive: func(x []array) array {
			return normalized(x[0], x[1], x[2], 1e-3, func(at []int) (int, any) { return at[1], [2]int{at[0], at[1]} })
		},
		scale: 8, roundings: 8,
		wrong: []wrongCase{{[][]int{{2, 3, 1}, {3}, {3}}, tensor.ErrValue, "Expected more than 1 spatial element when training"}},
	},
	{
		name: "rms_norm",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].RMSNorm([]int{3, 4}, x[1], 1e-3) },
		in:   []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 4}}},
		naive: func(x []array) array {
			out := newArray(2, 3, 4)
			for i, v := range x[0].v {
				squares := 0.0
				for _, u := range x[0].v[i/12*12:][:12] {
					squares += u * u
				}
				out.v[i] = v / math.Sqrt(squares/12+1e-3) * x[1].v[i%12]
			}
			return out
		},
		scale: 8, roundings: 8,
		empty: []emptyCase{{[][]int{{0, 3, 4}, {3, 4}}, []int{0, 3, 4}}},
		wrong: []wrongCase{
			{[][]int{{2, 4, 3}, {3, 4}}, tensor.ErrShape, "expected input with shape [*3, 4]"},
			{[][]int{{4}, {3, 4}}, tensor.ErrShape, "Input tensor must have at least 2 dimensions, but got 1"},
			{[][]int{{2, 3, 4}, {4}}, tensor.ErrShape, "Expected weight to be of same shape as normalized_shape"},
		},
	},
	{
		name: "local_response_norm", moreTypes: true, // int64, whose quotients are floats
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].LocalResponseNorm(3, tensor.Alpha(0.5), tensor.Beta(0.6), tensor.K(2))
		},
		in: []arg{{shape: []int{2, 4, 3}}},
		naive: func(x []array) array {
			out := newArray(2, 4, 3)
			each(out.shape, func(at []int) {
				squares := 0.0
				for c := max(at[1]-1, 0); c <= min(at[1]+1, 3); c++ {
					squares += math.Pow(*x[0].at(at[0], c, at[2]), 2)
				}
				*out.at(at...) = *x[0].at(at...) / math.Pow(2+0.5*squares/3, 0.6)
			})
			return out
		},
		scale: 8, roundings: 16,
		noSpecials: "the squares of large numbers are infinite",
		wrong:      []wrongCase{{[][]int{{2, 3}}, tensor.ErrValue, "Expected 3D or higher dimensionality"}},
	},

	padded("pad reflect", (*tensor.Tensor).PadReflect, func(i, n int) int { return n - 1 - max(n-1-max(i, -i), max(i, -i)-(n-1)) }).as(numbers),
	padded("pad replicate", (*tensor.Tensor).PadReplicate, func(i, n int) int { return min(max(i, 0), n-1) }).as(numbers),
	padded("pad circular", (*tensor.Tensor).PadCircular, func(i, _ int) int { return (i + 3) % 3 }), // one line of four is cropped
	chosen("pixel_shuffle", func(x *tensor.Tensor) *tensor.Tensor { return x.PixelShuffle(2) }, func(at []int) []int {
		return []int{at[0], at[1]*4 + at[2]%2*2 + at[3]%2, at[2] / 2, at[3] / 2}
	}, []int{2, 8, 2, 3}, []int{2, 2, 4, 6}),
	chosen("pixel_unshuffle", func(x *tensor.Tensor) *tensor.Tensor { return x.PixelUnshuffle(2) }, func(at []int) []int {
		return []int{at[0], at[1] / 4, at[2]*2 + at[1]/2%2, at[3]*2 + at[1]%2}
	}, []int{2, 2, 4, 6}, []int{2, 8, 2, 3}),
	chosen("channel_shuffle", func(x *tensor.Tensor) *tensor.Tensor { return x.ChannelShuffle(3) }, func(at []int) []int {
		return []int{at[0], at[1]%3*2 + at[1]/3, at[2]}
	}, []int{2, 6, 3}, []int{2, 6, 3}),
}
