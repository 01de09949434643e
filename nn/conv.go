package nn

import (
	"fmt"
	"slices"

	"cresset/internal/op"
	"cresset/tensor"
)

// Conv is what Conv1D, Conv2D and Conv3D share: it slides kernels over the last axes of its input, [N, C, …] or [C, …].
type Conv struct {
	Weight                    *tensor.Tensor // [out, in/groups, …]
	Bias                      *tensor.Tensor // [out]; nil with Bias(false)
	Stride, Padding, Dilation []int          // for each axis
	Groups                    int
	Same                      bool // Padding follows from the kernel
	PaddingMode               PaddingMode
	Fast                      bool // see FastConv
}

// Conv1D slides kernels over the last axis of x [N, C, L] or [C, L].
type Conv1D struct{ Conv }

// Conv2D slides kernels over the last two axes of x [N, C, H, W] or [C, H, W].
type Conv2D struct{ Conv }

// Conv3D slides kernels over the last three axes of x [N, C, D, H, W] or [C, D, H, W].
type Conv3D struct{ Conv }

// NewConv1D returns a layer from in to out channels, drawn as PyTorch draws it. It takes Stride, Padding, SamePadding, a PaddingMode,
// Dilation, Groups, Bias, On and As.
func NewConv1D(in, out, kernel int, opts ...ConvOption) *Conv1D {
	return &Conv1D{newConv(1, in, out, kernel, opts)}
}

// NewConv2D returns a layer from in to out channels with square kernels, drawn as PyTorch draws it. It takes KernelSize, KernelWidth,
// Stride, Padding, SamePadding, a PaddingMode, Dilation, Groups, FastConv, Bias, On and As.
func NewConv2D(in, out, kernel int, opts ...ConvOption) *Conv2D {
	return &Conv2D{newConv(2, in, out, kernel, opts)}
}

// NewConv3D is NewConv2D over three axes.
func NewConv3D(in, out, kernel int, opts ...ConvOption) *Conv3D {
	return &Conv3D{newConv(3, in, out, kernel, opts)}
}

func newConv(axes, in, out, kernel int, opts []ConvOption) Conv {
	o := read(opts)
	w := &o.window
	w.checkGroups(in, out)
	c := Conv{Stride: each(axes, "stride", w.stride, 1), Padding: each(axes, "padding", w.padding, 0),
		Dilation: each(axes, "dilation", w.dilation, 1), Groups: w.groups, Same: w.same, PaddingMode: w.mode, Fast: w.fast}
	if c.Same && slices.Max(c.Stride) > 1 {
		panic(fault("conv", "padding='same' is not supported for strided convolutions"))
	}
	c.Weight, c.Bias = o.kernels(out, in/w.groups, out, w.extents(axes, kernel))
	return c
}

func (w *windowOptions) checkGroups(in, out int) {
	switch {
	case in%w.groups != 0:
		panic(fault("conv", "in_channels must be divisible by groups"))
	case out%w.groups != 0:
		panic(fault("conv", "out_channels must be divisible by groups"))
	}
}

// kernels draws a weight [first, second, …] and then a bias.
func (o *options) kernels(first, second, out int, extents []int) (weight, bias *tensor.Tensor) {
	weight = tensor.Parameter(kaimingUniform(o.place.Empty(append([]int{first, second}, extents...)...)))
	if o.bias {
		fanIn := second
		for _, n := range extents {
			fanIn *= n
		}
		bias = tensor.Parameter(biasUniform(o.place.Empty(out), fanIn))
	}
	return weight, bias
}

// Forward returns the cross-correlation of x with the kernels, plus the bias.
func (c *Conv) Forward(x *tensor.Tensor) *tensor.Tensor {
	opts := []tensor.ConvOption{tensor.Stride(c.Stride...), tensor.Dilation(c.Dilation...), tensor.Groups(c.Groups),
		tensor.FastConv(c.Fast)}
	switch {
	case c.PaddingMode != "" && c.PaddingMode != ZerosPadding:
		x = c.PaddingMode.pad(x, c.pads())
	case c.Same:
		opts = append(opts, tensor.SamePadding())
	default:
		opts = append(opts, tensor.Padding(c.Padding...))
	}
	switch len(c.Stride) {
	case 1:
		return x.Conv1D(c.Weight, c.Bias, opts...)
	case 2:
		return x.Conv2D(c.Weight, c.Bias, opts...)
	}
	return x.Conv3D(c.Weight, c.Bias, opts...)
}

// pads returns how much is added before and after each axis, the last one first.
func (c *Conv) pads() []int {
	var pads []int
	for i := len(c.Stride) - 1; i >= 0; i-- {
		before, after := c.Padding[i], c.Padding[i]
		if c.Same {
			total := c.Dilation[i] * (c.Weight.Size(2+i) - 1)
			before, after = total/2, total-total/2
		}
		pads = append(pads, before, after)
	}
	return pads
}

// window returns what a Conv2D slides by, and whether it pads with zeros in given numbers.
func (c *Conv2D) window() (w op.Window, plain bool) {
	w = op.Window{Stride: [2]int(c.Stride), Padding: [2]int(c.Padding), Dilation: [2]int(c.Dilation), Groups: c.Groups, Fast: c.Fast}
	return w, !c.Same && (c.PaddingMode == "" || c.PaddingMode == ZerosPadding)
}

// String prints the layer as PyTorch does.
func (c *Conv) String() string {
	shape := c.Weight.Shape()
	s := fmt.Sprintf("Conv%dd(%d, %d", len(c.Stride), shape[1]*c.Groups, shape[0]) + printWindow(shape[2:], c.Stride)
	switch {
	case c.Same:
		s += ", padding=same"
	case slices.Max(c.Padding) > 0:
		s += ", padding=" + tuple(c.Padding...)
	}
	return s + printConv(c.Dilation, nil, c.Groups, c.Bias, c.PaddingMode)
}

func printWindow(kernel, stride []int) string {
	return ", kernel_size=" + tuple(kernel...) + ", stride=" + tuple(stride...)
}

// printConv prints the end of a convolution; what has its default is left out.
func printConv(dilation, outputPadding []int, groups int, bias *tensor.Tensor, mode PaddingMode) string {
	s := ""
	if slices.Max(dilation) > 1 {
		s += ", dilation=" + tuple(dilation...)
	}
	if outputPadding != nil && slices.Max(outputPadding) > 0 {
		s += ", output_padding=" + tuple(outputPadding...)
	}
	if groups != 1 {
		s += fmt.Sprintf(", groups=%d", groups)
	}
	if bias == nil {
		s += ", bias=False"
	}
	if mode != "" && mode != ZerosPadding {
		s += ", padding_mode=" + string(mode)
	}
	return s + ")"
}
