package tensor_test

import (
	"math"

	"cresset/tensor"
)

// interpolateRows are the ways of Interpolate, with the weight that each gives to an element at a distance from where a result lies.
var interpolateRows = []opRow{
	interpolated("interpolate nearest lines", []int{2, 2, 5}, []int{9}, nearest, tensor.Nearest),
	interpolated("interpolate nearest", []int{2, 2, 3, 3}, []int{5, 2}, nearest, tensor.Nearest),
	interpolated("interpolate nearest volumes", []int{1, 2, 3, 2, 3}, []int{5, 2, 4}, nearest, tensor.Nearest),
	interpolated("interpolate nearest, factors that count for nothing", []int{2, 2, 3, 3}, []int{6, 3}, nearest, tensor.Nearest).as(func(r *opRow) {
		r.f = func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Interpolate(nil, tensor.ScaleFactor(2.3, 1.3)) }
	}),
	interpolated("interpolate nearest-exact lines", []int{2, 2, 5}, []int{9}, nearestExact, tensor.NearestExact),
	interpolated("interpolate nearest-exact", []int{2, 2, 3, 3}, []int{5, 2}, nearestExact, tensor.NearestExact),
	interpolated("interpolate nearest-exact volumes", []int{1, 2, 3, 2, 3}, []int{5, 2, 4}, nearestExact, tensor.NearestExact),
	interpolated("interpolate linear", []int{2, 2, 5}, []int{9}, along(2, onLine), tensor.Linear),
	interpolated("interpolate bilinear", []int{2, 2, 3, 5}, []int{5, 3}, along(2, onLine), tensor.Bilinear).as(func(r *opRow) {
		r.wrong = []wrongCase{{[][]int{{2, 2, 3}}, tensor.ErrValue, "Input and output must have the same number of spatial dimensions"}}
	}),
	interpolated("interpolate bilinear, large", []int{1, 3, 20, 21}, []int{40, 37}, along(2, onLine), tensor.Bilinear),
	interpolated("interpolate bilinear, corners", []int{2, 2, 3, 5}, []int{5, 3}, corners(2, onLine), tensor.Bilinear, tensor.AlignCorners(true)),
	interpolated("interpolate bicubic", []int{2, 2, 4, 5}, []int{7, 3}, along(4, onCurve(-0.75)), tensor.Bicubic),
	interpolated("interpolate bicubic, corners", []int{2, 2, 4, 5}, []int{7, 3}, corners(4, onCurve(-0.75)), tensor.Bicubic, tensor.AlignCorners(true)),
	interpolated("interpolate trilinear", []int{1, 2, 3, 2, 4}, []int{5, 3, 3}, along(2, onLine), tensor.Trilinear),
	interpolated("interpolate antialiased bilinear", []int{1, 2, 7, 4}, []int{3, 6}, covering(1, onLine), tensor.Bilinear, tensor.Antialias(true)),
	interpolated("interpolate antialiased bicubic", []int{1, 2, 9, 4}, []int{4, 6}, covering(2, onCurve(-0.5)), tensor.Bicubic, tensor.Antialias(true)),
}

// A weighing calls add with the weight of each of n elements of an axis that element i of so many is a sum of.
type weighing func(i, n, to int, add func(place int, weight float64))

func nearest(i, n, to int, add func(int, float64)) { add(i*n/to, 1) }

func nearestExact(i, n, to int, add func(int, float64)) { add((2*i+1)*n/(2*to), 1) }

func onLine(d float64) float64 { return max(1-d, 0) }

func onCurve(a float64) func(d float64) float64 {
	return func(d float64) float64 {
		switch {
		case d <= 1:
			return (a+2)*d*d*d - (a+3)*d*d + 1
		case d < 2:
			return a * (d*d*d - 5*d*d + 8*d - 4)
		}
		return 0
	}
}

// along weighs the width elements around where a result lies, those beyond the ends as the last ones.
func along(width int, weight func(d float64) float64) weighing {
	return func(i, n, to int, add func(int, float64)) {
		around(float64(n)/float64(to)*(float64(i)+0.5)-0.5, width, n, weight, add)
	}
}

// corners is along where the first and the last result are the first and the last element.
func corners(width int, weight func(d float64) float64) weighing {
	return func(i, n, to int, add func(int, float64)) {
		around(float64(n-1)/float64(to-1)*float64(i), width, n, weight, add)
	}
}

func around(at float64, width, n int, weight func(d float64) float64, add func(int, float64)) {
	if width == 2 {
		at = max(at, 0)
	}
	first := int(math.Floor(at)) - width/2 + 1
	for place := first; place < first+width; place++ {
		add(max(0, min(place, n-1)), weight(math.Abs(at-float64(place))))
	}
}

// covering weighs all elements within reach of a result, which is as wide as what it covers, and shares 1 among them.
func covering(reach float64, weight func(d float64) float64) weighing {
	return func(i, n, to int, add func(int, float64)) {
		scale := float64(n) / float64(to)
		wide, center, sum := max(scale, 1), scale*(float64(i)+0.5), 0.0
		weights := make([]float64, n)
		for place := range weights {
			if d := math.Abs(float64(place)+0.5-center) / wide; d < reach {
				weights[place] = weight(d)
				sum += weights[place]
			}
		}
		for place, w := range weights {
			if w != 0 {
				add(place, w/sum)
			}
		}
	}
}

func interpolated(name string, from, sizes []int, w weighing, opts ...tensor.InterpolateOption) opRow {
	to := append(from[:2:2], sizes...)
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Interpolate(sizes, opts...) },
		in:   []arg{{shape: from}},
		naive: func(x []array) array {
			out := newArray(to...)
			each(to, func(at []int) {
				var visit func(axis int, place []int, weight float64)
				visit = func(axis int, place []int, weight float64) {
					if axis == len(to) {
						*out.at(at...) += weight * *x[0].at(place...)
						return
					}
					w(at[axis], from[axis], to[axis], func(p int, v float64) { visit(axis+1, append(place[:axis:axis], p), weight*v) })
				}
				visit(2, []int{at[0], at[1]}, 1)
			})
			return out
		},
		scale: 4, roundings: 64,
		noSpecials: "infinities are multiplied by zero",
	}
}
