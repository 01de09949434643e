package nn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cresset/tensor"
)

// windowOptions are what convolutions and pools slide by: of each figure none, one number for all axes, or one for each.
type windowOptions struct {
	kernel, stride, padding, dilation, outputPadding []int

	width  int // the last of kernel, where it was given alone
	groups int

	divisor                  int // 0: the number of elements
	same, ceil, countPadding bool
	fast                     bool
	mode                     PaddingMode
}

// KernelSize gives a window an extent of its own for each axis, in place of the one that its layer is made with.
func KernelSize(n ...int) ColumnsOption {
	atLeast("kernel_size", 1, "kernel size should be greater than zero", n...)
	return option(func(o *options) { o.window.kernel = n })
}

// KernelWidth makes a window w wide; its other extents stay.
func KernelWidth(w int) KernelOption {
	atLeast("kernel_size", 1, "kernel size should be greater than zero", w)
	return option(func(o *options) { o.window.width = w })
}

// Stride is how far a window moves at a time, one number for all axes, or one for each. A pool moves by its kernel unless told
// otherwise, a convolution by 1.
func Stride(n ...int) ColumnsOption {
	atLeast("stride", 1, "non-positive stride is not supported", n...)
	return option(func(o *options) { o.window.stride = n })
}

// Padding is how many elements are added on each side, 0 unless given: one number for all axes, or one for each. A transposed
// convolution leaves out as many on each side of its result.
func Padding(n ...int) PaddingOption {
	atLeast("padding", 0, "negative padding is not supported", n...)
	return option(func(o *options) { o.window.padding, o.window.same = n, false })
}

// SamePadding pads so that the result of a convolution has the extents of its input, PyTorch's padding='same'.
func SamePadding() ConvOption { return option(func(o *options) { o.window.same = true }) }

// PaddingMode is what a convolution finds beyond the edges of its input; ZerosPadding unless given.
type PaddingMode string

// The padding modes of convolutions: zeros, the input mirrored at its edge elements, these repeated, and the input's other end.
const (
	ZerosPadding     PaddingMode = "zeros"
	ReflectPadding   PaddingMode = "reflect"
	ReplicatePadding PaddingMode = "replicate"
	CircularPadding  PaddingMode = "circular"
)

func (m PaddingMode) set(o *options) { o.window.mode = m }
func (PaddingMode) conv()            {}

// pad returns x with elements around it; pads is as for tensor's Pad.
func (m PaddingMode) pad(x *tensor.Tensor, pads []int) *tensor.Tensor {
	switch m {
	case ReflectPadding:
		return x.PadReflect(pads)
	case ReplicatePadding:
		return x.PadReplicate(pads)
	case CircularPadding:
		return x.PadCircular(pads)
	}
	return x.Pad(pads, 0)
}

// Dilation is how far apart the elements under a window lie, 1 unless given: one number for all axes, or one for each.
func Dilation(n ...int) DilationOption {
	atLeast("dilation", 1, "dilation should be greater than zero", n...)
	return option(func(o *options) { o.window.dilation = n })
}

// Groups divides the channels of a convolution into n groups that do not meet; 1 unless given.
func Groups(n int) AnyConvOption {
	atLeast("groups", 1, "groups must be a positive integer", n)
	return option(func(o *options) { o.window.groups = n })
}

// FastConv allows a convolution of float32 to make fewer products at the cost of accuracy, as tensor.FastConv says, whose bound on the error holds;
// unless told so it does not. Conv.Fast is the same of a layer that is there.
func FastConv(on bool) ConvOption { return option(func(o *options) { o.window.fast = on }) }

// OutputPadding is how many elements a transposed convolution adds at the end of each axis of its result, 0 unless given: one
// number for all axes, or one for each.
func OutputPadding(n ...int) ConvTransposeOption {
	return option(func(o *options) { o.window.outputPadding = n })
}

// CeilMode makes a pool have a last window that reaches beyond its input where the stride leaves elements over.
func CeilMode(on bool) PoolOption { return option(func(o *options) { o.window.ceil = on }) }

// CountIncludePad says whether the zeros of the padding count in the means of an average pool, which they do unless told otherwise.
func CountIncludePad(on bool) AvgPoolOption {
	return option(func(o *options) { o.window.countPadding = on })
}

// DivisorOverride makes an average pool divide the sum of each window by n.
func DivisorOverride(n int) AvgPoolOption {
	if n == 0 {
		panic(fault("avg_pool", "divisor must be not zero"))
	}
	return option(func(o *options) { o.window.divisor = n })
}

// extents returns those of the window over some axes.
func (w *windowOptions) extents(axes, kernel int) []int {
	k := each(axes, "kernel_size", w.kernel, kernel)
	if w.width != 0 {
		k[axes-1] = w.width
	}
	atLeast("kernel_size", 1, "kernel size should be greater than zero", k...)
	return k
}

// strides returns those of a pool's window, its extents unless they were given.
func (w *windowOptions) strides(kernel []int) []int {
	if w.stride == nil {
		return slices.Clone(kernel)
	}
	return each(len(kernel), "stride", w.stride, 1)
}

// each returns a figure for each axis.
func each(axes int, figure string, n []int, usual int) []int {
	switch len(n) {
	case 0:
		return slices.Repeat([]int{usual}, axes)
	case 1:
		return slices.Repeat(n, axes)
	case axes:
		return slices.Clone(n)
	}
	panic(fault(figure, fmt.Sprintf("%s takes one number, or one for each of %d axes, but got %d", figure, axes, len(n))))
}

// atLeast refuses numbers below low.
func atLeast(name string, low int, text string, numbers ...int) {
	for _, n := range numbers {
		if n < low {
			panic(fault(name, text))
		}
	}
}

// tuple prints numbers as Python prints a tuple: (3, 3), (3,).
func tuple(n ...int) string {
	if len(n) == 1 {
		return fmt.Sprintf("(%d,)", n[0])
	}
	return "(" + strings.Trim(tensor.Shape(n).List(), "[]") + ")"
}

// figure prints numbers as they were most likely given: one number where all are equal.
func figure(n []int) string {
	if slices.Min(n) == slices.Max(n) {
		return strconv.Itoa(n[0])
	}
	return tuple(n...)
}
