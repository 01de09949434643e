package nn

import (
	"fmt"
	"strconv"
	"strings"

	"cresset/internal/op"
	"cresset/tensor"
)

// windowOptions are what convolutions and pools slide by.
type windowOptions struct {
	width             int    // 0: as wide as high
	stride            [2]int // zero: not given
	padding, dilation [2]int
	groups            int
	countPadding      bool
}

// Window2DOption is an option of the two-dimensional layers that slide a window: NewConv2D, NewMaxPool2D and NewAvgPool2D.
type Window2DOption interface {
	Conv2DOption
	Pool2DOption
}

// WindowOption is an option of every layer that slides a window.
type WindowOption interface {
	Conv1DOption
	Pool2DOption
}

// DilationOption is an option of NewConv1D, NewConv2D and NewMaxPool2D.
type DilationOption interface {
	Conv1DOption
	MaxPool2DOption
}

// KernelWidth makes the window of a two-dimensional layer w wide; its height stays.
func KernelWidth(w int) Window2DOption {
	atLeast("kernel_size", 1, "kernel size should be greater than zero", w)
	return option(func(o *options) { o.window.width = w })
}

// Stride is how far a convolution or pool moves at a time: one number for all axes, or height and width. A pool moves by
// its kernel unless told otherwise, a convolution by 1.
func Stride(n ...int) WindowOption {
	atLeast("stride", 1, "non-positive stride is not supported", n...)
	both := pair("stride", n)
	return option(func(o *options) { o.window.stride = both })
}

// Padding is how many elements a convolution or pool adds on each side, 0 unless given: one number for all axes, or height and
// width.
func Padding(n ...int) WindowOption {
	atLeast("padding", 0, "negative padding is not supported", n...)
	both := pair("padding", n)
	return option(func(o *options) { o.window.padding = both })
}

// Dilation is how far apart the elements under a window lie, 1 unless given: one number for all axes, or height and width.
func Dilation(n ...int) DilationOption {
	atLeast("dilation", 1, "dilation should be greater than zero", n...)
	both := pair("dilation", n)
	return option(func(o *options) { o.window.dilation = both })
}

// Groups divides the channels of a convolution into n groups that do not meet; 1 unless given.
func Groups(n int) Conv1DOption {
	atLeast("groups", 1, "groups must be a positive integer", n)
	return option(func(o *options) { o.window.groups = n })
}

// CountIncludePad says whether the zeros of the padding count in the means of NewAvgPool2D, which they do unless told otherwise.
func CountIncludePad(on bool) AvgPool2DOption {
	return option(func(o *options) { o.window.countPadding = on })
}

// kernel returns the window of a two-dimensional layer.
func (w windowOptions) kernel(height int) [2]int {
	if w.width == 0 {
		return [2]int{height, height}
	}
	return [2]int{height, w.width}
}

// strideOr returns the stride, or the usual one where none was given.
func (w windowOptions) strideOr(usual [2]int) [2]int {
	if w.stride == [2]int{} {
		return usual
	}
	return w.stride
}

// atLeast refuses numbers below low.
func atLeast(name string, low int, text string, numbers ...int) {
	for _, n := range numbers {
		if n < low {
			panic(fault(name, text))
		}
	}
}

func pair(name string, n []int) [2]int {
	both, err := op.BothAxes(name, n)
	if err != nil {
		panic(fault(name, err.Error()))
	}
	return both
}

// single returns the option of a one-dimensional layer.
func single(name string, n [2]int) int {
	if n[0] != n[1] {
		panic(fault(name, fmt.Sprintf("%s of a one-dimensional layer is one number, but got %d and %d", name, n[0], n[1])))
	}
	return n[0]
}

// tuple prints numbers as Python prints a tuple: (3, 3), (3,).
func tuple(n ...int) string {
	if len(n) == 1 {
		return fmt.Sprintf("(%d,)", n[0])
	}
	return "(" + strings.Trim(tensor.Shape(n).List(), "[]") + ")"
}

// square prints a pair as it was most likely given: one number where both are equal.
func square(n [2]int) string {
	if n[0] == n[1] {
		return strconv.Itoa(n[0])
	}
	return tuple(n[:]...)
}
