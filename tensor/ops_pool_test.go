package tensor_test

import (
	"math"
	"slices"

	"cresset/tensor"
)

// covered applies f to what each window of a pool over all axes of x but the first two covers.
func (s slide) covered(kernel []int, f func(v []float64) float64, extents ...int) func(in []array) array {
	return func(in []array) array {
		x := in[0]
		out := newArray(append(slices.Clone(x.shape[:2]), extents...)...)
		each(out.shape, func(at []int) {
			var v []float64
			s.each(kernel, x.shape[2:], at[2:], func(_, from []int) { v = append(v, *x.at(append(slices.Clone(at[:2]), from...)...)) })
			*out.at(at...) = f(v)
		})
		return out
	}
}

// evenly is covered for windows that cover x evenly.
func evenly(f func(v []float64) float64, extents ...int) func(in []array) array {
	return func(in []array) array {
		x := in[0]
		out := newArray(append(slices.Clone(x.shape[:2]), extents...)...)
		each(out.shape, func(at []int) {
			var v []float64
			each(x.shape[2:], func(from []int) {
				for i, p := range from {
					if n := x.shape[2+i]; p < at[2+i]*n/extents[i] || p*extents[i] >= (at[2+i]+1)*n {
						return
					}
				}
				v = append(v, *x.at(append(slices.Clone(at[:2]), from...)...))
			})
			*out.at(at...) = f(v)
		})
		return out
	}
}

func lp(p float64) func(v []float64) float64 {
	return func(v []float64) (y float64) {
		for _, x := range v {
			y += math.Pow(x, p)
		}
		return math.Pow(max(y, 0), 1/p)
	}
}

func poolOf(name string, f func(x *tensor.Tensor) *tensor.Tensor, naive func(in []array) array, shape ...int) opRow {
	return opRow{
		name: name, f: func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) }, in: []arg{{shape: shape}}, naive: naive, scale: 2,
		roundings: 6, moreTypes: true,
	}
}

func first(x, _ *tensor.Tensor) *tensor.Tensor { return x }

var poolRows = []opRow{
	poolOf("max_pool1d", func(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool1D(3, tensor.Stride(2), tensor.Padding(1)) },
		slide{2, 1, 1, 1}.covered([]int{3}, slices.Max[[]float64], 4), 2, 3, 7),
	poolOf("max_pool2d ceil", func(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool2D(3, tensor.Stride(2), tensor.CeilMode(true)) },
		slide{2, 0, 1, 1}.covered([]int{3, 3}, slices.Max[[]float64], 3, 4), 2, 2, 6, 8),
	poolOf("max_pool3d", func(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool3D(2, tensor.CeilMode(true), tensor.Stride(2)) },
		slide{2, 0, 1, 1}.covered([]int{2, 2, 2}, slices.Max[[]float64], 2, 2, 2), 2, 2, 3, 4, 3),
	poolOf("max_pool3d strided", func(x *tensor.Tensor) *tensor.Tensor {
		return first(x.MaxPool3DWithIndices(1, tensor.KernelSize(2, 3, 2), tensor.Stride(1), tensor.Padding(1), tensor.Dilation(2)))
	}, slide{1, 1, 2, 1}.covered([]int{2, 3, 2}, slices.Max[[]float64], 3, 2, 4), 1, 2, 3, 4, 4),
	poolOf("avg_pool1d ceil", func(x *tensor.Tensor) *tensor.Tensor {
		return x.AvgPool1D(3, tensor.Stride(2), tensor.CeilMode(true))
	},
		slide{2, 0, 1, 1}.covered([]int{3}, meanOf, 4), 2, 2, 8),
	poolOf("avg_pool2d divided", func(x *tensor.Tensor) *tensor.Tensor {
		return x.AvgPool2D(3, tensor.Stride(2), tensor.Padding(1), tensor.DivisorOverride(5))
	}, slide{2, 1, 1, 1}.covered([]int{3, 3}, func(v []float64) float64 { return sumOf(v) / 5 }, 2, 3), 2, 2, 4, 5),
	poolOf("avg_pool3d", func(x *tensor.Tensor) *tensor.Tensor {
		return x.AvgPool3D(3, tensor.KernelSize(2, 3, 3), tensor.Stride(2), tensor.Padding(1), tensor.CountIncludePad(false))
	}, slide{2, 1, 1, 1}.covered([]int{2, 3, 3}, meanOf, 2, 2, 3), 1, 2, 3, 4, 5),
	poolOf("avg_pool3d divided", func(x *tensor.Tensor) *tensor.Tensor { return x.AvgPool3D(2, tensor.DivisorOverride(-3)) },
		slide{2, 0, 1, 1}.covered([]int{2, 2, 2}, func(v []float64) float64 { return sumOf(v) / -3 }, 1, 2, 2), 2, 1, 3, 4, 5),
	poolOf("adaptive_avg_pool1d", func(x *tensor.Tensor) *tensor.Tensor { return x.AdaptiveAvgPool1D(3) }, evenly(meanOf, 3), 2, 2, 7),
	poolOf("adaptive_avg_pool3d", func(x *tensor.Tensor) *tensor.Tensor { return x.AdaptiveAvgPool3D(2, 3, 2) },
		evenly(meanOf, 2, 3, 2), 1, 2, 3, 4, 5),
	poolOf("adaptive_max_pool1d", func(x *tensor.Tensor) *tensor.Tensor { return first(x.AdaptiveMaxPool1D(3)) },
		evenly(slices.Max[[]float64], 3), 2, 2, 7),
	poolOf("adaptive_max_pool2d", func(x *tensor.Tensor) *tensor.Tensor { return first(x.AdaptiveMaxPool2D(3, 2)) },
		evenly(slices.Max[[]float64], 3, 2), 2, 2, 5, 4).as(func(r *opRow) {
		r.wrong = []wrongCase{{[][]int{{4, 5}}, tensor.ErrShape, "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [4, 5]"}}
	}),
	poolOf("adaptive_max_pool3d", func(x *tensor.Tensor) *tensor.Tensor { return first(x.AdaptiveMaxPool3D(2, 3, 2)) },
		evenly(slices.Max[[]float64], 2, 3, 2), 1, 2, 3, 4, 5),
	poolOf("lp_pool1d", func(x *tensor.Tensor) *tensor.Tensor { return x.LPPool1D(3, 2) },
		slide{2, 0, 1, 1}.covered([]int{2}, lp(3), 3), 2, 2, 6).as(withRoots),
	poolOf("lp_pool2d", func(x *tensor.Tensor) *tensor.Tensor { return x.LPPool2D(2, 2, tensor.Stride(1)) },
		slide{1, 0, 1, 1}.covered([]int{2, 2}, lp(2), 3, 4), 1, 2, 4, 5).as(withRoots),
	poolOf("lp_pool3d", func(x *tensor.Tensor) *tensor.Tensor { return x.LPPool3D(2, 2) },
		slide{2, 0, 1, 1}.covered([]int{2, 2, 2}, lp(2), 1, 2, 1), 1, 2, 2, 4, 3).as(withRoots),
}

// withRoots keeps inputs where roots have a slope.
func withRoots(r *opRow) {
	r.in[0].whole, r.dtypes, r.result = [2]int{1, 4}, allTypes, toFloat
	r.in[0].lo, r.in[0].hi, r.roundings, r.scale, r.noSpecials = 0.5, 2, 16, 8, "powers of the mean overflow where those of elements do not"
}
