package nn

import (
	"fmt"

	"cresset/internal/op"
	"cresset/tensor"
)

// MaxPool2D takes the largest element of windows over the last two axes.
type MaxPool2D struct {
	Kernel, Stride, Padding, Dilation [2]int // of height and width
}

// NewMaxPool2D returns the layer for square windows. It takes KernelWidth, Stride, Padding and Dilation; the stride is the
// kernel's extent unless given.
func NewMaxPool2D(kernel int, opts ...MaxPool2DOption) *MaxPool2D {
	w := read(opts).window
	k := w.kernel(kernel)
	return &MaxPool2D{k, w.strideOr(k), w.padding, w.dilation}
}

// Forward returns the largest elements.
func (p *MaxPool2D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return inner.MaxPool2D(x, op.Window{Kernel: p.Kernel, Stride: p.Stride, Padding: p.Padding, Dilation: p.Dilation})
}

// String prints the layer as PyTorch does.
func (p *MaxPool2D) String() string {
	return fmt.Sprintf("MaxPool2d(kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=False)",
		square(p.Kernel), square(p.Stride), square(p.Padding), square(p.Dilation))
}

// AvgPool2D takes the mean of windows over the last two axes.
type AvgPool2D struct {
	Kernel, Stride, Padding [2]int // of height and width
	CountIncludePad         bool   // the zeros of the padding count
}

// NewAvgPool2D returns the layer for square windows. It takes KernelWidth, Stride, Padding and CountIncludePad; the stride is
// the kernel's extent unless given.
func NewAvgPool2D(kernel int, opts ...AvgPool2DOption) *AvgPool2D {
	w := read(opts).window
	k := w.kernel(kernel)
	return &AvgPool2D{k, w.strideOr(k), w.padding, w.countPadding}
}

// Forward returns the means.
func (p *AvgPool2D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return inner.AvgPool2D(x, op.Window{Kernel: p.Kernel, Stride: p.Stride, Padding: p.Padding, Dilation: [2]int{1, 1}, CountPadding: p.CountIncludePad})
}

// String prints the layer as PyTorch does.
func (p *AvgPool2D) String() string {
	return fmt.Sprintf("AvgPool2d(kernel_size=%s, stride=%s, padding=%s)", square(p.Kernel), square(p.Stride), square(p.Padding))
}

// AdaptiveAvgPool2D takes the means of Height × Width windows that cover the last two axes evenly.
type AdaptiveAvgPool2D struct{ Height, Width int }

// NewAdaptiveAvgPool2D returns the layer.
func NewAdaptiveAvgPool2D(height, width int) *AdaptiveAvgPool2D {
	return &AdaptiveAvgPool2D{height, width}
}

// Forward returns the means.
func (p *AdaptiveAvgPool2D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.AdaptiveAvgPool2D(p.Height, p.Width)
}

// String prints the layer as PyTorch does.
func (p *AdaptiveAvgPool2D) String() string {
	return fmt.Sprintf("AdaptiveAvgPool2d(output_size=%s)", tuple(p.Height, p.Width))
}
