package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// pooledShape returns the shape that a pool makes of x's and panics where its windows do not fit.
func (x *Tensor) pooledShape(o op.Op, p op.Window) Shape {
	name, shape := o.String(), x.layout.Shape()
	refuse := func(format string, a ...any) { fail(name, ErrShape, fmt.Sprintf(format, a...), x) }
	checkSteps(name, p)
	if p.Kernel[0] < 1 || p.Kernel[1] < 1 {
		refuse("kernel size should be greater than zero, but got kH: %d kW: %d", p.Kernel[0], p.Kernel[1])
	}
	if p.Stride[0] < 1 || p.Stride[1] < 1 {
		refuse("stride should be greater than zero, but got dH: %d dW: %d", p.Stride[0], p.Stride[1])
	}
	if p.Dilation[0] < 1 || p.Dilation[1] < 1 {
		refuse("dilation should be greater than zero, but got dilationH: %d dilationW: %d", p.Dilation[0], p.Dilation[1])
	}
	rank := len(shape)
	if rank != 3 && rank != 4 {
		refuse("non-empty 3D or 4D (batch mode) tensor expected for input")
	}
	for i, d := range shape {
		if d == 0 && (i > 0 || rank == 3) {
			refuse("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:%s", shape.List())
		}
	}
	refuseIntegers(name, name, x)
	var size [2]int
	for i := range size {
		reach := (p.Kernel[i]-1)*p.Dilation[i] + 1
		if p.Padding[i] < 0 {
			refuse("pad must be non-negative, but got pad: %d", p.Padding[i])
		}
		if p.Padding[i] > reach/2 {
			refuse("pad should be at most half of effective kernel size, but got pad=%d, kernel_size=%d and dilation=%d",
				p.Padding[i], p.Kernel[i], p.Dilation[i])
		}
		size[i] = floorDiv(shape[rank-2+i]+2*p.Padding[i]-reach, p.Stride[i]) + 1
	}
	if p.Padding[0] > p.Kernel[0]/2 || p.Padding[1] > p.Kernel[1]/2 {
		refuse("pad should be smaller than or equal to half of kernel size, but got padW = %d, padH = %d, kW = %d, kH = %d",
			p.Padding[1], p.Padding[0], p.Kernel[1], p.Kernel[0])
	}
	if size[0] < 1 || size[1] < 1 {
		planes := shape[rank-3]
		refuse("Given input size: (%dx%dx%d). Calculated output size: (%dx%dx%d). Output size is too small",
			planes, shape[rank-2], shape[rank-1], planes, size[0], size[1])
	}
	return checkSizes(name, append(append(Shape{}, shape[:rank-2]...), size[:]...))
}

// adaptiveShape is pooledShape for windows of which only the number is given.
func (x *Tensor) adaptiveShape(h, w int) Shape {
	name, shape := op.AdaptiveAvgPool2D.String(), x.layout.Shape()
	if h < 0 || w < 0 {
		fail(name, ErrValue, fmt.Sprintf("adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {%d, %d}", h, w), x)
	}
	rank := len(shape)
	if rank != 3 && rank != 4 {
		fail(name, ErrShape, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got "+shape.List(), x)
	}
	for i := rank - 2; i < rank; i++ {
		if shape[i] == 0 {
			fail(name, ErrShape, fmt.Sprintf("adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, "+
				"but input has sizes %s with dimension %d being empty", shape.List(), i), x)
		}
	}
	refuseIntegers(name, "adaptive_avg_pool2d_cpu", x)
	return checkSizes(name, append(append(Shape{}, shape[:rank-2]...), h, w))
}

// floorDiv returns a / b rounded down; b is positive.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
