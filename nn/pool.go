package nn

import (
	"fmt"

	"cresset/tensor"
)

// MaxPool2D takes the largest element of windows over the last two axes.
type MaxPool2D struct{ Options tensor.PoolOptions }

// NewMaxPool2D returns the layer for square windows. It takes KernelWidth, Stride, Padding and Dilation; the stride is the
// kernel's extent unless given.
func NewMaxPool2D(kernel int, opts ...MaxPool2DOption) *MaxPool2D {
	return &MaxPool2D{poolOptions(kernel, read(opts))}
}

// Forward returns the largest elements.
func (p *MaxPool2D) Forward(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool2D(p.Options) }

// String prints the layer as PyTorch does.
func (p *MaxPool2D) String() string {
	o := p.Options
	return fmt.Sprintf("MaxPool2d(kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=False)",
		square(o.Kernel), square(o.Stride), square(o.Padding), square(orOnes(o.Dilation)))
}

// AvgPool2D takes the mean of windows over the last two axes.
type AvgPool2D struct{ Options tensor.PoolOptions }

// NewAvgPool2D returns the layer for square windows. It takes KernelWidth, Stride, Padding and CountIncludePad; the stride is
// the kernel's extent unless given.
func NewAvgPool2D(kernel int, opts ...AvgPool2DOption) *AvgPool2D {
	return &AvgPool2D{poolOptions(kernel, read(opts))}
}

// Forward returns the means.
func (p *AvgPool2D) Forward(x *tensor.Tensor) *tensor.Tensor { return x.AvgPool2D(p.Options) }

// String prints the layer as PyTorch does.
func (p *AvgPool2D) String() string {
	o := p.Options
	return fmt.Sprintf("AvgPool2d(kernel_size=%s, stride=%s, padding=%s)", square(o.Kernel), square(o.Stride), square(o.Padding))
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

func poolOptions(kernel int, given options) tensor.PoolOptions {
	w := given.window
	o := tensor.PoolOptions{Kernel: w.kernel(kernel), Stride: w.stride, Padding: w.padding, Dilation: w.dilation, ExcludePadding: !w.countPadding}
	if o.Stride == [2]int{} {
		o.Stride = o.Kernel
	}
	return o
}
