package tensor

import (
	"fmt"
	"slices"
	"strings"

	"cresset/dtype"
	"cresset/internal/op"
)

// pooledShape returns the shape that a pool makes of x's and panics where its windows do not fit. Of x, a pool over one axis is
// handed planes of one row.
func (x *Tensor) pooledShape(o op.Op, w *window) Shape {
	name, shape, axes := o.String(), x.layout.Shape(), max(w.axes, 2)
	refuse := func(format string, a ...any) { fail(name, ErrShape, fmt.Sprintf(format, a...), x) }
	w.checkSteps(name)
	if axes == 3 && slices.Contains(w.stride[:], 0) {
		refuse("stride should not be zero")
	}
	w.checkPositive(refuse, "kernel size", "k", &w.kernel)
	w.checkPositive(refuse, "stride", "d", &w.stride)
	w.checkPositive(refuse, "dilation", "dilation", &w.dilation)
	rank := len(shape)
	if rank != axes+1 && rank != axes+2 {
		refuse("non-empty %dD or %dD (batch mode) tensor expected for input", axes+1, axes+2)
	}
	for i, d := range shape {
		if d == 0 && (i > 0 || rank == axes+1) {
			refuse("Expected %dD or %dD (batch mode) tensor with optional 0 dim batch size for input, but got:%s", axes+1, axes+2, shape.List())
		}
	}
	x.refusePool(o, axes)
	sizes := make([]int, axes)
	for i := range sizes {
		at := 3 - axes + i
		reach := (w.kernel[at]-1)*w.dilation[at] + 1
		if w.padding[at] < 0 {
			refuse("pad must be non-negative, but got pad: %d", w.padding[at])
		}
		if w.padding[at] > reach/2 {
			refuse("pad should be at most half of effective kernel size, but got pad=%d, kernel_size=%d and dilation=%d",
				w.padding[at], w.kernel[at], w.dilation[at])
		}
		sizes[i] = w.places(at, shape[rank-axes+i], reach)
	}
	if in, k := shape[rank-axes:], w.kernel; axes == 3 && o == op.AvgPool2D && (in[0] < k[0] || in[1] < k[1] || in[2] < k[2]) {
		refuse("input image (T: %d H: %d W: %d) smaller than kernel size (kT: %d kH: %d kW: %d)", in[0], in[1], in[2], k[0], k[1], k[2])
	}
	w.checkHalf(refuse, axes)
	if slices.Min(sizes) < 1 {
		times := func(n ...int) string { return strings.ReplaceAll(by(n), " ", "") }
		planes := shape[rank-axes-1]
		refuse("Given input size: (%s). Calculated output size: (%s). Output size is too small",
			times(shape[rank-axes-1:]...), times(append([]int{planes}, sizes...)...))
	}
	return checkSizes(name, append(append(Shape{}, shape[:rank-axes]...), sizes...))
}

// refusePool panics where no kernel pools x's dtype. The CPU takes the largest of all integers, and means of int64.
func (x *Tensor) refusePool(o op.Op, axes int) {
	kernel, integers := fmt.Sprintf("max_pool%dd", axes), x.dtype.IsInteger()
	switch {
	case o == op.AvgPool2D && axes == 3:
		kernel, integers = "avg_pool3d_out_frame", x.dtype == dtype.Int64
	case o == op.AvgPool2D:
		kernel, integers = "avg_pool2d", x.dtype == dtype.Int64
	}
	if !integers || x.IsCUDA() {
		refuseIntegers(o.String(), kernel, x)
	}
}

// places returns how many windows an axis of n elements has. The last may reach beyond the padding, but not begin there.
func (w *window) places(axis, n, reach int) int {
	room, step := n+2*w.padding[axis]-reach, w.stride[axis]
	if !w.ceil {
		return floorDiv(room, step) + 1
	}
	count := floorDiv(room+step-1, step) + 1
	if (count-1)*step >= n+w.padding[axis] {
		count--
	}
	return count
}

// checkPositive panics where a figure is not positive, with the letter that stands before each axis's in the text.
func (w *window) checkPositive(refuse func(format string, a ...any), figure, letter string, n *[3]int) {
	if slices.Min(n[:]) > 0 {
		return
	}
	var parts []string
	for i := min(3-w.axes, 1); i < 3; i++ {
		parts = append(parts, fmt.Sprintf("%s%c: %d", letter, "THW"[i], n[i]))
	}
	refuse("%s should be greater than zero, but got %s", figure, strings.Join(parts, " "))
}

func (w *window) checkHalf(refuse func(format string, a ...any), axes int) {
	p, k := &w.padding, &w.kernel
	switch {
	case p[0] <= k[0]/2 && p[1] <= k[1]/2 && p[2] <= k[2]/2:
	case axes == 2:
		refuse("pad should be smaller than or equal to half of kernel size, but got padW = %d, padH = %d, kW = %d, kH = %d", p[2], p[1], k[2], k[1])
	default:
		refuse("pad should be smaller than or equal to half of kernel size, but got kT: %d kW: %d kH: %d padT: %d padW: %d padH: %d",
			k[0], k[2], k[1], p[0], p[2], p[1])
	}
}

// checkMaxPool1D panics, in words of its own, where the windows of a pool over one axis do not fit.
func (x *Tensor) checkMaxPool1D(w *window) {
	const name = "max_pool1d"
	refuse := func(format string, a ...any) { fail(name, ErrShape, "max_pool1d() "+fmt.Sprintf(format, a...), x) }
	w.checkSteps(name)
	kernel, stride, padding, dilation := w.kernel[2], w.stride[2], w.padding[2], w.dilation[2]
	switch rank := x.layout.Rank(); {
	case rank != 2 && rank != 3:
		refuse("Expected 2D or 3D input tensor, but got %s", x.layout.Shape().List())
	case kernel < 1:
		refuse("kernel_size must be greater than zero, but got %d", kernel)
	case stride < 1:
		refuse("stride must be greater than zero, but got %d", stride)
	case padding < 0:
		refuse("padding must be non-negative, but got %d", padding)
	case padding > kernel/2:
		refuse("padding should be at most half of kernel size, but got padding=%d and kernel_size=%d", padding, kernel)
	case dilation < 1:
		refuse("dilation must be greater than zero, but got %d", dilation)
	}
	if n := w.places(2, x.layout.Shape()[x.layout.Rank()-1], (kernel-1)*dilation+1); n < 1 {
		refuse("Invalid computed output size: %d", n)
	}
}

// floorDiv returns a / b rounded down; b is positive.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
