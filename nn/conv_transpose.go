package nn

import (
	"fmt"
	"slices"

	"cresset/tensor"
)

// ConvTranspose is what ConvTranspose1D, ConvTranspose2D and ConvTranspose3D share: the gradient of a convolution as a layer, by
// which a few positions become many.
type ConvTranspose struct {
	Weight                                   *tensor.Tensor // [in, out/groups, …]
	Bias                                     *tensor.Tensor // [out]; nil with Bias(false)
	Stride, Padding, Dilation, OutputPadding []int          // for each axis
	Groups                                   int
}

// ConvTranspose1D is a transposed convolution over the last axis of x [N, C, L] or [C, L].
type ConvTranspose1D struct{ ConvTranspose }

// ConvTranspose2D is a transposed convolution over the last two axes of x [N, C, H, W] or [C, H, W].
type ConvTranspose2D struct{ ConvTranspose }

// ConvTranspose3D is a transposed convolution over the last three axes of x [N, C, D, H, W] or [C, D, H, W].
type ConvTranspose3D struct{ ConvTranspose }

// NewConvTranspose1D returns a layer from in to out channels, drawn as PyTorch draws it. It takes Stride, Padding, OutputPadding,
// Dilation, Groups, Bias, On and As.
func NewConvTranspose1D(in, out, kernel int, opts ...ConvTransposeOption) *ConvTranspose1D {
	return &ConvTranspose1D{newConvTranspose(1, in, out, kernel, opts)}
}

// NewConvTranspose2D is NewConvTranspose1D over two axes, with a square kernel. It takes KernelSize and KernelWidth too.
func NewConvTranspose2D(in, out, kernel int, opts ...ConvTransposeOption) *ConvTranspose2D {
	return &ConvTranspose2D{newConvTranspose(2, in, out, kernel, opts)}
}

// NewConvTranspose3D is NewConvTranspose2D over three axes.
func NewConvTranspose3D(in, out, kernel int, opts ...ConvTransposeOption) *ConvTranspose3D {
	return &ConvTranspose3D{newConvTranspose(3, in, out, kernel, opts)}
}

func newConvTranspose(axes, in, out, kernel int, opts []ConvTransposeOption) ConvTranspose {
	o := read(opts)
	w := &o.window
	w.checkGroups(in, out)
	c := ConvTranspose{Stride: each(axes, "stride", w.stride, 1), Padding: each(axes, "padding", w.padding, 0),
		Dilation: each(axes, "dilation", w.dilation, 1), OutputPadding: each(axes, "output_padding", w.outputPadding, 0), Groups: w.groups}
	c.Weight, c.Bias = o.kernels(in, out/w.groups, out, w.extents(axes, kernel))
	return c
}

// Forward returns the transposed convolution of x, plus the bias.
func (c *ConvTranspose) Forward(x *tensor.Tensor) *tensor.Tensor {
	return c.forward(x, c.OutputPadding)
}

// ForwardTo is Forward with as much output padding as gives the result that size along each axis, PyTorch's output_size. It panics
// where the size lies out of reach.
func (c *ConvTranspose) ForwardTo(x *tensor.Tensor, size ...int) *tensor.Tensor {
	axes := len(c.Stride)
	size = each(axes, "output_size", size, 0)
	from := x.Shape()[x.Dim()-axes:]
	low, high, padding := make([]int, axes), make([]int, axes), make([]int, axes)
	fits := true
	for i := range axes {
		low[i] = (from[i]-1)*c.Stride[i] - 2*c.Padding[i] + c.Dilation[i]*(c.Weight.Size(2+i)-1) + 1
		high[i] = low[i] + c.Stride[i] - 1
		padding[i] = size[i] - low[i]
		fits = fits && size[i] >= low[i] && size[i] <= high[i]
	}
	if !fits {
		panic(fault("conv_transpose", fmt.Sprintf("requested an output size of %s, but valid sizes range from %s to %s (for an input of %s)",
			tensor.Shape(size).List(), tensor.Shape(low).List(), tensor.Shape(high).List(), from)))
	}
	return c.forward(x, padding)
}

func (c *ConvTranspose) forward(x *tensor.Tensor, outputPadding []int) *tensor.Tensor {
	opts := []tensor.ConvTransposeOption{tensor.Stride(c.Stride...), tensor.Padding(c.Padding...), tensor.OutputPadding(outputPadding...),
		tensor.Dilation(c.Dilation...), tensor.Groups(c.Groups)}
	switch len(c.Stride) {
	case 1:
		return x.ConvTranspose1D(c.Weight, c.Bias, opts...)
	case 2:
		return x.ConvTranspose2D(c.Weight, c.Bias, opts...)
	}
	return x.ConvTranspose3D(c.Weight, c.Bias, opts...)
}

// String prints the layer as PyTorch does.
func (c *ConvTranspose) String() string {
	shape := c.Weight.Shape()
	s := fmt.Sprintf("ConvTranspose%dd(%d, %d", len(c.Stride), shape[0], shape[1]*c.Groups) + printWindow(shape[2:], c.Stride)
	if slices.Max(c.Padding) > 0 {
		s += ", padding=" + tuple(c.Padding...)
	}
	return s + printConv(c.Dilation, c.OutputPadding, c.Groups, c.Bias, ZerosPadding)
}
