package tensor

import (
	"fmt"

	"cresset/internal/op"
)

// The options of ops that slide a window; what an op does not take does not compile.
type (
	// ConvOption is an option of Conv1D and Conv2D: Stride, Padding, Dilation or Groups.
	ConvOption interface {
		slide(*sliding)
		conv()
	}
	// MaxPool2DOption is an option of MaxPool2D: KernelWidth, Stride, Padding or Dilation.
	MaxPool2DOption interface {
		slide(*sliding)
		maxPool()
	}
	// AvgPool2DOption is an option of AvgPool2D: KernelWidth, Stride, Padding or CountIncludePad.
	AvgPool2DOption interface {
		slide(*sliding)
		avgPool()
	}
	// Pool2DOption is an option of both pools.
	Pool2DOption interface {
		MaxPool2DOption
		AvgPool2DOption
	}
	// DilationOption is an option of convolutions and of MaxPool2D.
	DilationOption interface {
		ConvOption
		MaxPool2DOption
	}
	// WindowOption is an option of convolutions and of both pools.
	WindowOption interface {
		ConvOption
		Pool2DOption
	}
)

// sliding is a window as the options say.
type sliding struct {
	op.Window
	strided bool // Stride was given
}

// windowOption changes a window. It satisfies every interface; which ops take it, the result type of its constructor says.
type windowOption func(*sliding)

func (set windowOption) slide(w *sliding) { set(w) }
func (windowOption) conv()                {}
func (windowOption) maxPool()             {}
func (windowOption) avgPool()             {}

// KernelWidth makes the window of a pool w wide; its height stays.
func KernelWidth(w int) Pool2DOption { return windowOption(func(o *sliding) { o.Kernel[1] = w }) }

// Stride is how far a window moves at a time, one number for all axes, or height and width; unless given it is 1 for a
// convolution and the kernel's extent for a pool.
func Stride(n ...int) WindowOption {
	both := bothAxes("stride", n)
	return windowOption(func(o *sliding) { o.Stride, o.strided = both, true })
}

// Padding is how many elements are added on each side, 0 unless given: one number for all axes, or height and width.
func Padding(n ...int) WindowOption {
	both := bothAxes("padding", n)
	return windowOption(func(o *sliding) { o.Padding = both })
}

// Dilation is how far apart the elements under a window lie, 1 unless given: one number for all axes, or height and width.
func Dilation(n ...int) DilationOption {
	both := bothAxes("dilation", n)
	return windowOption(func(o *sliding) { o.Dilation = both })
}

// Groups divides the channels of a convolution into n groups that do not meet; 1 unless given.
func Groups(n int) ConvOption { return windowOption(func(o *sliding) { o.Groups = n }) }

// CountIncludePad says whether the zeros of the padding count in the means of AvgPool2D, which they do unless told otherwise.
func CountIncludePad(on bool) AvgPool2DOption {
	return windowOption(func(o *sliding) { o.CountPadding = on })
}

func bothAxes(name string, n []int) [2]int {
	both, err := op.BothAxes(name, n)
	check(name, ErrValue, err)
	return both
}

// readWindow returns the window of a kernel as the options say. That of a convolution, whose weight tells the extent, is 1.
func readWindow[O interface{ slide(*sliding) }](kernel int, opts []O) op.Window {
	w := sliding{Window: op.Window{Kernel: [2]int{kernel, kernel}, Dilation: [2]int{1, 1}, Groups: 1, CountPadding: true}}
	for _, o := range opts {
		o.slide(&w)
	}
	if !w.strided {
		w.Stride = w.Kernel
	}
	return w.Window
}

// line returns the window of a convolution over one axis, in which the height is idle.
func line(w op.Window) op.Window {
	for _, n := range [...]struct {
		name string
		pair *[2]int
		idle int
	}{{"stride", &w.Stride, 1}, {"padding", &w.Padding, 0}, {"dilation", &w.Dilation, 1}} {
		if n.pair[0] != n.pair[1] {
			fail("convolution", ErrValue, fmt.Sprintf("%s of a convolution over one axis is one number, but got %d and %d", n.name, n.pair[0], n.pair[1]))
		}
		n.pair[0] = n.idle
	}
	return w
}
