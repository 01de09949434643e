package onnxnode

import (
	"math"
	"slices"

	"cresset/tensor"
)

// resize computes each axis by weights of elements: Interpolate has PyTorch's coordinates alone, and ONNX many.
func resize(n *node) []*tensor.Tensor {
	x := n.input(0)
	roi, scalesAt, sizesAt := 1, 2, 3
	if n.Op == "Upsample" || n.Version < 11 {
		roi, scalesAt, sizesAt = -1, 1, 9
	}
	axes := n.ints("axes", everyAxis(x)...)
	scales, sizes := make([]float64, len(axes)), make([]int, len(axes))
	if n.has(sizesAt) && n.input(sizesAt).NumEl() > 0 {
		sizes = n.list(sizesAt)
		for i, axis := range axes {
			scales[i] = float64(sizes[i]) / float64(x.Size(axis))
		}
		if policy := n.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch" {
			scale := slices.Min(scales)
			if policy == "not_smaller" {
				scale = slices.Max(scales)
			}
			for i, axis := range axes {
				scales[i], sizes[i] = scale, int(math.Floor(scale*float64(x.Size(axis))+0.5))
			}
		}
	} else {
		scales = tensor.Values[float64](n.input(scalesAt).Double())
		for i, axis := range axes {
			sizes[i] = int(math.Floor(scales[i] * float64(x.Size(axis))))
		}
	}
	y, outside := x, (*tensor.Tensor)(nil)
	for i, axis := range axes {
		r := resampling{n: n, size: x.Size(axis), to: sizes[i], scale: scales[i], end: 1}
		if roi > 0 && n.has(roi) && n.input(roi).NumEl() > 0 {
			corners := tensor.Values[float64](n.input(roi).Double())
			r.start, r.end = corners[i], corners[len(axes)+i]
		}
		matrix, beyond := r.matrix()
		moved := y.Transpose(axis, -1).Double()
		y = moved.MatMul(tensor.FromSlice(matrix, r.to, r.size).T()).To(x.DType()).Transpose(axis, -1)
		if n.text("coordinate_transformation_mode", "") == "tf_crop_and_resize" {
			mask := tensor.FromSlice(beyond, r.to).View(lined(x.Dim(), axis, r.to)...)
			if outside != nil {
				mask = outside.LogicalOr(mask)
			}
			outside = mask
		}
	}
	if outside != nil {
		y = tensor.Where(outside, tensor.FullLike(y, n.float("extrapolation_value", 0)), y)
	}
	return one(y)
}

// resampling is one axis.
type resampling struct {
	n                 *node
	size, to          int
	scale, start, end float64
}

// matrix returns the weights of all elements for each of the result, and which of these lie beyond the axis.
func (r *resampling) matrix() (weights []float64, beyond []bool) {
	weights, beyond = make([]float64, r.to*r.size), make([]bool, r.to)
	for i := range r.to {
		row := weights[i*r.size:][:r.size]
		at := r.place(float64(i))
		beyond[i] = at < 0 || at > float64(r.size-1)
		if r.n.text("mode", "nearest") == "nearest" {
			row[r.nearest(at)] = 1
			continue
		}
		r.weigh(row, at)
	}
	return weights, beyond
}

// place is where element i of the result lies among those of the axis.
func (r *resampling) place(i float64) float64 {
	size, to := float64(r.size), float64(r.to)
	length := r.scale * size
	switch r.n.text("coordinate_transformation_mode", "half_pixel") {
	case "align_corners":
		if length == 1 {
			return 0
		}
		return i * (size - 1) / (length - 1)
	case "asymmetric":
		return i / r.scale
	case "pytorch_half_pixel":
		if length <= 1 {
			return -0.5
		}
	case "half_pixel_symmetric":
		center := size / 2
		return center*(1-to/length) + (i+0.5)/r.scale - 0.5
	case "tf_crop_and_resize":
		if to > 1 {
			return r.start*(size-1) + i*(r.end-r.start)*(size-1)/(length-1)
		}
		return (r.start + r.end) * (size - 1) / 2
	}
	if r.n.Op == "Upsample" || r.n.Version < 11 {
		return i / r.scale
	}
	return (i+0.5)/r.scale - 0.5
}

func (r *resampling) nearest(at float64) int {
	var p float64
	switch r.n.text("nearest_mode", "round_prefer_floor") {
	case "ceil":
		p = math.Ceil(at)
	case "floor":
		p = math.Floor(at)
	case "round_prefer_ceil":
		p = math.Floor(at + 0.5)
	default:
		p = math.Ceil(at - 0.5)
	}
	if r.n.Op == "Upsample" || r.n.Version < 11 {
		p = math.Floor(at)
	}
	return max(0, min(int(p), r.size-1))
}

// weigh adds the weights of the elements around a place, those beyond the ends to the last ones, unless they are left out.
func (r *resampling) weigh(row []float64, at float64) {
	wide := 1.0
	if r.n.flag("antialias", 0) && r.scale < 1 {
		wide = 1 / r.scale
	}
	reach := 1.0
	if r.n.text("mode", "") == "cubic" {
		reach = 2
	}
	leaveOut := r.n.flag("exclude_outside", 0)
	total := 0.0
	for p := int(math.Floor(at - reach*wide)); p <= int(math.Ceil(at+reach*wide)); p++ {
		w := r.curve(math.Abs(at-float64(p)) / wide)
		if leaveOut && (p < 0 || p >= r.size) {
			continue
		}
		row[max(0, min(p, r.size-1))] += w
		total += w
	}
	for i := range row {
		row[i] /= total
	}
}

// curve is the weight of an element at a distance: on a line or on a cubic curve.
func (r *resampling) curve(d float64) float64 {
	a := r.n.float("cubic_coeff_a", -0.75)
	switch {
	case r.n.text("mode", "") != "cubic":
		return max(0, 1-d)
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}
