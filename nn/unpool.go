package nn

import (
	"fmt"

	"cresset/tensor"
)

// MaxUnpool puts the elements that a MaxPool has found back to where its indices say, and zeros elsewhere.
type MaxUnpool struct{ Kernel, Stride, Padding []int } // for each axis

// MaxUnpoolOption is an option of NewMaxUnpool1D, NewMaxUnpool2D and NewMaxUnpool3D.
type MaxUnpoolOption interface {
	setter
	maxUnpool()
}

// NewMaxUnpool1D returns the layer for x [N, C, L] or [C, L]. It takes Stride and Padding; the stride is the kernel's extent unless given.
func NewMaxUnpool1D(kernel int, opts ...MaxUnpoolOption) *MaxUnpool {
	return newMaxUnpool(1, kernel, opts)
}

// NewMaxUnpool2D is NewMaxUnpool1D for x [N, C, H, W] or [C, H, W]. It takes KernelSize and KernelWidth too.
func NewMaxUnpool2D(kernel int, opts ...MaxUnpoolOption) *MaxUnpool {
	return newMaxUnpool(2, kernel, opts)
}

// NewMaxUnpool3D is NewMaxUnpool2D for x [N, C, D, H, W] or [C, D, H, W].
func NewMaxUnpool3D(kernel int, opts ...MaxUnpoolOption) *MaxUnpool {
	return newMaxUnpool(3, kernel, opts)
}

func newMaxUnpool(axes, kernel int, opts []MaxUnpoolOption) *MaxUnpool {
	w := read(opts).window
	k := w.extents(axes, kernel)
	return &MaxUnpool{k, w.strides(k), each(axes, "padding", w.padding, 0)}
}

// Forward returns a tensor with the elements of x at indices. Its last extents are size, or follow from the window.
func (p *MaxUnpool) Forward(x, indices *tensor.Tensor, size ...int) *tensor.Tensor {
	opts := []tensor.MaxUnpoolOption{tensor.KernelSize(p.Kernel...), tensor.Stride(p.Stride...), tensor.Padding(p.Padding...)}
	if len(size) > 0 {
		opts = append(opts, tensor.OutputSize(size...))
	}
	unpool := [...]func(x, indices *tensor.Tensor, kernel int, opts ...tensor.MaxUnpoolOption) *tensor.Tensor{
		(*tensor.Tensor).MaxUnpool1D, (*tensor.Tensor).MaxUnpool2D, (*tensor.Tensor).MaxUnpool3D}
	return unpool[len(p.Kernel)-1](x, indices, p.Kernel[0], opts...)
}

// String prints the layer as PyTorch does.
func (p *MaxUnpool) String() string {
	return fmt.Sprintf("MaxUnpool%dd(kernel_size=%s, stride=%s, padding=%s)", len(p.Kernel), tuple(p.Kernel...), tuple(p.Stride...), tuple(p.Padding...))
}
