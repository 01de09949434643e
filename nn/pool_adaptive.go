package nn

import (
	"fmt"
	"slices"
	"strconv"

	"cresset/tensor"
)

// AdaptivePool is what the adaptive pools share: so many windows cover the last axes of x, [N, C, …] or [C, …], evenly.
type AdaptivePool struct {
	Size []int // one number for all axes, or one for each

	axes int
	kind string
	pool func(x *tensor.Tensor, size []int) (values, indices *tensor.Tensor)
}

// AdaptiveMaxPool is an adaptive pool that takes the largest elements and can tell where they lie.
type AdaptiveMaxPool struct{ AdaptivePool }

func newAdaptivePool(kind string, axes int, size []int, pool func(x *tensor.Tensor, n []int) (values, indices *tensor.Tensor)) AdaptivePool {
	if each(axes, "output_size", size, 0); len(size) == 0 {
		panic(fault("adaptive_pool", "output_size is missing"))
	}
	return AdaptivePool{slices.Clone(size), axes, kind, pool}
}

// NewAdaptiveAvgPool1D returns a layer that takes the means of l windows over the last axis.
func NewAdaptiveAvgPool1D(l int) *AdaptivePool {
	p := newAdaptivePool("Avg", 1, []int{l}, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveAvgPool1D(n[0]), nil
	})
	return &p
}

// NewAdaptiveAvgPool2D returns a layer that takes the means of windows over the last two axes: of size height and width, or one number
// for both.
func NewAdaptiveAvgPool2D(size ...int) *AdaptivePool {
	p := newAdaptivePool("Avg", 2, size, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveAvgPool2D(n[0], n[1]), nil
	})
	return &p
}

// NewAdaptiveAvgPool3D is NewAdaptiveAvgPool2D over three axes.
func NewAdaptiveAvgPool3D(size ...int) *AdaptivePool {
	p := newAdaptivePool("Avg", 3, size, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveAvgPool3D(n[0], n[1], n[2]), nil
	})
	return &p
}

// NewAdaptiveMaxPool1D returns a layer that takes the largest elements of l windows over the last axis.
func NewAdaptiveMaxPool1D(l int) *AdaptiveMaxPool {
	return &AdaptiveMaxPool{newAdaptivePool("Max", 1, []int{l}, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveMaxPool1D(n[0])
	})}
}

// NewAdaptiveMaxPool2D returns a layer that takes the largest elements of windows over the last two axes: of size height and width,
// or one number for both.
func NewAdaptiveMaxPool2D(size ...int) *AdaptiveMaxPool {
	return &AdaptiveMaxPool{newAdaptivePool("Max", 2, size, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveMaxPool2D(n[0], n[1])
	})}
}

// NewAdaptiveMaxPool3D is NewAdaptiveMaxPool2D over three axes.
func NewAdaptiveMaxPool3D(size ...int) *AdaptiveMaxPool {
	return &AdaptiveMaxPool{newAdaptivePool("Max", 3, size, func(x *tensor.Tensor, n []int) (_, _ *tensor.Tensor) {
		return x.AdaptiveMaxPool3D(n[0], n[1], n[2])
	})}
}

// Forward returns the means, or the largest elements.
func (p *AdaptivePool) Forward(x *tensor.Tensor) *tensor.Tensor {
	y, _ := p.pool(x, each(p.axes, "output_size", p.Size, 0))
	return y
}

// ForwardWithIndices returns the largest elements and where they lie, PyTorch's return_indices=True.
func (p *AdaptiveMaxPool) ForwardWithIndices(x *tensor.Tensor) (values, indices *tensor.Tensor) {
	return p.pool(x, each(p.axes, "output_size", p.Size, 0))
}

// String prints the layer as PyTorch does.
func (p *AdaptivePool) String() string {
	size := tuple(p.Size...)
	if len(p.Size) == 1 {
		size = strconv.Itoa(p.Size[0])
	}
	return fmt.Sprintf("Adaptive%sPool%dd(output_size=%s)", p.kind, p.axes, size)
}
