package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var convolutions = table{
	"F.conv1d":           convolution((*tensor.Tensor).Conv1D),
	"F.conv2d":           convolution((*tensor.Tensor).Conv2D),
	"F.conv3d":           convolution((*tensor.Tensor).Conv3D),
	"F.conv_transpose1d": convTranspose((*tensor.Tensor).ConvTranspose1D),
	"F.conv_transpose2d": convTranspose((*tensor.Tensor).ConvTranspose2D),
	"F.conv_transpose3d": convTranspose((*tensor.Tensor).ConvTranspose3D),
	"F.max_pool1d":       maxPool((*tensor.Tensor).MaxPool1D, (*tensor.Tensor).MaxPool1DWithIndices),
	"F.max_pool2d":       maxPool((*tensor.Tensor).MaxPool2D, (*tensor.Tensor).MaxPool2DWithIndices),
	"F.max_pool3d":       maxPool((*tensor.Tensor).MaxPool3D, (*tensor.Tensor).MaxPool3DWithIndices),
	"F.avg_pool1d":       avgPool((*tensor.Tensor).AvgPool1D),
	"F.avg_pool2d":       avgPool((*tensor.Tensor).AvgPool2D),
	"F.avg_pool3d":       avgPool((*tensor.Tensor).AvgPool3D),
	"F.adaptive_avg_pool1d": adaptive(1, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return []*tensor.Tensor{x.AdaptiveAvgPool1D(n[0])}
	}),
	"F.adaptive_avg_pool2d": adaptive(2, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return []*tensor.Tensor{x.AdaptiveAvgPool2D(n[0], n[1])}
	}),
	"F.adaptive_avg_pool3d": adaptive(3, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return []*tensor.Tensor{x.AdaptiveAvgPool3D(n[0], n[1], n[2])}
	}),
	"F.adaptive_max_pool1d": adaptive(1, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return both(x.AdaptiveMaxPool1D(n[0]))
	}),
	"F.adaptive_max_pool2d": adaptive(2, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return both(x.AdaptiveMaxPool2D(n[0], n[1]))
	}),
	"F.adaptive_max_pool3d": adaptive(3, func(x *tensor.Tensor, n []int) []*tensor.Tensor {
		return both(x.AdaptiveMaxPool3D(n[0], n[1], n[2]))
	}),
	"F.lp_pool2d": func(a *pyexpr.Args) any {
		x, p, kernel := input(a, "input"), pyexpr.Arg[float64](a, "norm_type"), sizes(a, "kernel_size")
		opts := []tensor.Pool2DOption{tensor.KernelSize(kernel...), tensor.CeilMode(pyexpr.Arg(a, "ceil_mode", false))}
		if stride := sizes(a, "stride", nil); stride != nil {
			opts = append(opts, tensor.Stride(stride...))
		}
		return x.LPPool2D(p, 1, opts...)
	},
}

func both(x, y *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{x, y} }

func convolution(f func(x, weight, bias *tensor.Tensor, opts ...tensor.ConvOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, weight, bias := input(a, "input"), input(a, "weight"), optional(a, "bias")
		opts := []tensor.ConvOption{tensor.Stride(sizes(a, "stride", []int{1})...)}
		switch padding := pyexpr.Arg[any](a, "padding", 0).(type) {
		case string:
			if padding == "same" {
				opts = append(opts, tensor.SamePadding())
			}
		case int:
			opts = append(opts, tensor.Padding(padding))
		case []any:
			opts = append(opts, tensor.Padding(whole(padding)...))
		}
		opts = append(opts, tensor.Dilation(sizes(a, "dilation", []int{1})...), tensor.Groups(pyexpr.Arg(a, "groups", 1)))
		return f(x, weight, bias, opts...)
	}
}

func whole(list []any) []int {
	n := make([]int, len(list))
	for i, v := range list {
		n[i] = v.(int)
	}
	return n
}

func convTranspose(f func(x, weight, bias *tensor.Tensor, opts ...tensor.ConvTransposeOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, weight, bias := input(a, "input"), input(a, "weight"), optional(a, "bias")
		opts := []tensor.ConvTransposeOption{
			tensor.Stride(sizes(a, "stride", []int{1})...), tensor.Padding(sizes(a, "padding", []int{0})...),
			tensor.OutputPadding(sizes(a, "output_padding", []int{0})...), tensor.Groups(pyexpr.Arg(a, "groups", 1)),
			tensor.Dilation(sizes(a, "dilation", []int{1})...),
		}
		return f(x, weight, bias, opts...)
	}
}

func maxPool(f func(x *tensor.Tensor, kernel int, opts ...tensor.MaxPool2DOption) *tensor.Tensor,
	indexed func(x *tensor.Tensor, kernel int, opts ...tensor.MaxPool2DOption) (values, indices *tensor.Tensor)) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		opts := []tensor.MaxPool2DOption{tensor.KernelSize(sizes(a, "kernel_size")...)}
		if stride := sizes(a, "stride", nil); stride != nil {
			opts = append(opts, tensor.Stride(stride...))
		}
		opts = append(opts, tensor.Padding(sizes(a, "padding", []int{0})...), tensor.Dilation(sizes(a, "dilation", []int{1})...),
			tensor.CeilMode(pyexpr.Arg(a, "ceil_mode", false)))
		if pyexpr.Arg(a, "return_indices", false) {
			return tuple(both(indexed(x, 1, opts...))...)
		}
		return f(x, 1, opts...)
	}
}

func avgPool(f func(x *tensor.Tensor, kernel int, opts ...tensor.AvgPool2DOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		opts := []tensor.AvgPool2DOption{tensor.KernelSize(sizes(a, "kernel_size")...)}
		if stride := sizes(a, "stride", nil); stride != nil {
			opts = append(opts, tensor.Stride(stride...))
		}
		opts = append(opts, tensor.Padding(sizes(a, "padding", []int{0})...), tensor.CeilMode(pyexpr.Arg(a, "ceil_mode", false)),
			tensor.CountIncludePad(pyexpr.Arg(a, "count_include_pad", true)))
		if divisor := pyexpr.Arg[any](a, "divisor_override", nil); divisor != nil {
			opts = append(opts, tensor.DivisorOverride(divisor.(int)))
		}
		return f(x, 1, opts...)
	}
}

// adaptive is a pool to a given size, in which None keeps an axis. Its indices count only where they are asked for.
func adaptive(axes int, f func(x *tensor.Tensor, n []int) []*tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x := input(a, "input")
		given := pyexpr.Arg[any](a, "output_size")
		list, ok := given.([]any)
		if !ok {
			list = []any{given, given, given}[:axes]
		}
		n := make([]int, axes)
		for i, v := range list {
			if v == nil {
				v = x.Size(i - axes)
			}
			n[i] = v.(int)
		}
		y := f(x, n)
		if pyexpr.Arg(a, "return_indices", false) {
			return tuple(y...)
		}
		return y[0]
	}
}
