package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/golden"
	. "cresset/tensor"
)

// refusing are the recorded functions, of ones [2, 2] of a dtype that PyTorch refuses on some device.
var refusing = map[string]func(m *Tensor){
	"mm":          func(m *Tensor) { m.MM(m) },
	"matmul":      func(m *Tensor) { m.MatMul(m) },
	"matvec":      func(m *Tensor) { m.MatMul(m.Select(0, 0)) },
	"mv":          func(m *Tensor) { m.MV(m.Select(0, 0)) },
	"dot":         func(m *Tensor) { m.Select(0, 0).Dot(m.Select(0, 0)) },
	"bmm":         func(m *Tensor) { m.Unsqueeze(0).BMM(m.Unsqueeze(0)) },
	"addmm":       func(m *Tensor) { m.AddMM(m, m) },
	"addmv":       func(m *Tensor) { m.Select(0, 0).AddMV(m, m.Select(0, 0)) },
	"baddbmm":     func(m *Tensor) { m.Unsqueeze(0).BAddBMM(m.Unsqueeze(0), m.Unsqueeze(0)) },
	"linear":      func(m *Tensor) { m.Linear(m, nil) },
	"linear bias": func(m *Tensor) { m.Linear(m, m.Select(0, 0)) },

	"conv1d":              func(m *Tensor) { m.View(1, 1, 4).Conv1D(m.View(1, 1, 4), nil) },
	"conv2d":              func(m *Tensor) { image(m).Conv2D(image(m), nil) },
	"conv3d":              func(m *Tensor) { volume(m).Conv3D(volume(m), nil) },
	"conv2d dilated":      func(m *Tensor) { image(m).Conv2D(image(m).Narrow(3, 0, 1), nil, Dilation(1, 2)) },
	"conv2d depthwise":    func(m *Tensor) { m.View(1, 2, 1, 2).Conv2D(m.View(2, 1, 1, 2), nil, Groups(2)) },
	"conv_transpose1d":    func(m *Tensor) { m.View(1, 1, 4).ConvTranspose1D(m.View(1, 1, 4), nil) },
	"conv_transpose2d":    func(m *Tensor) { image(m).ConvTranspose2D(image(m), nil) },
	"conv_transpose3d":    func(m *Tensor) { volume(m).ConvTranspose3D(volume(m), nil) },
	"max_pool1d":          func(m *Tensor) { m.View(1, 4).MaxPool1D(2) },
	"max_pool2d":          func(m *Tensor) { image(m).MaxPool2D(2) },
	"max_pool3d":          func(m *Tensor) { volume(m).MaxPool3D(1) },
	"avg_pool1d":          func(m *Tensor) { m.View(1, 4).AvgPool1D(2) },
	"avg_pool2d":          func(m *Tensor) { image(m).AvgPool2D(2) },
	"avg_pool3d":          func(m *Tensor) { volume(m).AvgPool3D(1) },
	"adaptive_avg_pool1d": func(m *Tensor) { m.View(1, 4).AdaptiveAvgPool1D(2) },
	"adaptive_avg_pool2d": func(m *Tensor) { image(m).AdaptiveAvgPool2D(2, 1) },
	"adaptive_avg_pool3d": func(m *Tensor) { volume(m).AdaptiveAvgPool3D(1, 2, 1) },
	"adaptive_max_pool1d": func(m *Tensor) { m.View(1, 4).AdaptiveMaxPool1D(2) },
	"adaptive_max_pool2d": func(m *Tensor) { image(m).AdaptiveMaxPool2D(2, 1) },
	"adaptive_max_pool3d": func(m *Tensor) { volume(m).AdaptiveMaxPool3D(1, 2, 1) },
	"max_unpool1d":        func(m *Tensor) { m.View(1, 4).MaxUnpool1D(On(m.Device()).Arange(0, 4, 1).View(1, 4), 1) },
	"max_unpool2d":        func(m *Tensor) { image(m).MaxUnpool2D(image(On(m.Device()).Arange(0, 4, 1)), 1) },
	"max_unpool3d":        func(m *Tensor) { volume(m).MaxUnpool3D(volume(On(m.Device()).Arange(0, 4, 1)), 1) },
	"pad reflect1d":       func(m *Tensor) { m.View(1, 1, 4).PadReflect([]int{1, 1}) },
	"pad reflect2d":       func(m *Tensor) { image(m).PadReflect([]int{1, 1, 1, 1}) },
	"pad reflect3d":       func(m *Tensor) { volume(m).PadReflect([]int{1, 1, 1, 1, 0, 0}) },
	"pad replicate1d":     func(m *Tensor) { m.View(1, 1, 4).PadReplicate([]int{1, 1}) },
	"pad replicate2d":     func(m *Tensor) { image(m).PadReplicate([]int{1, 1, 1, 1}) },
	"pad replicate3d":     func(m *Tensor) { volume(m).PadReplicate([]int{1, 1, 1, 1, 1, 1}) },

	"interpolate nearest1d":       func(m *Tensor) { m.View(1, 1, 4).Interpolate([]int{3}) },
	"interpolate linear1d":        func(m *Tensor) { m.View(1, 1, 4).Interpolate([]int{3}, Linear) },
	"interpolate nearest-exact1d": func(m *Tensor) { m.View(1, 1, 4).Interpolate([]int{3}, NearestExact) },
	"interpolate nearest2d":       func(m *Tensor) { image(m).Interpolate([]int{3, 3}) },
	"interpolate bilinear2d":      func(m *Tensor) { image(m).Interpolate([]int{3, 3}, Bilinear) },
	"interpolate bicubic2d":       func(m *Tensor) { image(m).Interpolate([]int{3, 3}, Bicubic) },
	"interpolate nearest-exact2d": func(m *Tensor) { image(m).Interpolate([]int{3, 3}, NearestExact) },
	"interpolate area2d":          func(m *Tensor) { image(m).Interpolate([]int{3, 3}, Area) },
	"interpolate nearest3d":       func(m *Tensor) { volume(m).Interpolate([]int{3, 3, 3}) },
	"interpolate trilinear3d":     func(m *Tensor) { volume(m).Interpolate([]int{3, 3, 3}, Trilinear) },
	"interpolate nearest-exact3d": func(m *Tensor) { volume(m).Interpolate([]int{3, 3, 3}, NearestExact) },
	"instance_norm1d":             func(m *Tensor) { m.View(1, 1, 4).InstanceNorm(nil, nil, nil, nil) },
	"instance_norm2d":             func(m *Tensor) { image(m).InstanceNorm(nil, nil, nil, nil) },
	"instance_norm3d":             func(m *Tensor) { volume(m).InstanceNorm(nil, nil, nil, nil) },
	"layer_norm":                  func(m *Tensor) { m.LayerNorm([]int{2}, nil, nil) },
	"group_norm":                  func(m *Tensor) { image(m).GroupNorm(1, nil, nil) },
	"batch_norm":                  func(m *Tensor) { image(m).BatchNorm(nil, nil, nil, nil) },

	"gelu":        func(m *Tensor) { m.GELU() },
	"gelu tanh":   func(m *Tensor) { m.GELUTanh() },
	"silu":        func(m *Tensor) { m.SiLU() },
	"elu":         func(m *Tensor) { m.ELU(1) },
	"selu":        func(m *Tensor) { m.SELU() },
	"celu":        func(m *Tensor) { m.CELU(1) },
	"softplus":    func(m *Tensor) { m.Softplus(1, 20) },
	"leaky_relu":  func(m *Tensor) { m.LeakyReLU(0.1) },
	"hardswish":   func(m *Tensor) { m.Hardswish() },
	"hardsigmoid": func(m *Tensor) { m.Hardsigmoid() },
	"hardtanh":    func(m *Tensor) { m.Hardtanh(-1, 1) },
	"relu6":       func(m *Tensor) { m.ReLU6() },
	"relu":        func(m *Tensor) { m.ReLU() },
	"threshold":   func(m *Tensor) { m.Threshold(0, 0) },
	"logsigmoid":  func(m *Tensor) { m.LogSigmoid() },
	"mish":        func(m *Tensor) { m.Mish() },
	"hardshrink":  func(m *Tensor) { m.Hardshrink(0.5) },
	"softshrink":  func(m *Tensor) { m.Softshrink(0.5) },
	"glu":         func(m *Tensor) { m.GLU(0) },
	"prelu":       func(m *Tensor) { m.PReLU(m.View(4).Narrow(0, 0, 1)) },

	"ceil":                func(m *Tensor) { m.Ceil() },
	"floor":               func(m *Tensor) { m.Floor() },
	"frac":                func(m *Tensor) { m.Frac() },
	"round":               func(m *Tensor) { m.Round() },
	"trunc":               func(m *Tensor) { m.Trunc() },
	"logcumsumexp":        func(m *Tensor) { m.LogCumSumExp(0) },
	"bincount":            func(m *Tensor) { m.View(4).BinCount() },
	"histc":               func(m *Tensor) { m.Histc(3, 0, 1) },
	"floor_divide":        func(m *Tensor) { m.FloorDivide(m) },
	"div floor":           func(m *Tensor) { m.FloorDivide(m) },
	"div trunc":           func(m *Tensor) { m.DivTrunc(m) },
	"remainder":           func(m *Tensor) { m.Remainder(m) },
	"fmod":                func(m *Tensor) { m.Fmod(m) },
	"pow":                 func(m *Tensor) { m.PowTensor(m) },
	"hypot":               func(m *Tensor) { m.Hypot(m) },
	"logaddexp":           func(m *Tensor) { m.LogAddExp(m) },
	"bitwise_left_shift":  func(m *Tensor) { m.BitwiseLeftShift(m) },
	"bitwise_right_shift": func(m *Tensor) { m.BitwiseRightShift(m) },
	"lerp":                func(m *Tensor) { m.Lerp(m, 0.5) },
	"lerp tensor":         func(m *Tensor) { m.Lerp(m, m) },
	"addcmul":             func(m *Tensor) { m.AddCMul(m, m, 1) },
	"clamp tensor":        func(m *Tensor) { m.Clamp(m, m) },
	"kthvalue":            func(m *Tensor) { m.KthValue(1, 0) },
	"scatter_reduce prod": func(m *Tensor) { m.ScatterReduce(0, firsts(m), m, "prod") },
	"scatter_reduce mean": func(m *Tensor) { m.ScatterReduce(0, firsts(m), m, "mean") },
	"scatter_reduce amax": func(m *Tensor) { m.ScatterReduce(0, firsts(m), m, "amax") },
	"scatter_reduce amin": func(m *Tensor) { m.ScatterReduce(0, firsts(m), m, "amin") },

	"softmax":     func(m *Tensor) { m.Softmax(1) },
	"softmax 0":   func(m *Tensor) { m.Softmax(0) },
	"log_softmax": func(m *Tensor) { m.LogSoftmax(1) },

	"cross_entropy":                    func(m *Tensor) { CrossEntropy(m, firsts(m).Select(0, 0)) },
	"nll_loss":                         func(m *Tensor) { NLLLoss(m, firsts(m).Select(0, 0)) },
	"nll_loss int32":                   func(m *Tensor) { NLLLoss(m.Float(), m.Select(0, 0)) },
	"mse_loss":                         func(m *Tensor) { MSELoss(m, m) },
	"smooth_l1_loss":                   func(m *Tensor) { SmoothL1Loss(m, m) },
	"huber_loss":                       func(m *Tensor) { HuberLoss(m, m) },
	"binary_cross_entropy":             func(m *Tensor) { BCE(m, m) },
	"binary_cross_entropy_with_logits": func(m *Tensor) { BCEWithLogits(m, m) },
	"multi_margin_loss":                func(m *Tensor) { MultiMarginLoss(m, firsts(m).Select(0, 0)) },
	"multilabel_margin_loss":           func(m *Tensor) { MultilabelMarginLoss(m, firsts(m)) },
	"multilabel_soft_margin_loss":      func(m *Tensor) { MultilabelSoftMarginLoss(m, m) },

	"embedding_bag":     func(m *Tensor) { EmbeddingBag(m, firsts(m), nil) },
	"grid_sample":       func(m *Tensor) { image(m).GridSample(m.View(1, 2, 1, 2)) },
	"grid_sample 3d":    func(m *Tensor) { volume(m).GridSample(m.View(4).Narrow(0, 0, 3).View(1, 1, 1, 1, 3)) },
	"unfold":            func(m *Tensor) { image(m).Unfold2D(2) },
	"fold":              func(m *Tensor) { m.View(1, 4, 1).Fold2D(2, 2, 2) },
	"searchsorted":      func(m *Tensor) { SearchSorted(m.View(4), m) },
	"bucketize":         func(m *Tensor) { Bucketize(m, m.View(4)) },
	"repeat_interleave": func(m *Tensor) { m.View(4).RepeatInterleave(m.View(4), 0) },
	"normal_":           func(m *Tensor) { m.NormalInPlace(0, 1) },
	"uniform_":          func(m *Tensor) { m.UniformInPlace(0, 1) },
	"randn":             func(m *Tensor) { On(m.Device()).As(m.DType()).Randn(2) },
	"randperm":          func(m *Tensor) { On(m.Device()).As(m.DType()).RandPerm(3) },
	"arange":            func(m *Tensor) { On(m.Device()).As(m.DType()).Arange(0, 3, 1) },
	"linspace":          func(m *Tensor) { On(m.Device()).As(m.DType()).Linspace(0, 1, 3) },
	"dropout":           func(m *Tensor) { m.Dropout(0.5) },
}

func image(m *Tensor) *Tensor  { return m.View(1, 1, 2, 2) }
func volume(m *Tensor) *Tensor { return m.View(1, 1, 1, 2, 2) }
func firsts(m *Tensor) *Tensor { return On(m.Device()).As(dtype.Int64).Zeros(2, 2) }

// TestKernelNames wants the texts with which PyTorch 2.15 refuses dtypes on a CPU, and 2.11 on an H100.
func TestKernelNames(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		recording := "testdata/kernels_cpu_torch215.txt"
		if dev.IsCUDA() {
			recording = "testdata/kernels_cuda_torch211.txt"
		}
		for _, e := range golden.Read(t, recording) {
			name, kind := e.Key[:len(e.Key)-5], e.Key[len(e.Key)-4:]
			m := On(dev).Ones(2, 2).To(map[string]dtype.DType{"Long": dtype.Int64, "Bool": dtype.Bool}[kind])
			if err := Try(func() { refusing[name](m) }); err == nil || err.Error() != e.Text {
				t.Errorf("%s:\n got %v\nwant %s", e.Key, err, e.Text)
			}
		}
	})
}
