package nn

import (
	"fmt"
	"slices"

	"cresset/internal/op"
	"cresset/tensor"
)

// Conv2D slides kernels over the last two axes of x [N, C, H, W] or [C, H, W].
type Conv2D struct {
	Weight                    *tensor.Tensor // [out, in/groups, height, width]
	Bias                      *tensor.Tensor // [out]; nil with Bias(false)
	Stride, Padding, Dilation [2]int         // of height and width
	Groups                    int
}

// NewConv2D returns a layer from in to out channels with square kernels, drawn as PyTorch draws it. It takes KernelWidth,
// Stride, Padding, Dilation, Groups, Bias, On and As.
func NewConv2D(in, out, kernel int, opts ...Conv2DOption) *Conv2D {
	o := read(opts)
	w := o.window
	k := w.kernel(kernel)
	c := &Conv2D{Stride: w.strideOr([2]int{1, 1}), Padding: w.padding, Dilation: w.dilation, Groups: w.groups}
	c.Weight, c.Bias = o.kernels(in, out, k[0], k[1])
	return c
}

// Forward returns the cross-correlation of x with the kernels, plus the bias.
func (c *Conv2D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return inner.Conv2D(x, c.Weight, c.Bias, c.window())
}

func (c *Conv2D) window() op.Window {
	return op.Window{Stride: c.Stride, Padding: c.Padding, Dilation: c.Dilation, Groups: c.Groups}
}

// String prints the layer as PyTorch does.
func (c *Conv2D) String() string {
	return printConv("Conv2d", c.Weight, c.Bias, c.Stride[:], c.Padding[:], c.Dilation[:], c.Groups)
}

// Conv1D slides kernels over the last axis of x [N, C, L] or [C, L].
type Conv1D struct {
	Weight                            *tensor.Tensor // [out, in/groups, length]
	Bias                              *tensor.Tensor // [out]; nil with Bias(false)
	Stride, Padding, Dilation, Groups int
}

// NewConv1D returns a layer from in to out channels, drawn as PyTorch draws it. It takes Stride, Padding, Dilation, Groups,
// Bias, On and As.
func NewConv1D(in, out, kernel int, opts ...Conv1DOption) *Conv1D {
	o := read(opts)
	w := o.window
	c := &Conv1D{Stride: single("stride", w.strideOr([2]int{1, 1})), Padding: single("padding", w.padding),
		Dilation: single("dilation", w.dilation), Groups: w.groups}
	c.Weight, c.Bias = o.kernels(in, out, kernel)
	return c
}

// Forward returns the cross-correlation of x with the kernels, plus the bias.
func (c *Conv1D) Forward(x *tensor.Tensor) *tensor.Tensor {
	return x.Conv1D(c.Weight, c.Bias, tensor.Stride(c.Stride), tensor.Padding(c.Padding), tensor.Dilation(c.Dilation), tensor.Groups(c.Groups))
}

// String prints the layer as PyTorch does.
func (c *Conv1D) String() string {
	return printConv("Conv1d", c.Weight, c.Bias, []int{c.Stride}, []int{c.Padding}, []int{c.Dilation}, c.Groups)
}

// kernels draws the weight and then the bias of a convolution.
func (o *options) kernels(in, out int, extents ...int) (weight, bias *tensor.Tensor) {
	groups := o.window.groups
	switch {
	case in%groups != 0:
		panic(fault("conv", "in_channels must be divisible by groups"))
	case out%groups != 0:
		panic(fault("conv", "out_channels must be divisible by groups"))
	}
	fanIn := in / groups
	for _, n := range extents {
		fanIn *= n
	}
	weight = tensor.Parameter(kaimingUniform(o.place.Empty(append([]int{out, in / groups}, extents...)...)))
	if o.bias {
		bias = tensor.Parameter(biasUniform(o.place.Empty(out), fanIn))
	}
	return weight, bias
}

// printConv prints a convolution; what has its default is left out.
func printConv(name string, weight, bias *tensor.Tensor, stride, padding, dilation []int, groups int) string {
	shape := weight.Shape()
	s := fmt.Sprintf("%s(%d, %d, kernel_size=%s, stride=%s", name, shape[1]*groups, shape[0], tuple(shape[2:]...), tuple(stride...))
	if slices.Max(padding) > 0 {
		s += ", padding=" + tuple(padding...)
	}
	if slices.Max(dilation) > 1 {
		s += ", dilation=" + tuple(dilation...)
	}
	if groups != 1 {
		s += fmt.Sprintf(", groups=%d", groups)
	}
	if bias == nil {
		s += ", bias=False"
	}
	return s + ")"
}
