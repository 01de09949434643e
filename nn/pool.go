package nn

import (
	"fmt"

	"cresset/tensor"
)

// MaxPool is what MaxPool1D, MaxPool2D and MaxPool3D share: the largest element of windows over the last axes of x, [N, C, …] or [C, …].
type MaxPool struct {
	Kernel, Stride, Padding, Dilation []int // for each axis
	CeilMode                          bool
}

// MaxPool1D takes the largest element of windows over the last axis of x [N, C, L] or [C, L].
type MaxPool1D struct{ MaxPool }

// MaxPool2D takes the largest element of windows over the last two axes of x [N, C, H, W] or [C, H, W].
type MaxPool2D struct{ MaxPool }

// MaxPool3D takes the largest element of windows over the last three axes of x [N, C, D, H, W] or [C, D, H, W].
type MaxPool3D struct{ MaxPool }

// NewMaxPool1D returns the layer. It takes Stride, Padding, Dilation and CeilMode; the stride is the kernel's extent unless given.
func NewMaxPool1D(kernel int, opts ...MaxPoolOption) *MaxPool1D {
	return &MaxPool1D{newMaxPool(1, kernel, opts)}
}

// NewMaxPool2D returns the layer for square windows. It takes KernelSize, KernelWidth, Stride, Padding, Dilation and CeilMode; the
// stride is the kernel's extent unless given.
func NewMaxPool2D(kernel int, opts ...MaxPoolOption) *MaxPool2D {
	return &MaxPool2D{newMaxPool(2, kernel, opts)}
}

// NewMaxPool3D is NewMaxPool2D over three axes.
func NewMaxPool3D(kernel int, opts ...MaxPoolOption) *MaxPool3D {
	return &MaxPool3D{newMaxPool(3, kernel, opts)}
}

func newMaxPool(axes, kernel int, opts []MaxPoolOption) MaxPool {
	w := read(opts).window
	k := w.extents(axes, kernel)
	return MaxPool{k, w.strides(k), each(axes, "padding", w.padding, 0), each(axes, "dilation", w.dilation, 1), w.ceil}
}

func (p *MaxPool) options() []tensor.MaxPool2DOption {
	return []tensor.MaxPool2DOption{tensor.KernelSize(p.Kernel...), tensor.Stride(p.Stride...), tensor.Padding(p.Padding...),
		tensor.Dilation(p.Dilation...), tensor.CeilMode(p.CeilMode)}
}

// Forward returns the largest elements.
func (p *MaxPool) Forward(x *tensor.Tensor) *tensor.Tensor {
	pool := [...]func(*tensor.Tensor, int, ...tensor.MaxPool2DOption) *tensor.Tensor{
		(*tensor.Tensor).MaxPool1D, (*tensor.Tensor).MaxPool2D, (*tensor.Tensor).MaxPool3D}
	return pool[len(p.Kernel)-1](x, p.Kernel[0], p.options()...)
}

// ForwardWithIndices returns the largest elements and where they lie, PyTorch's return_indices=True, which MaxUnpool takes.
func (p *MaxPool) ForwardWithIndices(x *tensor.Tensor) (values, indices *tensor.Tensor) {
	pool := [...]func(*tensor.Tensor, int, ...tensor.MaxPool2DOption) (values, indices *tensor.Tensor){
		(*tensor.Tensor).MaxPool1DWithIndices, (*tensor.Tensor).MaxPool2DWithIndices, (*tensor.Tensor).MaxPool3DWithIndices}
	return pool[len(p.Kernel)-1](x, p.Kernel[0], p.options()...)
}

// String prints the layer as PyTorch does.
func (p *MaxPool) String() string {
	return fmt.Sprintf("MaxPool%dd(kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s)", len(p.Kernel),
		figure(p.Kernel), figure(p.Stride), figure(p.Padding), figure(p.Dilation), truth(p.CeilMode))
}

// AvgPool is what AvgPool1D, AvgPool2D and AvgPool3D share: the mean of windows over the last axes of x, [N, C, …] or [C, …].
type AvgPool struct {
	Kernel, Stride, Padding []int // for each axis
	CeilMode                bool
	CountIncludePad         bool // the zeros of the padding count
	DivisorOverride         int  // what sums are divided by; 0 for the number of elements
}

// AvgPool1D takes the mean of windows over the last axis of x [N, C, L] or [C, L].
type AvgPool1D struct{ AvgPool }

// AvgPool2D takes the mean of windows over the last two axes of x [N, C, H, W] or [C, H, W].
type AvgPool2D struct{ AvgPool }

// AvgPool3D takes the mean of windows over the last three axes of x [N, C, D, H, W] or [C, D, H, W].
type AvgPool3D struct{ AvgPool }

// NewAvgPool1D returns the layer. It takes Stride, Padding, CeilMode and CountIncludePad; the stride is the kernel's extent unless
// given.
func NewAvgPool1D(kernel int, opts ...AvgPoolOption) *AvgPool1D {
	return &AvgPool1D{newAvgPool(1, kernel, opts)}
}

// NewAvgPool2D returns the layer for square windows. It takes KernelSize, KernelWidth, Stride, Padding, CeilMode, CountIncludePad and
// DivisorOverride; the stride is the kernel's extent unless given.
func NewAvgPool2D(kernel int, opts ...AvgPoolOption) *AvgPool2D {
	return &AvgPool2D{newAvgPool(2, kernel, opts)}
}

// NewAvgPool3D is NewAvgPool2D over three axes.
func NewAvgPool3D(kernel int, opts ...AvgPoolOption) *AvgPool3D {
	return &AvgPool3D{newAvgPool(3, kernel, opts)}
}

func newAvgPool(axes, kernel int, opts []AvgPoolOption) AvgPool {
	w := read(opts).window
	k := w.extents(axes, kernel)
	return AvgPool{k, w.strides(k), each(axes, "padding", w.padding, 0), w.ceil, w.countPadding, w.divisor}
}

// Forward returns the means.
func (p *AvgPool) Forward(x *tensor.Tensor) *tensor.Tensor {
	opts := []tensor.AvgPool2DOption{tensor.KernelSize(p.Kernel...), tensor.Stride(p.Stride...), tensor.Padding(p.Padding...),
		tensor.CeilMode(p.CeilMode), tensor.CountIncludePad(p.CountIncludePad)}
	if p.DivisorOverride != 0 {
		opts = append(opts, tensor.DivisorOverride(p.DivisorOverride))
	}
	pool := [...]func(*tensor.Tensor, int, ...tensor.AvgPool2DOption) *tensor.Tensor{
		(*tensor.Tensor).AvgPool1D, (*tensor.Tensor).AvgPool2D, (*tensor.Tensor).AvgPool3D}
	return pool[len(p.Kernel)-1](x, p.Kernel[0], opts...)
}

// String prints the layer as PyTorch does.
func (p *AvgPool) String() string {
	write := figure
	if len(p.Kernel) == 1 {
		write = func(n []int) string { return tuple(n...) }
	}
	return fmt.Sprintf("AvgPool%dd(kernel_size=%s, stride=%s, padding=%s)", len(p.Kernel), write(p.Kernel), write(p.Stride), write(p.Padding))
}

// LPPool is what LPPool1D, LPPool2D and LPPool3D share: (Σ xᵖ)^(1/p) of windows over the last axes of x, [N, C, …] or [C, …].
type LPPool struct {
	Power          float64
	Kernel, Stride []int // for each axis
	CeilMode       bool
}

// LPPool1D takes (Σ xᵖ)^(1/p) of windows over the last axis of x [N, C, L] or [C, L].
type LPPool1D struct{ LPPool }

// LPPool2D takes (Σ xᵖ)^(1/p) of windows over the last two axes of x [N, C, H, W] or [C, H, W].
type LPPool2D struct{ LPPool }

// LPPool3D takes (Σ xᵖ)^(1/p) of windows over the last three axes of x [N, C, D, H, W] or [C, D, H, W].
type LPPool3D struct{ LPPool }

// NewLPPool1D returns the layer. It takes Stride and CeilMode; the stride is the kernel's extent unless given.
func NewLPPool1D(p float64, kernel int, opts ...LPPoolOption) *LPPool1D {
	return &LPPool1D{newLPPool(1, p, kernel, opts)}
}

// NewLPPool2D returns the layer for square windows. It takes KernelSize, KernelWidth, Stride and CeilMode; the stride is the kernel's
// extent unless given.
func NewLPPool2D(p float64, kernel int, opts ...LPPoolOption) *LPPool2D {
	return &LPPool2D{newLPPool(2, p, kernel, opts)}
}

// NewLPPool3D is NewLPPool2D over three axes.
func NewLPPool3D(p float64, kernel int, opts ...LPPoolOption) *LPPool3D {
	return &LPPool3D{newLPPool(3, p, kernel, opts)}
}

func newLPPool(axes int, p float64, kernel int, opts []LPPoolOption) LPPool {
	w := read(opts).window
	k := w.extents(axes, kernel)
	return LPPool{p, k, w.strides(k), w.ceil}
}

// Forward returns the norms.
func (p *LPPool) Forward(x *tensor.Tensor) *tensor.Tensor {
	pool := [...]func(*tensor.Tensor, float64, int, ...tensor.Pool2DOption) *tensor.Tensor{
		(*tensor.Tensor).LPPool1D, (*tensor.Tensor).LPPool2D, (*tensor.Tensor).LPPool3D}
	return pool[len(p.Kernel)-1](x, p.Power, p.Kernel[0], tensor.KernelSize(p.Kernel...), tensor.Stride(p.Stride...), tensor.CeilMode(p.CeilMode))
}

// String prints the layer as PyTorch does.
func (p *LPPool) String() string {
	return fmt.Sprintf("LPPool%dd(norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s)", len(p.Kernel),
		number(p.Power), figure(p.Kernel), figure(p.Stride), truth(p.CeilMode))
}
