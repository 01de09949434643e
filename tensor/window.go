package tensor

import (
	"fmt"
	"strings"

	"cresset/internal/op"
)

// The options of ops that slide a window; what an op does not take does not compile.
type (
	// ConvOption is an option of Conv1D, Conv2D and Conv3D: Stride, Padding, SamePadding, Dilation, Groups or FastConv.
	ConvOption interface {
		slide(*sliding)
		conv()
	}
	// ConvTransposeOption is an option of ConvTranspose1D, ConvTranspose2D and ConvTranspose3D: Stride, Padding, OutputPadding,
	// Dilation or Groups.
	ConvTransposeOption interface {
		slide(*sliding)
		convTranspose()
	}
	// ColumnsOption is an option of convolutions, pools and of Unfold2D and Fold2D.
	ColumnsOption interface {
		WindowOption
		UnfoldOption
		MaxUnpoolOption
	}
	// KernelOption is what KernelSize returns.
	KernelOption interface {
		Pool2DOption
		UnfoldOption
		MaxUnpoolOption
	}
	// AnyConvOption is an option of convolutions and of transposed ones.
	AnyConvOption interface {
		ConvOption
		ConvTransposeOption
	}
	// MaxPool2DOption is an option of MaxPool1D, MaxPool2D and MaxPool3D: KernelSize, KernelWidth, Stride, Padding, Dilation or
	// CeilMode.
	MaxPool2DOption interface {
		slide(*sliding)
		maxPool()
	}
	// AvgPool2DOption is an option of AvgPool1D, AvgPool2D and AvgPool3D: KernelSize, KernelWidth, Stride, Padding, CeilMode,
	// CountIncludePad or DivisorOverride.
	AvgPool2DOption interface {
		slide(*sliding)
		avgPool()
	}
	// Pool2DOption is an option of pools.
	Pool2DOption interface {
		MaxPool2DOption
		AvgPool2DOption
	}
	// DilationOption is an option of convolutions and of maximum pools.
	DilationOption interface {
		AnyConvOption
		MaxPool2DOption
		UnfoldOption
	}
	// WindowOption is an option of convolutions and of pools.
	WindowOption interface {
		AnyConvOption
		Pool2DOption
	}
)

// sliding is a window as the options say: of each figure one number for all axes, or one for each axis.
type sliding struct {
	kernel, stride, padding, dilation, outputPadding []int

	outputSize []int // of MaxUnpool2D and its like

	width   int // the last of kernel, where it was given alone
	divisor *int
	groups  int

	same, ceil, countPadding, fast bool
}

// windowOption changes a window. It satisfies every interface; which ops take it, the result type of its constructor says.
type windowOption func(*sliding)

func (set windowOption) slide(w *sliding) { set(w) }
func (windowOption) conv()                {}
func (windowOption) convTranspose()       {}
func (windowOption) maxPool()             {}
func (windowOption) avgPool()             {}

// KernelSize gives the window of a pool an extent of its own for each axis, in place of the one that the pool is called with.
func KernelSize(n ...int) KernelOption { return windowOption(func(o *sliding) { o.kernel = n }) }

// KernelWidth makes the window of a pool w wide; its other extents stay.
func KernelWidth(w int) Pool2DOption { return windowOption(func(o *sliding) { o.width = w }) }

// Stride is how far a window moves at a time, one number for all axes, or one for each; unless given it is 1 for a
// convolution and the kernel's extent for a pool.
func Stride(n ...int) ColumnsOption { return windowOption(func(o *sliding) { o.stride = n }) }

// Padding is how many elements are added on each side, 0 unless given: one number for all axes, or one for each. A transposed
// convolution leaves out as many on each side of its result.
func Padding(n ...int) ColumnsOption {
	return windowOption(func(o *sliding) { o.padding, o.same = n, false })
}

// SamePadding adds as many zeros as give the result of a convolution the extents of its input; where their number is odd, there
// is one more at the end.
func SamePadding() ConvOption { return windowOption(func(o *sliding) { o.same = true }) }

// Dilation is how far apart the elements under a window lie, 1 unless given: one number for all axes, or one for each.
func Dilation(n ...int) DilationOption { return windowOption(func(o *sliding) { o.dilation = n }) }

// Groups divides the channels of a convolution into n groups that do not meet; 1 unless given.
func Groups(n int) AnyConvOption { return windowOption(func(o *sliding) { o.groups = n }) }

// FastConv allows a convolution to make fewer products at the cost of accuracy; unless told so it does not. Where it is on, Conv2D of float32 on CPUs with
// AVX2 or AVX-512 computes by Winograd's F(4x4, 3x3) if the window is of 3x3, Stride, Dilation and Groups are 1, Padding is at most 2, there are at least 16
// channels and 16 outputs, the result has 4x4 pixels or more, and its images have together 32 or more tiles of 4x4. It makes a quarter of the
// products. The gradient for the input is computed in the same way where it meets these conditions as a convolution of its own; that for the weight as
// without FastConv. Everywhere else, as on GPUs, FastConv changes no bit.
//
// Before bias is added, an element differs from the exact sum by at most
//
//	180·(C+32)·2**-24 · Σ over channels c of max|x_c|·Σ|w_c|
//
// where max|x_c| is that of the 6x6 pixels under the element's tile, and Σ|w_c| that of the nine weights, as long as no |x| is above 1e37 and no product
// so small that it is rounded to a subnormal number; without FastConv it is at most about
// (9C+1)·2**-24·Σ|x·w|. Of random numbers the mean error is 3 times as large as without. An infinity or a NaN in x makes NaN of all 4x4 outputs of the
// tiles that read it. Bits do not depend on the number of threads.
func FastConv(on bool) ConvOption { return windowOption(func(o *sliding) { o.fast = on }) }

// OutputPadding is how many elements a transposed convolution adds at the end of each axis of its result, 0 unless given, since
// a convolution with a stride makes one extent of several: one number for all axes, or one for each.
func OutputPadding(n ...int) ConvTransposeOption {
	return windowOption(func(o *sliding) { o.outputPadding = n })
}

// CeilMode makes a pool have a last window that reaches beyond x and its padding where the stride leaves elements over.
func CeilMode(on bool) Pool2DOption { return windowOption(func(o *sliding) { o.ceil = on }) }

// CountIncludePad says whether the zeros of the padding count in the means of a pool, which they do unless told otherwise.
func CountIncludePad(on bool) AvgPool2DOption {
	return windowOption(func(o *sliding) { o.countPadding = on })
}

// DivisorOverride makes an average pool divide the sum of each window by n.
func DivisorOverride(n int) AvgPool2DOption { return windowOption(func(o *sliding) { o.divisor = &n }) }

// window is what slides over the last one, two or three axes of a tensor. Its figures are of depth, height and width; those of
// axes that it lacks are idle.
type window struct {
	axes                                             int
	kernel, stride, padding, dilation, outputPadding [3]int

	groups       int
	divisor      int // 0: the number of elements
	divided      bool
	same, ceil   bool
	countPadding bool
	fast         bool
	outputSize   []int // of MaxUnpool2D and its like
}

// readWindow returns the window of a kernel over some axes as the options say. That of a convolution, whose weight tells the
// extent, is 1.
func readWindow[O interface{ slide(*sliding) }](name string, axes, kernel int, opts []O) window {
	s := sliding{groups: 1, countPadding: true}
	for _, o := range opts {
		o.slide(&s)
	}
	return s.window(name, axes, kernel)
}

// window is apart from readWindow, which is compiled for each type of option.
func (s *sliding) window(name string, axes, kernel int) window {
	w := window{axes: axes, groups: s.groups, same: s.same, ceil: s.ceil, outputSize: s.outputSize, countPadding: s.countPadding, fast: s.fast}
	w.kernel = w.each(name, "kernel_size", s.kernel, kernel)
	if s.width != 0 {
		w.kernel[2] = s.width
	}
	w.stride = w.each(name, "stride", s.stride, 0)
	if s.stride == nil {
		w.stride = w.kernel
	}
	w.padding = w.each(name, "padding", s.padding, 0)
	w.dilation = w.each(name, "dilation", s.dilation, 1)
	w.outputPadding = w.each(name, "output_padding", s.outputPadding, 0)
	for i := range 3 - axes {
		w.kernel[i], w.stride[i], w.dilation[i], w.padding[i], w.outputPadding[i] = 1, 1, 1, 0, 0
	}
	if s.divisor != nil {
		w.divisor, w.divided = *s.divisor, true
	}
	return w
}

// each returns a figure for each axis.
func (w *window) each(name, figure string, n []int, usual int) (all [3]int) {
	switch len(n) {
	case 0:
		return [3]int{usual, usual, usual}
	case 1:
		return [3]int{n[0], n[0], n[0]}
	case w.axes:
		copy(all[3-w.axes:], n)
		return all
	}
	text := fmt.Sprintf("%s: %s must either be a single int, or a tuple of %s ints", name, figure, [...]string{"", "one", "two", "three"}[w.axes])
	if strings.HasPrefix(name, "conv") {
		text = fmt.Sprintf("expected %s to be a single integer value or a list of %d values to match the convolution dimensions, but got %s=%s",
			figure, w.axes, figure, Shape(n).List())
	}
	fail(name, ErrValue, text)
	return all
}

// plane returns the part of the window that kernels slide over the last two axes.
func (w *window) plane() op.Window {
	return op.Window{
		Kernel: [2]int(w.kernel[1:]), Stride: [2]int(w.stride[1:]), Padding: [2]int(w.padding[1:]), Dilation: [2]int(w.dilation[1:]),
		Groups: w.groups, CountPadding: w.countPadding, Divisor: w.divisor, Fast: w.fast,
	}
}

// windowOf returns the window over two axes whose figures a layer keeps.
func windowOf(p op.Window) window {
	three := func(idle int, pair [2]int) [3]int { return [3]int{idle, pair[0], pair[1]} }
	return window{
		axes: 2, kernel: three(1, p.Kernel), stride: three(1, p.Stride), padding: three(0, p.Padding), dilation: three(1, p.Dilation),
		groups: p.Groups, countPadding: p.CountPadding, fast: p.Fast,
	}
}
