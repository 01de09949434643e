package tensor_test

import (
	"math"

	"cresset/tensor"
)

// samplingRows read and write elements at places that a window or a grid gives.
var samplingRows = []opRow{
	rearranged("unfold2d", []int{2, 2, 3, 4}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Unfold2D(2, tensor.Padding(1), tensor.Stride(2, 1))
	}, []int{2, 8, 10}, func(i []int) []int {
		y, x := i[2]/5*2+i[1]/2%2-1, i[2]%5+i[1]%2-1
		if y < 0 || y > 2 || x < 0 || x > 3 {
			return nil
		}
		return []int{i[0], i[1] / 4, y, x}
	}).as(func(r *opRow) { r.dtypes, r.noEmpty = nil, "a window needs elements" }),
	{
		name: "fold2d",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Fold2D(3, 3, 2) },
		in:   []arg{{shape: []int{2, 8, 4}}},
		naive: func(x []array) array {
			out := newArray(2, 2, 3, 3)
			each(x[0].shape, func(i []int) {
				*out.at(i[0], i[1]/4, i[2]/2+i[1]/2%2, i[2]%2+i[1]%2) += *x[0].at(i...)
			})
			return out
		},
		scale: 8, noEmpty: "a window needs elements",
		wrong: []wrongCase{{[][]int{{2, 8, 5}}, tensor.ErrShape, "to match the calculated number of sliding blocks"}},
	},
	{
		name:  "max_unpool2d",
		f:     func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MaxUnpool2D(x[1], 2) },
		in:    []arg{{shape: []int{1, 2, 2, 2}}, places([]int{1, 2, 2, 2}, 0, 3, 13, 10)},
		naive: unpooled, noEmpty: "a pool needs elements",
	},
	{
		name: "grid_sample",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GridSample(x[1]) },
		// Away from the middles of elements, where the slope jumps: of four by three these are ±1/4, ±3/4 and 0, ±2/3.
		in: []arg{{shape: []int{2, 2, 3, 4}}, {shape: []int{2, 2, 3, 2}, lo: -1.2, hi: 1.2, away: []float64{-0.75, -0.25, 0.25, 0.75, -2.0 / 3, 0, 2.0 / 3}}},
		naive: func(x []array) array {
			out := newArray(2, 2, 2, 3)
			each(out.shape, func(i []int) {
				*out.at(i...) = between(x[0], i[0], i[1], *x[1].at(i[0], i[2], i[3], 0), *x[1].at(i[0], i[2], i[3], 1))
			})
			return out
		},
		scale: 8, roundings: 64, perType: true,
		noEmpty: "a grid needs elements to lie between", noSpecials: "infinities are multiplied by zero",
		wrong: []wrongCase{{[][]int{{2, 2, 3, 4}, {1, 2, 3, 2}}, nil, "grid_sampler(): expected grid and input to have same batch size"}},
	},
	{
		name: "bilinear",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Bilinear(x[1], x[2], x[3]) },
		in:   []arg{{shape: []int{5, 2}}, {shape: []int{5, 3}}, {shape: []int{4, 2, 3}}, {shape: []int{4}}},
		naive: func(x []array) array {
			out := newArray(5, 4)
			each([]int{5, 4, 2, 3}, func(i []int) {
				*out.at(i[0], i[1]) += *x[0].at(i[0], i[2]) * *x[2].at(i[1], i[2], i[3]) * *x[1].at(i[0], i[3])
			})
			for i := range out.v {
				out.v[i] += x[3].v[i%4]
			}
			return out
		},
		scale: 64, roundings: 16, moreTypes: true,
	},
	{
		name: "embedding_bag",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return tensor.EmbeddingBag(x[0], x[1], nil, tensor.SumBags)
		},
		in: []arg{{shape: []int{5, 3}}, places([]int{2, 4}, 0, 4, 4, 2, 1, 0)},
		naive: func(x []array) array {
			out := newArray(2, 3)
			each([]int{2, 4, 3}, func(i []int) { *out.at(i[0], i[2]) += *x[0].at(int(*x[1].at(i[0], i[1])), i[2]) })
			return out
		},
		scale: 8, noEmpty: "there are no rows for the indices",
	},
}

// unpooled puts the elements of each plane of 2x2 into one of 4x4.
func unpooled(x []array) array {
	out := newArray(1, 2, 4, 4)
	each(x[0].shape, func(i []int) { out.v[i[1]*16+int(*x[1].at(i...))] = *x[0].at(i...) })
	return out
}

// between reads a plane of 3x4 at coordinates whose -1 and 1 are its edges; beyond these there are zeros.
func between(images array, image, channel int, x, y float64) float64 {
	column, row := (x+1)*2-0.5, (y+1)*1.5-0.5
	sum := 0.0
	for _, r := range []float64{math.Floor(row), math.Floor(row) + 1} {
		for _, c := range []float64{math.Floor(column), math.Floor(column) + 1} {
			if r >= 0 && r < 3 && c >= 0 && c < 4 {
				sum += *images.at(image, channel, int(r), int(c)) * (1 - math.Abs(row-r)) * (1 - math.Abs(column-c))
			}
		}
	}
	return sum
}
