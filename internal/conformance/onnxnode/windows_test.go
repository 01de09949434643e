package onnxnode

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// windows are convolutions and pools.
var windows = map[string]operator{
	"Conv":          func(n *node) []*tensor.Tensor { return one(convolve(n, n.input(0), n.input(1), n.input(2))) },
	"ConvInteger":   convInteger,
	"ConvTranspose": convTranspose,
	"MaxPool":       maxPool,
	"AveragePool":   averagePool,
	"LpPool":        lpPool,
	"MaxUnpool":     maxUnpool,
	"Col2Im":        col2Im,
	"AffineGrid": func(n *node) []*tensor.Tensor {
		return one(tensor.AffineGrid(n.input(0), n.list(1), tensor.AlignCorners(n.flag("align_corners", 0))))
	},
	"GridSample": gridSample,
	"Upsample":   resize,
	"Resize":     resize,
}

// sliding are the figures of a window: one for each axis of pixels, pads before and after.
type sliding struct {
	kernel, stride, dilation, before, after []int
}

func slidingOf(n *node, x *tensor.Tensor, kernel []int) sliding {
	axes := len(kernel)
	ones := make([]int, axes)
	for i := range ones {
		ones[i] = 1
	}
	s := sliding{kernel: kernel, stride: n.ints("strides", ones...), dilation: n.ints("dilations", ones...)}
	pads := n.ints("pads", make([]int, 2*axes)...)
	s.before, s.after = pads[:axes], pads[axes:]
	if auto := n.text("auto_pad", "NOTSET"); auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		for i := range axes {
			size := x.Size(2 + i)
			out := (size + s.stride[i] - 1) / s.stride[i]
			total := max(0, (out-1)*s.stride[i]+(kernel[i]-1)*s.dilation[i]+1-size)
			s.before[i] = total / 2
			if auto == "SAME_LOWER" {
				s.before[i] = total - total/2
			}
			s.after[i] = total - s.before[i]
		}
	}
	return s
}

// even reports whether there is as much padding before as after.
func (s sliding) even() bool {
	for i := range s.before {
		if s.before[i] != s.after[i] {
			return false
		}
	}
	return true
}

// pad fills the padding with a value.
func (s sliding) pad(x *tensor.Tensor, value any) *tensor.Tensor {
	var pads []int
	for i := len(s.before) - 1; i >= 0; i-- {
		pads = append(pads, s.before[i], s.after[i])
	}
	return x.Pad(pads, value)
}

func convolve(n *node, x, w, b *tensor.Tensor) *tensor.Tensor {
	s := slidingOf(n, x, n.ints("kernel_shape", w.Shape()[2:]...))
	opts := []tensor.ConvOption{tensor.Stride(s.stride...), tensor.Dilation(s.dilation...), tensor.Groups(n.integer("group", 1))}
	x = s.pad(x, 0)
	switch len(s.kernel) {
	case 1:
		return x.Conv1D(w, b, opts...)
	case 2:
		return x.Conv2D(w, b, opts...)
	}
	return x.Conv3D(w, b, opts...)
}

func convInteger(n *node) []*tensor.Tensor {
	x, w := n.input(0).Double(), n.input(1).Double()
	if n.has(2) {
		x = x.Sub(n.input(2).Double())
	}
	if n.has(3) {
		w = w.Sub(n.input(3).Double().View(append([]int{-1}, lined(w.Dim()-1, 0, 1)...)...))
	}
	return one(convolve(n, x, w, nil).To(dtype.Int32))
}

func convTranspose(n *node) []*tensor.Tensor {
	x, w := n.input(0), n.input(1)
	s := slidingOf(n, x, n.ints("kernel_shape", w.Shape()[2:]...))
	extra := n.ints("output_padding", make([]int, len(s.kernel))...)
	auto := n.text("auto_pad", "NOTSET")
	if shape := n.ints("output_shape"); len(shape) > 0 || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		for i := range s.kernel {
			want := x.Size(2+i) * s.stride[i]
			if len(shape) > 0 {
				want = shape[i]
			}
			total := s.stride[i]*(x.Size(2+i)-1) + extra[i] + (s.kernel[i]-1)*s.dilation[i] + 1 - want
			if total < 0 {
				extra[i], total = extra[i]-total, 0
			}
			s.before[i] = total / 2
			if auto == "SAME_UPPER" {
				s.before[i] = total / 2
			} else if len(shape) > 0 {
				s.before[i] = total - total/2
			}
			s.after[i] = total - s.before[i]
		}
	}
	opts := []tensor.ConvTransposeOption{tensor.Stride(s.stride...), tensor.Dilation(s.dilation...), tensor.Groups(n.integer("group", 1))}
	var y *tensor.Tensor
	switch len(s.kernel) {
	case 1:
		y = x.ConvTranspose1D(w, nil, opts...)
	case 2:
		y = x.ConvTranspose2D(w, nil, opts...)
	default:
		y = x.ConvTranspose3D(w, nil, opts...)
	}
	grown := sliding{before: make([]int, len(extra)), after: extra}
	y = grown.pad(y, 0)
	for i := range s.kernel {
		y = y.Narrow(2+i, s.before[i], y.Size(2+i)-s.before[i]-s.after[i])
	}
	if n.has(2) {
		y = y.Add(n.input(2).View(lined(y.Dim(), 1, w.Size(1)*n.integer("group", 1))...))
	}
	return one(y)
}

func maxPool(n *node) []*tensor.Tensor {
	x := n.input(0)
	dt := x.DType()
	s := slidingOf(n, x, n.ints("kernel_shape"))
	least := math.Inf(-1)
	if !dt.IsFloat() {
		x, least = x.Double(), -1e9
	}
	opts := []tensor.MaxPool2DOption{tensor.Stride(s.stride...), tensor.Dilation(s.dilation...), tensor.CeilMode(n.flag("ceil_mode", 0))}
	if s.even() && fits(s) {
		opts = append(opts, tensor.Padding(s.before...))
	} else {
		x = s.pad(x, least)
	}
	var y, at *tensor.Tensor
	k := s.kernel
	switch len(k) {
	case 1:
		y, at = x.MaxPool1DWithIndices(k[0], opts...)
	case 2:
		y, at = x.MaxPool2DWithIndices(k[0], append(opts, tensor.KernelSize(k...))...)
	default:
		y, at = x.MaxPool3DWithIndices(k[0], append(opts, tensor.KernelSize(k...))...)
	}
	plane := count(x.Shape()[2:])
	if n.flag("storage_order", 0) {
		height, width := x.Size(2), x.Size(3)
		at = at.RemainderScalar(width).MulScalar(height).Add(at.FloorDivideScalar(width))
	}
	first := tensor.Arange(0, x.Size(0)*x.Size(1), 1).MulScalar(plane)
	at = at.Add(first.View(append([]int{x.Size(0), x.Size(1)}, lined(len(k), 0, 1)...)...))
	return []*tensor.Tensor{y.To(dt), at}
}

// fits reports whether padding is at most half of the kernel, which PyTorch's pools ask for.
func fits(s sliding) bool {
	for i, k := range s.kernel {
		if s.before[i] > k/2 {
			return false
		}
	}
	return true
}

// averagePool divides sums of windows by how many elements count: those of x, or of the padding too.
func averagePool(n *node) []*tensor.Tensor {
	x := n.input(0)
	s := slidingOf(n, x, n.ints("kernel_shape"))
	counted := tensor.OnesLike(x)
	ceil := n.flag("ceil_mode", 0)
	inside := s.pad(counted, 0)
	if n.flag("count_include_pad", 0) {
		inside = s.pad(counted, 1)
	}
	return one(s.sums(s.pad(x, 0), ceil).Div(s.sums(inside, ceil)))
}

// sums adds the elements of each window, by a convolution with ones for each channel.
func (s sliding) sums(x *tensor.Tensor, ceil bool) *tensor.Tensor {
	if ceil { // windows that begin inside may end beyond
		more := sliding{before: make([]int, len(s.kernel)), after: make([]int, len(s.kernel))}
		for i, k := range s.kernel {
			wide := (k-1)*s.dilation[i] + 1
			steps := (x.Size(2+i) - wide + s.stride[i] - 1) / s.stride[i]
			if start := steps * s.stride[i]; start < x.Size(2+i)-s.after[i] {
				more.after[i] = max(0, start+wide-x.Size(2+i))
			}
		}
		x = more.pad(x, 0)
	}
	channels := x.Size(1)
	w := tensor.On(x.Device()).As(x.DType()).Ones(append([]int{channels, 1}, s.kernel...)...)
	opts := []tensor.ConvOption{tensor.Stride(s.stride...), tensor.Dilation(s.dilation...), tensor.Groups(channels)}
	switch len(s.kernel) {
	case 1:
		return x.Conv1D(w, nil, opts...)
	case 2:
		return x.Conv2D(w, nil, opts...)
	}
	return x.Conv3D(w, nil, opts...)
}

func lpPool(n *node) []*tensor.Tensor {
	x, p := n.input(0), float64(n.integer("p", 2))
	s := slidingOf(n, x, n.ints("kernel_shape"))
	return one(s.sums(s.pad(x.Abs().Pow(p), 0), n.flag("ceil_mode", 0)).Pow(1 / p))
}

// gridModes are PyTorch's names of ways to read between elements, which ONNX has called otherwise before version 20.
var gridModes = map[string]tensor.Interpolation{
	"linear": tensor.Bilinear, "bilinear": tensor.Bilinear, "cubic": tensor.Bicubic, "bicubic": tensor.Bicubic, "nearest": tensor.Nearest,
}

func gridSample(n *node) []*tensor.Tensor {
	return one(n.input(0).GridSample(n.input(1), gridModes[n.text("mode", "linear")], tensor.PaddingMode(n.text("padding_mode", "zeros")),
		tensor.AlignCorners(n.flag("align_corners", 0))))
}

// maxUnpool takes places of the whole of x, as maxPool gives them.
func maxUnpool(n *node) []*tensor.Tensor {
	x, at := n.input(0), n.input(1)
	s := slidingOf(n, x, n.ints("kernel_shape"))
	shape := append([]int{}, x.Shape()...)
	for i, k := range s.kernel {
		shape[2+i] = (x.Size(2+i)-1)*s.stride[i] + k - s.before[i] - s.after[i]
	}
	y := tensor.Zeros(count(shape)).Scatter(0, at.Flatten(0, -1), x.Flatten(0, -1)).View(shape...)
	if n.has(2) {
		for axis, size := range n.list(2) {
			end := sliding{before: []int{0}, after: []int{size - y.Size(axis)}}
			y = end.pad(y.Transpose(axis, -1), 0).Transpose(axis, -1)
		}
	}
	return one(y)
}

func col2Im(n *node) []*tensor.Tensor {
	size, kernel := n.list(1), n.list(2)
	s := slidingOf(n, n.input(0), kernel)
	grown := []int{size[0] + s.before[0] + s.after[0], size[1] + s.before[1] + s.after[1]}
	y := n.input(0).Fold2D(grown[0], grown[1], kernel[0], tensor.KernelSize(kernel...), tensor.Stride(s.stride...), tensor.Dilation(s.dilation...))
	return one(y.Narrow(2, s.before[0], size[0]).Narrow(3, s.before[1], size[1]))
}
