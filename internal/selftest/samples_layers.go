package selftest

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// sized names a sample by its extents.
func sized(name string, n ...int) string { return fmt.Sprintf("%s %v", name, n) }

// products are samples of matrix products around the edges of tiles: thin ones, odd ones, of every order of both operands.
var products = slices.Concat(
	matmuls(1, 33, 65), matmuls(7, 784, 5), matmuls(33, 1, 31), matmuls(64, 64, 64), matmuls(65, 129, 131), matmuls(130, 40, 257), matmuls(257, 300, 3),
	matmuls(70, 300, 12), matmuls(11, 300, 70), matmuls(256, 104, 256), in(matmuls(256, 392, 256), dtype.Float16),
	in(slices.Concat(matmuls(66, 130, 134), matmuls(250, 106, 254), matmuls(128, 1024, 128)[3:4], matmuls(128, 72, 384)[:4], matmuls(120, 200, 120)[:4], matmuls(256, 512, 392)[:4]), dtype.Float16, dtype.BFloat16),
	roundedMatmuls(70, 40, 65), roundedMatmuls(72, 40, 68), roundedMatmuls(256, 40, 256),
	[]sample{
		{name: "mv", in: []operand{of(129, 300), of(300)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MV(x[1]) })},
		{name: "dot", in: []operand{of(3001), of(3001)}, dtypes: floats, roundings: 512, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Dot(x[1]) })},
		{name: "bmm", in: []operand{of(5, 33, 70), of(5, 70, 65)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].BMM(x[1]) })},
		{name: "matmul with a matrix for all", in: []operand{of(5, 33, 70), of(70, 65)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MatMul(x[1]) })},
		{name: "addmm", in: []operand{of(33, 65), of(33, 70), of(70, 65)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AddMMScaled(x[1], x[2], 0.5, 2) })},
		{name: "linear", in: []operand{of(33, 130), of(70, 130), of(70)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Linear(x[1], x[2]) })},
		{name: "einsum", in: []operand{of(2, 3, 33, 16), of(2, 3, 65, 16)}, dtypes: floats, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Einsum("bhqd,bhkd->bhqk", x...) })},
	},
)

// in returns the samples in other dtypes.
func in(samples []sample, dtypes ...dtype.DType) []sample {
	for i := range samples {
		samples[i].dtypes = dtypes
	}
	return samples
}

// roundedMatmuls are products of float32 whose operands may be rounded to 11 bits.
func roundedMatmuls(m, k, n int) []sample { return rounding(matmuls(m, k, n)...) }

// rounding has GPUs round operands of the samples, of float32, to 11 bits.
func rounding(samples ...sample) []sample {
	for i := range samples {
		s := &samples[i]
		s.name, s.dtypes, s.roundings, s.rounded = s.name+", rounded", []dtype.DType{dtype.Float32}, 1<<16, true
	}
	return samples
}

// matmuls are products of m×k and k×n with operands that lie in every order.
func matmuls(m, k, n int) []sample {
	return []sample{
		{name: sized("matmul", m, k, n), in: []operand{of(m, k), of(k, n)}, dtypes: floats, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MM(x[1]) })},
		{name: sized("matmul of transposed operands", m, k, n), in: []operand{of(k, m), of(n, k)}, dtypes: floats, roundings: 64,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].T().MM(x[1].T()) })},
		{name: sized("matmul of a transposed left operand", m, k, n), in: []operand{of(k, m), of(k, n)}, dtypes: floats, roundings: 64,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].T().MM(x[1]) })},
		{name: sized("matmul of a transposed right operand", m, k, n), in: []operand{of(m, k), of(n, k)}, dtypes: floats, roundings: 64,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MM(x[1].T()) })},
		{name: sized("matmul of every second column", m, k, n), in: []operand{of(m, 2*k), of(k, 2*n)}, dtypes: floats, roundings: 64,
			f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Slice(1, 0, 2*k, 2).MM(x[1].Slice(1, 0, 2*n, 2)) })},
	}
}

// roundedConvolutions are for the tiles that float32 has on tensor cores.
var roundedConvolutions = rounding(
	conv("conv2d", of(3, 5, 13, 17), of(7, 5, 3, 3), 7, tensor.Padding(1)),
	conv("conv2d of many channels", of(2, 64, 9, 9), of(96, 64, 3, 3), 96, tensor.Padding(1)),
	conv("conv2d of few channels", of(1, 20, 31, 31), of(32, 20, 3, 3), 32),
	conv("conv2d of few channels to many", of(1, 20, 13, 13), of(60, 20, 3, 3), 60),
	conv("conv2d of large tiles", of(1, 32, 16, 16), of(256, 32, 3, 3), 256, tensor.Padding(1)),
	conv("conv2d of large tiles and odd channels", of(1, 28, 16, 16), of(256, 28, 3, 3), 256, tensor.Padding(1)),
)

// layers are samples of what layers are made of.
var layers = []sample{
	conv("conv2d", of(3, 5, 13, 17), of(7, 5, 3, 3), 7, tensor.Padding(1)),
	conv("conv2d with stride", of(3, 8, 14, 15), of(16, 8, 3, 3), 16, tensor.Stride(2), tensor.Padding(1)),
	conv("conv2d 1x1", of(2, 33, 8, 9), of(40, 33, 1, 1), 40),
	conv("conv2d of many channels", of(2, 64, 9, 9), of(96, 64, 3, 3), 96, tensor.Padding(1)),
	conv("conv2d dilated, in groups", of(2, 8, 12, 12), of(12, 4, 3, 3), 12, tensor.Dilation(2), tensor.Groups(2)),
	conv("conv2d of few channels", of(1, 20, 31, 31), of(32, 20, 3, 3), 32),
	conv("conv2d of few channels to many", of(1, 20, 30, 30), of(60, 20, 3, 3), 60),
	conv("conv2d of many outputs", of(3, 24, 20, 21), of(130, 24, 3, 3), 130),
	conv("conv2d over all of its input", of(9, 5, 6, 7), of(40, 5, 6, 7), 40),
	depthwise("conv2d depthwise", 3, 1), depthwise("conv2d depthwise, with stride", 3, 2),
	depthwise("conv2d depthwise, 5x5", 5, 1), depthwise("conv2d depthwise, 5x5 with stride", 5, 2), depthwise("conv2d depthwise, 2x2", 2, 1),
	inHalves(depthwise("conv2d depthwise, in halves", 3, 1)), inHalves(depthwise("conv2d depthwise with stride, in halves", 3, 2)),
	inHalves(depthwise("conv2d depthwise 5x5, in halves", 5, 1)), inHalves(depthwise("conv2d depthwise 5x5 with stride, in halves", 5, 2)),
	inHalves(conv("conv2d in halves", of(2, 64, 9, 9), of(64, 64, 3, 3), 64, tensor.Padding(1))),
	inHalves(conv("conv2d of large tiles, in halves", of(2, 64, 9, 9), of(128, 64, 3, 3), 128, tensor.Padding(1))),
	inHalves(conv("conv2d of few channels, in halves", of(1, 3, 15, 14), of(20, 3, 5, 5), 20, tensor.Stride(2), tensor.Padding(2))),
	inHalves(conv("conv2d in groups, in halves", of(2, 18, 12, 11), of(60, 9, 3, 3), 60, tensor.Dilation(2), tensor.Groups(2))),
	inHalves(conv("conv2d of few channels to 64, in halves", of(2, 5, 13, 17), of(64, 5, 3, 3), 64, tensor.Padding(1))),
	in([]sample{conv("conv2d of large tiles", of(1, 24, 16, 16), of(256, 24, 3, 3), 256, tensor.Padding(1))}, dtype.Float32, dtype.Float16, dtype.BFloat16)[0],
	in([]sample{conv("conv2d of large tiles and odd channels", of(1, 28, 16, 16), of(256, 28, 3, 3), 256, tensor.Padding(1))}, dtype.Float32)[0],
	in([]sample{conv("conv2d of large tiles and many channels", of(1, 64, 16, 16), of(256, 64, 3, 3), 256, tensor.Padding(1))}, dtype.Float16)[0],
	{name: "conv_transpose2d", in: []operand{of(2, 6, 9, 7), of(6, 5, 4, 4), of(5)}, dtypes: single, roundings: 128, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].ConvTranspose2D(x[1], x[2], tensor.Stride(2), tensor.Padding(1))
		})},
	{name: "conv1d", in: []operand{of(3, 6, 65), of(9, 6, 3), of(9)}, dtypes: single, roundings: 128, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Conv1D(x[1], x[2], tensor.Padding(1)) })},
	{name: "max_pool2d", in: []operand{of(2, 5, 15, 17)}, dtypes: floats, roundings: 4, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].MaxPool2D(3, tensor.Stride(2), tensor.Padding(1))
	})},
	{name: "avg_pool2d", in: []operand{of(2, 5, 15, 17)}, dtypes: floats, roundings: 8, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AvgPool2D(2) })},
	batchNorm("batch_norm in training", true, of(9, 5, 7, 11), of(5)), batchNorm("batch_norm of many", true, of(70, 3, 33, 31), of(3)),
	batchNorm("batch_norm", false, of(9, 5, 7, 11), of(5)),
	inHalves(batchNorm("batch_norm in training, in halves", true, of(9, 5, 7, 11), of(5))), inHalves(batchNorm("batch_norm of many, in halves", true, of(70, 3, 33, 31), of(3))),
	inHalves(batchNorm("batch_norm in halves", false, of(9, 5, 7, 11), of(5))),
	{name: "layer_norm of many", in: []operand{of(1500, 33), of(33), of(33)}, dtypes: floats, roundings: 2048, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		return x[0].LayerNorm([]int{33}, x[1], x[2])
	})},
	{name: "group_norm", in: []operand{of(3, 8, 7, 9), of(8), of(8)}, dtypes: single, roundings: 512, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GroupNorm(4, x[1], x[2]) })},
	{name: "group_norm of many", in: []operand{of(17, 4, 33, 31), of(4), of(4)}, dtypes: floats, roundings: 2048, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].GroupNorm(2, x[1], x[2]) })},
	{name: "instance_norm", in: []operand{of(3, 4, 9, 9)}, dtypes: single, roundings: 512, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].InstanceNorm(nil, nil, nil, nil) })},
	{name: "interpolate", in: []operand{of(2, 3, 9, 10)}, dtypes: single, roundings: 64, grad: true, f: func(x []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{x[0].Interpolate([]int{17, 23}, tensor.Bilinear), x[0].Interpolate([]int{5, 21}, tensor.Nearest)}
	}},
}

// batchNorm is of channels' weight, bias, mean and variance, which are float32 where x has a half type.
func batchNorm(name string, training bool, x, channels operand) sample {
	return sample{name: name, in: []operand{x, channels, channels, channels, channels}, dtypes: single, roundings: 2048, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			of := dtype.Float32
			if x[0].DType() == dtype.Float64 {
				of = dtype.Float64
			}
			return x[0].BatchNorm(x[1].To(of), x[2].To(of), x[3].To(of).Detach().Clone(), x[4].To(of).Detach().Square(), tensor.Training(training))
		})}
}

func conv(name string, x, w operand, out int, opts ...tensor.ConvOption) sample {
	return sample{name: name, in: []operand{x, w, of(out)}, dtypes: single, roundings: 256, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Conv2D(x[1], x[2], opts...) })}
}

// losses are samples of losses with gradients.
var losses = []sample{
	{name: "cross_entropy", in: []operand{of(65, 300), below(300, 65)}, dtypes: floats, roundings: 128, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.CrossEntropy(x[0], x[1]) })},
	{name: "cross_entropy of each", in: []operand{of(65, 33), below(33, 65)}, dtypes: floats, roundings: 128, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.CrossEntropy(x[0], x[1], tensor.NoReduction)
	})},
	{name: "nll_loss", in: []operand{of(65, 33), below(33, 65)}, dtypes: floats, roundings: 64, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.NLLLoss(x[0], x[1]) })},
	{name: "cross_entropy of many", in: []operand{of(5000, 7), below(7, 5000)}, dtypes: single, roundings: 512, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.CrossEntropy(x[0], x[1]) })},
	{name: "cross_entropy over 1", in: []operand{of(9, 33, 65), below(33, 9, 65)}, dtypes: single, roundings: 128, grad: true, f: one(func(x []*tensor.Tensor) *tensor.Tensor { return tensor.CrossEntropy(x[0], x[1]) })},
	pair("mse_loss", func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(x, y) }),
	pair("l1_loss", func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.L1Loss(x, y) }),
	pair("huber_loss", func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.HuberLoss(x, y) }),
	pair("bce_with_logits", func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.BCEWithLogits(x, y.Detach().Sigmoid()) }),
}

func pair(name string, f func(x, y *tensor.Tensor) *tensor.Tensor) sample {
	return sample{name: name, in: []operand{of(65, 33), of(65, 33)}, dtypes: single, roundings: 64, grad: true,
		f: one(func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) })}
}

// depthwise is a convolution of each channel by itself.
func depthwise(name string, window, stride int) sample {
	return conv(name, of(2, 6, 13, 14), of(6, 1, window, window), 6, tensor.Padding(window/2), tensor.Stride(stride), tensor.Groups(6))
}

// inHalves is a sample in half types.
func inHalves(s sample) sample {
	s.dtypes = floats[2:]
	return s
}
