package tensor_test

import (
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/gradcheck"
	"cresset/tensor"
)

type tensors = []*tensor.Tensor

// gradientRow is a function of tensors whose gradients must agree with differences.
type gradientRow struct {
	name string
	f    gradcheck.Func
	in   tensors
}

// TestLayerGradients compares gradients with differences in settings that the recordings lack.
func TestLayerGradients(t *testing.T) { checkGradients(t, layerGradients) }

func TestLossGradients(t *testing.T) { checkGradients(t, lossGradients) }

func checkGradients(t *testing.T, rows func() []gradientRow) {
	t.Helper()
	tensor.ManualSeed(1)
	for _, c := range rows() {
		if err := gradcheck.Check(c.name, c.f, c.in...); err != nil {
			t.Error(err)
		}
	}
}

var float64s = tensor.Place{}.As(dtype.Float64)

func normal(sizes ...int) *tensor.Tensor { return float64s.Randn(sizes...) }

// batchNorm normalises with weight, bias and running statistics.
func batchNorm(training bool) gradcheck.Func {
	mean, variance := tensor.Of([]float64{0.1, -0.2, 0.3}), tensor.Of([]float64{1, 2, 0.5})
	return func(x tensors) *tensor.Tensor {
		return x[0].BatchNorm(x[1], x[2], mean.Clone(), variance.Clone(), tensor.Training(training), tensor.Momentum(0.1))
	}
}

func layerGradients() []gradientRow {
	return []gradientRow{
		{"conv2d of three groups with uneven steps", func(x tensors) *tensor.Tensor {
			return x[0].Conv2D(x[1], x[2], tensor.Stride(2, 1), tensor.Padding(1, 2), tensor.Dilation(1, 2), tensor.Groups(3))
		}, tensors{normal(2, 6, 5, 4), normal(3, 2, 2, 3), normal(3)}},
		{"conv2d without a batch", func(x tensors) *tensor.Tensor { return x[0].Conv2D(x[1], nil) }, tensors{normal(2, 4, 3), normal(2, 2, 2, 2)}},
		{"conv1d", func(x tensors) *tensor.Tensor {
			return x[0].Conv1D(x[1], x[2], tensor.Stride(2), tensor.Padding(2), tensor.Dilation(3), tensor.Groups(2))
		}, tensors{normal(2, 4, 9), normal(6, 2, 2), normal(6)}},
		{"depthwise conv1d without a batch", func(x tensors) *tensor.Tensor {
			return x[0].Conv1D(x[1], x[2], tensor.Groups(3))
		}, tensors{normal(3, 5), normal(3, 1, 2), normal(3)}},
		{"max_pool2d with dilation", func(x tensors) *tensor.Tensor {
			return x[0].MaxPool2D(2, tensor.KernelWidth(3), tensor.Stride(1, 2), tensor.Padding(0, 1), tensor.Dilation(2, 1))
		}, tensors{normal(2, 5, 6)}},
		{"avg_pool2d without padding in the mean", func(x tensors) *tensor.Tensor {
			return x[0].AvgPool2D(3, tensor.KernelWidth(2), tensor.Stride(2), tensor.Padding(1), tensor.CountIncludePad(false))
		}, tensors{normal(1, 2, 5, 6)}},
		{"adaptive_avg_pool2d to more", func(x tensors) *tensor.Tensor { return x[0].AdaptiveAvgPool2D(4, 1) }, tensors{normal(1, 3, 5)}},
		{"adaptive_avg_pool2d to one", func(x tensors) *tensor.Tensor { return x[0].AdaptiveAvgPool2D(1, 1) }, tensors{normal(2, 2, 3, 5)}},
		{"batch_norm in training", batchNorm(true), tensors{normal(4, 3, 2), normal(3), normal(3)}},
		{"batch_norm in evaluation", batchNorm(false), tensors{normal(4, 3, 2), normal(3), normal(3)}},
		{"batch_norm alone", func(x tensors) *tensor.Tensor {
			return x[0].BatchNorm(nil, nil, nil, nil, tensor.Training(true))
		}, tensors{normal(4, 3)}},
		{"layer_norm over two axes", func(x tensors) *tensor.Tensor { return x[0].LayerNorm([]int{3, 4}, x[1], x[2]) },
			tensors{normal(2, 3, 4), normal(3, 4), normal(3, 4)}},
		{"layer_norm without bias", func(x tensors) *tensor.Tensor { return x[0].LayerNorm([]int{4}, x[1], nil) }, tensors{normal(3, 4), normal(4)}},
		{"layer_norm alone", func(x tensors) *tensor.Tensor { return x[0].LayerNorm([]int{4}, nil, nil) }, tensors{normal(3, 4)}},
	}
}

func lossGradients() []gradientRow {
	labels := tensor.Of([][]int{{0, 2, -100}, {1, 1, 2}})
	weight := tensor.Of([]float64{0.5, 2, 1})
	return []gradientRow{
		{"cross_entropy of positions", func(x tensors) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], labels, tensor.Weight(weight))
		}, tensors{normal(2, 3, 3)}},
		{"smooth cross_entropy", func(x tensors) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], tensor.Of([][]int{{0, 2, 1}, {1, 1, 2}}), tensor.Weight(weight), tensor.LabelSmoothing(0.2), tensor.IgnoreIndex(1))
		}, tensors{normal(2, 3, 3)}},
		{"smooth cross_entropy of each", func(x tensors) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], labels, tensor.LabelSmoothing(0.2), tensor.NoReduction)
		}, tensors{normal(2, 3, 3)}},
		{"cross_entropy of probabilities", func(x tensors) *tensor.Tensor {
			return tensor.CrossEntropy(x[0], x[1].Softmax(1), tensor.Weight(weight), tensor.LabelSmoothing(0.3))
		}, tensors{normal(2, 3, 2), normal(2, 3, 2)}},
		{"mse_loss", func(x tensors) *tensor.Tensor { return tensor.MSELoss(x[0], x[1]) }, tensors{normal(2, 3, 4), normal(2, 3, 4)}},
		{"mse_loss of each", func(x tensors) *tensor.Tensor { return tensor.MSELoss(x[0], x[1], tensor.NoReduction) }, tensors{normal(3), normal(3)}},
		{"l1_loss", func(x tensors) *tensor.Tensor { return tensor.L1Loss(x[0], x[1], tensor.SumReduction) }, tensors{normal(2, 3), normal(2, 3)}},
		{"bce_with_logits, weighted", func(x tensors) *tensor.Tensor {
			return tensor.BCEWithLogits(x[0], x[1], tensor.Weight(weight.Detach()), tensor.PosWeight(tensor.Of([][]float64{{3}, {0.25}})))
		}, tensors{normal(2, 3), float64s.Rand(2, 3)}},
		{"bce_with_logits", func(x tensors) *tensor.Tensor { return tensor.BCEWithLogits(x[0], x[1], tensor.NoReduction) },
			tensors{normal(2, 3), float64s.Rand(2, 3)}},
	}
}

func TestLossNames(t *testing.T) {
	x := tensor.Zeros(2, 3).SetRequiresGrad(true)
	y, labels := tensor.Zeros(2, 3), tensor.Of([]int{0, 1})
	for _, c := range []struct {
		loss *tensor.Tensor
		want string
	}{
		{tensor.CrossEntropy(x, labels), "NllLossBackward0"},
		{tensor.CrossEntropy(x, labels, tensor.LabelSmoothing(0.1)), "AddBackward0"},
		{tensor.MSELoss(x, y), "MseLossBackward0"},
		{tensor.L1Loss(x, y), "MeanBackward0"},
		{tensor.BCEWithLogits(x, y), "BinaryCrossEntropyWithLogitsBackward0"},
	} {
		if got := c.loss.GradFn(); got != c.want {
			t.Errorf("grad_fn is %s, want %s", got, c.want)
		}
	}
}

// TestBCEWithLogitsIsStable takes logits whose exponential overflows.
func TestBCEWithLogitsIsStable(t *testing.T) {
	x := tensor.Of([]float32{-200, 200, -200, 200}).SetRequiresGrad(true)
	y := tensor.BCEWithLogits(x, tensor.Of([]float32{0, 1, 1, 0}), tensor.NoReduction)
	y.Sum().Backward()
	for i, want := range []float64{0, 0, 200, 200} {
		if got := tensor.Values[float64](y)[i]; got != want {
			t.Errorf("loss %d is %v, want %v", i, got, want)
		}
	}
	for i, want := range []float64{0, 0, -1, 1} {
		if got := tensor.Values[float64](x.Grad())[i]; !(math.Abs(got-want) <= 1e-30) {
			t.Errorf("gradient %d is %v, want %v", i, got, want)
		}
	}
}
