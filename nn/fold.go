package nn

import (
	"fmt"
	"slices"

	"cresset/tensor"
)

// Unfold returns the windows of images [N, C, H, W] or [C, H, W] as columns.
type Unfold struct{ Kernel, Dilation, Padding, Stride []int } // one number for both axes, or one for each

// Fold adds columns up to images, of height and width Size, where Unfold finds them.
type Fold struct {
	Size []int // one number for both axes, or one for each
	Unfold
}

// UnfoldOption is an option of NewUnfold and NewFold.
type UnfoldOption interface {
	setter
	unfold()
}

// NewUnfold returns the layer for square windows, which move by 1 unless told otherwise. It takes KernelSize, Stride, Padding and Dilation.
func NewUnfold(kernel int, opts ...UnfoldOption) *Unfold {
	u := newUnfold(kernel, opts)
	return &u
}

// NewFold returns the layer to images of a height and a width, or one number for both. It takes KernelSize, Stride, Padding and Dilation.
func NewFold(size []int, kernel int, opts ...UnfoldOption) *Fold {
	each(2, "output_size", size, 0)
	return &Fold{slices.Clone(size), newUnfold(kernel, opts)}
}

func newUnfold(kernel int, opts []UnfoldOption) Unfold {
	w := read(opts).window
	or := func(n []int, usual int) []int {
		if n == nil {
			return []int{usual}
		}
		return n
	}
	return Unfold{or(w.kernel, kernel), or(w.dilation, 1), or(w.padding, 0), or(w.stride, 1)}
}

func (u *Unfold) options() []tensor.UnfoldOption {
	return []tensor.UnfoldOption{tensor.KernelSize(u.Kernel...), tensor.Dilation(u.Dilation...), tensor.Padding(u.Padding...), tensor.Stride(u.Stride...)}
}

// Forward returns [N, C·kernel·kernel, number of windows].
func (u *Unfold) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Unfold2D(1, u.options()...) }

// Forward returns [N, C, height, width].
func (f *Fold) Forward(x *tensor.Tensor) *tensor.Tensor {
	size := each(2, "output_size", f.Size, 0)
	return x.Fold2D(size[0], size[1], 1, f.options()...)
}

// String prints the layer as PyTorch does.
func (u *Unfold) String() string { return "Unfold(" + u.figures() + ")" }

// String prints the layer as PyTorch does.
func (f *Fold) String() string {
	return fmt.Sprintf("Fold(output_size=%s, %s)", given(f.Size), f.figures())
}

func (u *Unfold) figures() string {
	return fmt.Sprintf("kernel_size=%s, dilation=%s, padding=%s, stride=%s", given(u.Kernel), given(u.Dilation), given(u.Padding), given(u.Stride))
}
