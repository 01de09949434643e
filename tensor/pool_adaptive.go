package tensor

import (
	"fmt"
	"strings"

	"cresset/internal/op"
)

// AdaptiveAvgPool1D returns the means of l windows that cover the last axis of x [N, C, L] or [C, L] evenly.
func (x *Tensor) AdaptiveAvgPool1D(l int) *Tensor {
	x.checkLine("adaptive_avg_pool1d")
	return x.Unsqueeze(-2).adaptiveAvg("adaptive_avg_pool1d", 1, l).SqueezeAxis(-2)
}

// AdaptiveAvgPool2D returns the means of h × w windows that cover the last two axes of x [N, C, H, W] or [C, H, W] evenly.
func (x *Tensor) AdaptiveAvgPool2D(h, w int) *Tensor {
	return x.adaptiveAvg("adaptive_avg_pool2d", h, w)
}

// AdaptiveAvgPool3D returns the means of d × h × w windows that cover the last three axes of x [N, C, D, H, W] or [C, D, H, W]
// evenly.
func (x *Tensor) AdaptiveAvgPool3D(d, h, w int) *Tensor {
	return x.adaptiveAvg("adaptive_avg_pool3d", d, h, w)
}

func (x *Tensor) adaptiveAvg(name string, sizes ...int) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one(name, x)
	}
	shape := x.adaptiveShape(name, ": ", " ", sizes)
	one := true
	for _, n := range sizes {
		one = one && n == 1
	}
	switch {
	case one && name != "adaptive_avg_pool1d":
		return x.MeanAxes([]int{-1, -2, -3}[:len(sizes)], KeepDim(true))
	case len(sizes) == 3:
		return x.meanOfVolumes(op.AdaptiveAvgPool2D, new(window), shape)
	}
	return x.pooled(op.AdaptiveAvgPool2D, op.Window{}, shape)
}

// AdaptiveMaxPool1D returns the largest elements of l windows that cover the last axis of x [N, C, L] or [C, L] evenly, and where
// they lie in their line.
func (x *Tensor) AdaptiveMaxPool1D(l int) (values, indices *Tensor) {
	x.checkLine("adaptive_max_pool1d")
	values, indices = x.Unsqueeze(-2).adaptiveMax("adaptive_max_pool1d", 1, l)
	return values.SqueezeAxis(-2), indices.SqueezeAxis(-2)
}

// AdaptiveMaxPool2D returns the largest elements of h × w windows that cover the last two axes of x [N, C, H, W] or [C, H, W]
// evenly, and where they lie in their plane, as row·W + column.
func (x *Tensor) AdaptiveMaxPool2D(h, w int) (values, indices *Tensor) {
	return x.adaptiveMax("adaptive_max_pool2d", h, w)
}

// AdaptiveMaxPool3D returns the largest elements of d × h × w windows that cover the last three axes of x [N, C, D, H, W] or
// [C, D, H, W] evenly, and where they lie in their volume, as (plane·H + row)·W + column.
func (x *Tensor) AdaptiveMaxPool3D(d, h, w int) (values, indices *Tensor) {
	return x.adaptiveMax("adaptive_max_pool3d", d, h, w)
}

func (x *Tensor) adaptiveMax(name string, sizes ...int) (values, indices *Tensor) {
	if a := autocastOf(x, nil); a != nil {
		x = a.one(name, x)
	}
	shape := x.adaptiveShape(name, "(): ", ": ", sizes)
	if len(sizes) == 3 {
		return x.largestOfVolumes(op.AdaptiveMaxPool2D, new(window), shape)
	}
	return x.largest(op.AdaptiveMaxPool2D, op.Window{}, shape)
}

// checkLine panics unless x has the axes of a pool over one.
func (x *Tensor) checkLine(name string) {
	if rank := x.layout.Rank(); rank != 2 && rank != 3 {
		fail(name, ErrShape, fmt.Sprintf("Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking arguments for %s)", rank, name), x)
	}
}

// adaptiveShape is pooledShape for windows of which only the number is given. Texts about sizes follow the name and afterName, those
// about x's shape afterGot.
func (x *Tensor) adaptiveShape(name, afterName, afterGot string, sizes []int) Shape {
	shape, axes := x.layout.Shape(), len(sizes)
	for _, n := range sizes {
		if n < 0 {
			fail(name, ErrValue, fmt.Sprintf("%s%selements of output_size must be greater than or equal to 0 but received {%s}",
				name, afterName, Shape(sizes).List()[1:len(Shape(sizes).List())-1]), x)
		}
	}
	rank := len(shape)
	if rank != axes+1 && rank != axes+2 {
		fail(name, ErrShape, fmt.Sprintf("%s(): Expected %dD or %dD tensor, but got%s%s", name, axes+1, axes+2, afterGot, shape.List()), x)
	}
	for i := rank - axes; i < rank; i++ {
		if shape[i] == 0 {
			fail(name, ErrShape, fmt.Sprintf("%s(): Expected input to have non-zero size for non-batch dimensions, "+
				"but input has sizes %s with dimension %d being empty", name, shape.List(), i), x)
		}
	}
	kernel := strings.Replace(name, "1d", "2d", 1)
	if axes == 3 {
		kernel += "_cpu"
	}
	refuseIntegers(name, kernel, x)
	return checkSizes(name, append(append(Shape{}, shape[:rank-axes]...), sizes...))
}
