package tensor

import (
	"math"
)

func convErrors() []errorCase {
	x, w := Zeros(1, 1, 5, 5), Zeros(1, 1, 3, 3)
	conv := func(x, w, bias *Tensor, opts ...ConvOption) func() { return func() { x.Conv2D(w, bias, opts...) } }
	return []errorCase{
		{golden: "conv", kind: ErrShape, do: conv(Zeros(1, 2, 5, 5), w, nil)},
		{golden: "conv dt", kind: ErrDType, do: conv(x.Double(), w, Zeros(1))},
		{golden: "conv dims", kind: ErrShape, do: conv(Zeros(5, 5), w, Zeros(1))},
		{text: "Input type (double) and weight type (float) should be the same", kind: ErrDType, do: conv(x.Double(), w, nil)},
		{text: "\"slow_conv2d_cpu\" not implemented for 'Bool'", kind: ErrKernel, do: conv(x.Bool(), w.Bool(), nil)},
		{text: "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [5]", kind: ErrShape,
			do: func() { Zeros(5).Conv1D(Zeros(1, 1, 3), nil) }},
		{text: "Expected 3-dimensional input for 3-dimensional weight [1, 1, 3], but got 4-dimensional input of size [1, 1, 5, 5] instead", kind: ErrShape,
			do: conv(x, Zeros(1, 1, 3), nil)},
		{text: "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be greater than actual input size", kind: ErrShape,
			do: conv(Zeros(1, 1, 2, 2), w, nil)},
		{text: "Calculated padded input size per channel: (4). Kernel size: (5). Kernel size can't be greater than actual input size", kind: ErrShape,
			do: func() { Zeros(1, 2).Conv1D(Zeros(1, 1, 3), nil, Padding(1), Dilation(2)) }},
		{text: "expected stride to be a single integer value or a list of 1 values to match the convolution dimensions, but got stride=[1, 2]", kind: ErrValue,
			do: func() { Zeros(1, 2).Conv1D(Zeros(1, 1, 3), nil, Stride(1, 2)) }},
		{text: "non-positive stride is not supported", kind: ErrShape, do: conv(x, w, nil, Stride(-1, 1))},
		{text: "negative padding is not supported", kind: ErrShape, do: conv(x, w, nil, Padding(0, -1))},
		{text: "dilation should be greater than zero", kind: ErrShape, do: conv(x, w, nil, Dilation(1, -1))},
		{text: "non-positive groups is not supported", kind: ErrShape, do: conv(x, w, nil, Groups(-1))},
		{text: "Given groups=2, expected weight to be at least 2 at dimension 0, but got weight of size [1, 1, 3, 3] instead", kind: ErrShape,
			do: conv(x, w, nil, Groups(2))},
		{text: "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size [[3, 1, 3, 3]] instead", kind: ErrShape,
			do: conv(x, Zeros(3, 1, 3, 3), nil, Groups(2))},
		{text: "Given weight of size [1, 1, 3, 3], expected bias to be 1-dimensional with 1 elements, but got bias of size [2] instead", kind: ErrShape,
			do: conv(x, w, Zeros(2))},
		{text: "value cannot be converted to type int without overflow", kind: ErrValue, do: conv(x, w, nil, Padding(math.MaxInt, 0))},
		{text: "Storage size calculation overflowed with sizes=[1, 1, 4294967297, 4294967297]", kind: ErrMemory,
			do: conv(x, w, nil, Padding(1<<31-1))},
	}
}

func poolErrors() []errorCase {
	x := Zeros(1, 1, 5, 5)
	return []errorCase{
		{text: "pad should be at most half of effective kernel size, but got pad=2, kernel_size=3 and dilation=1", kind: ErrShape,
			do: func() { x.MaxPool2D(3, Padding(2)) }},
		{text: "input image (T: 1 H: 5 W: 5) smaller than kernel size (kT: 3 kH: 3 kW: 3)", kind: ErrShape,
			do: func() { x.AvgPool3D(3, Padding(1)) }},
		{text: "pad should be smaller than or equal to half of kernel size, but got padW = 2, padH = 2, kW = 3, kH = 3", kind: ErrShape,
			do: func() { x.MaxPool2D(3, Padding(2), Dilation(2)) }},
		{text: "pad must be non-negative, but got pad: -1", kind: ErrShape,
			do: func() { x.AvgPool2D(3, Padding(-1, 0)) }},
		{text: "Given input size: (1x2x2). Calculated output size: (1x0x0). Output size is too small", kind: ErrShape,
			do: func() { Zeros(1, 1, 2, 2).MaxPool2D(3) }},
		{text: "kernel size should be greater than zero, but got kH: 0 kW: 0", kind: ErrShape, do: func() { x.MaxPool2D(0) }},
		{text: "stride should be greater than zero, but got dH: -1 dW: 1", kind: ErrShape,
			do: func() { x.AvgPool2D(2, Stride(-1, 1)) }},
		{text: "dilation should be greater than zero, but got dilationH: -1 dilationW: 1", kind: ErrShape,
			do: func() { x.MaxPool2D(2, Dilation(-1, 1)) }},
		{text: "non-empty 3D or 4D (batch mode) tensor expected for input", kind: ErrShape, do: func() { Zeros(5, 5).MaxPool2D(2) }},
		{text: "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 0, 5, 5]", kind: ErrShape,
			do: func() { Zeros(1, 0, 5, 5).MaxPool2D(2) }},
		{text: "\"max_pool2d\" not implemented for 'Bool'", kind: ErrKernel, do: func() { x.Bool().MaxPool2D(2) }},
		{text: "stride should be greater than zero, but got dH: 0 dW: 0", kind: ErrShape, do: func() { x.MaxPool2D(2, Stride(0)) }},
		{text: "max_pool2d: stride must either be a single int, or a tuple of two ints", kind: ErrValue, do: func() { x.MaxPool2D(2, Stride(1, 2, 3)) }},
		{text: "value cannot be converted to type int without overflow", kind: ErrValue,
			do: func() { x.AvgPool2D(math.MaxInt, KernelWidth(1)) }},
		{text: "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, 2}", kind: ErrValue,
			do: func() { x.AdaptiveAvgPool2D(-1, 2) }},
		{text: "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [5, 5]", kind: ErrShape, do: func() { Zeros(5, 5).AdaptiveAvgPool2D(1, 1) }},
	}
}

func normErrors() []errorCase {
	x := Zeros(1, 3)
	training := Training(true)
	return []errorCase{
		{text: "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])", kind: ErrValue,
			do: func() { x.BatchNorm(nil, nil, nil, nil, training) }},
		{text: "running_mean must be defined in evaluation mode", kind: ErrValue, do: func() { x.BatchNorm(nil, nil, nil, nil) }},
		{text: "running_mean and running_var must be given together", kind: ErrValue,
			do: func() { Zeros(2, 3).BatchNorm(nil, nil, Zeros(3), nil, training) }},
		{text: "running_mean should contain 3 elements not 4", kind: ErrShape,
			do: func() { Zeros(2, 3).BatchNorm(Zeros(4), Zeros(4), Zeros(4), Zeros(4), training) }},
		{text: "The function 'native_batch_norm' is not differentiable with respect to argument 'running_var'. This input cannot have requires_grad True.", kind: ErrAutograd,
			do: func() { Zeros(2, 3).BatchNorm(nil, nil, Zeros(3), Ones(3).SetRequiresGrad(true)) }},
		{text: "weight should contain 3 elements not 4", kind: ErrShape, do: func() { Zeros(2, 3).BatchNorm(Zeros(4), nil, nil, nil, training) }},
		{text: "running_var should contain 3 elements not 2", kind: ErrShape,
			do: func() { Zeros(2, 3).BatchNorm(nil, nil, Zeros(3), Zeros(2), training) }},
		{text: "mixed dtype (CPU): expect parameter to have scalar type of Float", kind: ErrDType,
			do: func() { Zeros(2, 3).BatchNorm(Zeros(3).Double(), nil, nil, nil, training) }},
		{text: "mixed dtype (CPU): all inputs must share same datatype.", kind: ErrDType,
			do: func() { Zeros(2, 3).Double().LayerNorm([]int{3}, Zeros(3), nil) }},
		{text: "mixed dtype (CPU): all inputs must share same datatype.", kind: ErrDType,
			do: func() { Zeros(2, 4, 3).Double().GroupNorm(2, Ones(4), nil) }},
		{text: "mixed dtype (CPU): expect parameter to have scalar type of Float", kind: ErrDType,
			do: func() { Zeros(2, 4, 3).GroupNorm(2, nil, Zeros(4).Int()) }},
		{text: "batch_norm eps must be positive during training, but got 0.0", kind: ErrValue,
			do: func() { Zeros(2, 3).BatchNorm(nil, nil, nil, nil, training, Eps(0)) }},
		{text: "Dimension out of range (expected to be in range of [-1, 0], but got 1)", kind: ErrIndex,
			do: func() { Zeros(3).BatchNorm(nil, nil, nil, nil, training) }},
		{text: "\"batch_norm\" not implemented for 'Long'", kind: ErrKernel, do: func() { Zeros(2, 3).Long().BatchNorm(nil, nil, nil, nil, training) }},
		{text: "invalid output_size \"[4, 6]\" (dim 1 must be between 2 and 6)", kind: ErrValue,
			do: func() { Zeros(1, 2, 2).MaxUnpool2D(Zeros(1, 2, 2).Long(), 2, OutputSize(4, 6)) }},
		{text: "output_size should be a sequence containing 1 or 3 elements, but it has a length of '2'", kind: ErrValue,
			do: func() { Zeros(1, 2).MaxUnpool1D(Zeros(1, 2).Long(), 2, OutputSize(4, 4)) }},
		{text: "Found an invalid max index: 16 (output volumes are of size 4x4)", kind: ErrIndex,
			do: func() { Zeros(1, 2, 2).MaxUnpool2D(Of([]int{0, 17, 16, 3}).View(1, 2, 2), 2) }},
		{text: "Found an invalid max index: -1 (output volumes are of size 4x1)", kind: ErrIndex,
			do: func() { Zeros(1, 2).MaxUnpool1D(Of([][]int{{-1, 0}}), 2) }},
		{text: "Argument #6: Padding size should be less than the corresponding input dimension, but got: padding (2, 0) at dimension 1 of input [1, 2, 3]", kind: ErrShape,
			do: func() { Zeros(1, 2, 3).PadReflect([]int{0, 0, 2, 0}) }},
		{text: "Given normalized_shape=[2, 4], expected input with shape [*, 2, 4], but got input of size[3, 4]", kind: ErrShape,
			do: func() { Zeros(3, 4).LayerNorm([]int{2, 4}, nil, nil) }},
		{text: "Given normalized_shape=[3, 4], expected input with shape [*, 3, 4], but got input of size[4]", kind: ErrShape,
			do: func() { Zeros(4).LayerNorm([]int{3, 4}, nil, nil) }},
		{text: "Expected weight to be of same shape as normalized_shape, but got weight of shape [3] and normalized_shape = [4]", kind: ErrShape,
			do: func() { Zeros(4).LayerNorm([]int{4}, Zeros(3), nil, 1e-5) }},
		{text: "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []", kind: ErrShape,
			do: func() { Zeros(4).LayerNorm(nil, nil, nil) }},
		{text: "\"LayerNormKernelImpl\" not implemented for 'Long'", kind: ErrKernel, do: func() { Zeros(4).Long().LayerNorm([]int{4}, nil, nil) }},
	}
}
