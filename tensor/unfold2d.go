package tensor

import (
	"fmt"

	"cresset/internal/layout"
)

// UnfoldOption is an option of Unfold2D and Fold2D: KernelSize, Stride, Padding or Dilation.
type UnfoldOption interface {
	slide(*sliding)
	unfold()
}

func (windowOption) unfold() {}

// Unfold2D returns the windows of x [N, C, H, W] or [C, H, W] as columns: [N, C·kernel·kernel, number of windows], PyTorch's F.unfold. It
// takes KernelSize, Stride, 1 unless given, Padding and Dilation.
func (x *Tensor) Unfold2D(kernel int, opts ...UnfoldOption) *Tensor {
	const name = "im2col"
	w := readColumns(name, kernel, opts)
	refuseIntegers(name, "im2col_out_cpu", x)
	switch x.Dim() {
	case 3:
		return x.Unsqueeze(0).unfold2D(name, w).SqueezeAxis(0)
	case 4:
		return x.unfold2D(name, w)
	}
	_, err := layout.Axis(2, x.Dim())
	check(name, ErrIndex, err, x)
	fail(name, ErrShape, fmt.Sprintf("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: %s",
		x.Shape().List()), x)
	return nil
}

// readColumns returns the window over images as the options say, which moves by 1 unless they say otherwise.
func readColumns(name string, kernel int, opts []UnfoldOption) window {
	w := readWindow(name, 2, kernel, append([]UnfoldOption{windowOption(func(s *sliding) { s.stride = []int{1} })}, opts...))
	for _, figure := range []struct {
		name string
		n    [3]int
	}{{"kernel", w.kernel}, {"dilation", w.dilation}, {"stride", w.stride}} {
		if figure.n[1] < 1 || figure.n[2] < 1 {
			fail(name, ErrValue, fmt.Sprintf("%s should be greater than zero, but got %s_height: %d %s_width: %d",
				figure.name, figure.name, figure.n[1], figure.name, figure.n[2]))
		}
	}
	if w.padding[1] < 0 || w.padding[2] < 0 {
		fail(name, ErrValue, fmt.Sprintf("padding should be non-negative, but got pad_height: %d pad_width: %d", w.padding[1], w.padding[2]))
	}
	return w
}

// blocks returns how many windows there are over an image of those extents, in rows and columns.
func (w *window) blocks(height, width int) (n [2]int) {
	for i, extent := range []int{height, width} {
		reach := extent + 2*w.padding[1+i] - w.dilation[1+i]*(w.kernel[1+i]-1) - 1
		n[i] = floorDiv(reach, w.stride[1+i]) + 1
	}
	return n
}

// figures are what texts about columns name.
func (w *window) figures() string {
	return fmt.Sprintf("kernel_size=%s, dilation=%s, padding=%s", pairText(w.kernel), pairText(w.dilation), pairText(w.padding))
}

func pairText(n [3]int) string { return fmt.Sprintf("(%d, %d)", n[1], n[2]) }

func (x *Tensor) unfold2D(name string, w window) *Tensor {
	shape := x.Shape()
	n := w.blocks(shape[2], shape[3])
	if n[0] < 1 || n[1] < 1 {
		fail(name, ErrShape, fmt.Sprintf("Given input with spatial size (%d, %d), %s, calculated shape of the array of sliding blocks as (%d, %d), "+
			"but its components must be at least one.", shape[2], shape[3], w.figures(), n[0], n[1]), x)
	}
	if x.dtype.IsInteger() {
		fail(name, ErrKernel, noKernel("im2col_out_cpu", x.dtype, x), x)
	}
	y := x
	if w.padding[1]+w.padding[2] > 0 {
		y = x.Pad([]int{w.padding[2], w.padding[2], w.padding[1], w.padding[1]}, 0)
	}
	for i := range 2 {
		reach := w.dilation[1+i]*(w.kernel[1+i]-1) + 1
		y = y.Unfold(2+i, reach, w.stride[1+i])
		if w.dilation[1+i] > 1 {
			y = y.Slice(-1, 0, End, w.dilation[1+i])
		}
	}
	return y.Permute(0, 1, 4, 5, 2, 3).Reshape(shape[0], shape[1]*w.kernel[1]*w.kernel[2], n[0]*n[1])
}

// Fold2D adds up the columns of x [N, C·kernel·kernel, windows] or [C·kernel·kernel, windows] where Unfold2D finds them in images of
// that size, height and width: [N, C, height, width], PyTorch's F.fold. It takes KernelSize, Stride, 1 unless given, Padding and
// Dilation.
func (x *Tensor) Fold2D(height, width, kernel int, opts ...UnfoldOption) *Tensor {
	const name = "col2im"
	w := readColumns(name, kernel, opts)
	switch x.Dim() {
	case 2:
		return x.Unsqueeze(0).fold2D(name, height, width, w).SqueezeAxis(0)
	case 3:
		return x.fold2D(name, height, width, w)
	}
	fail(name, ErrShape, fmt.Sprintf("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: %s",
		x.Shape().List()), x)
	return nil
}

func (x *Tensor) fold2D(name string, height, width int, w window) *Tensor {
	shape := x.Shape()
	k := w.kernel[1] * w.kernel[2]
	if shape[1]%k != 0 {
		fail(name, ErrShape, fmt.Sprintf("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=%d and kernel_size=%s.",
			shape[1], pairText(w.kernel)), x)
	}
	n := w.blocks(height, width)
	if shape[2] != n[0]*n[1] || n[0] < 1 || n[1] < 1 {
		fail(name, ErrShape, fmt.Sprintf("Given output_size=(%d, %d), %s, stride=%s, expected size of input's dimension 2 to match the calculated number of sliding blocks "+
			"%d * %d = %d, but got input.size(2)=%d.", height, width, w.figures(), pairText(w.stride), n[0], n[1], n[0]*n[1], shape[2]), x)
	}
	refuseIntegers(name, "col2im_out_cpu", x)
	high, wide := height+2*w.padding[1], width+2*w.padding[2]
	places := make([]int64, 0, k*shape[2])
	for r := range w.kernel[1] {
		for c := range w.kernel[2] {
			for i := range n[0] {
				for j := range n[1] {
					places = append(places, int64((i*w.stride[1]+r*w.dilation[1])*wide+j*w.stride[2]+c*w.dilation[2]))
				}
			}
		}
	}
	images := shape[0] * (shape[1] / k)
	y := x.zeros(Shape{images, high * wide}).IndexAdd(1, x.indices(places), x.Reshape(images, len(places)))
	return y.View(shape[0], shape[1]/k, high, wide).Narrow(2, w.padding[1], height).Narrow(3, w.padding[2], width)
}
