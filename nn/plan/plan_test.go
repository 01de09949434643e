package plan_test

import (
	"fmt"
	"iter"
	"math"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/plan"
	"cresset/optim"
	"cresset/tensor"
)

// mlp is the model of cresset train.
func mlp(dt dtype.DType) nn.Module {
	return nn.NewSequential(nn.NewFlatten(), nn.NewLinear(784, 128, nn.As(dt)), nn.NewReLU(), nn.NewLinear(128, 10, nn.As(dt)))
}

// cnn is the model of cresset train.
func cnn(dt dtype.DType) nn.Module {
	return nn.NewSequential(
		nn.NewConv2D(1, 8, 3, nn.Padding(1), nn.As(dt)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewConv2D(8, 16, 3, nn.Padding(1), nn.As(dt)), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewFlatten(), nn.NewLinear(16*7*7, 10, nn.As(dt)),
	)
}

// normed has what the others lack.
func normed(dt dtype.DType) nn.Module {
	return nn.NewSequential(
		nn.NewConv2D(1, 4, 5, nn.As(dt)), nn.NewBatchNorm2D(4, nn.As(dt)), nn.NewGELU(), nn.NewAvgPool2D(2),
		nn.NewDropout(0.5), nn.NewFlatten(), nn.NewLinear(4*12*12, 64, nn.As(dt)), nn.NewLayerNorm([]int{64}, nn.As(dt)),
		nn.NewTanh(), nn.NewLinear(64, 10, nn.As(dt)),
	)
}

type named = iter.Seq2[string, *tensor.Tensor]

var optimizers = map[string]func(ps named) optim.Optimizer{
	"sgd":      func(ps named) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.01)) },
	"momentum": func(ps named) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.01), optim.Momentum(0.9)) },
	"adam":     func(ps named) optim.Optimizer { return optim.NewAdam(ps) },
	"adamw":    func(ps named) optim.Optimizer { return optim.NewAdamW(ps) },
}

// classify is the loss of models that tell images apart.
func classify(net nn.Module, batch []*tensor.Tensor) *tensor.Tensor {
	return tensor.CrossEntropy(net.Forward(batch[0]), batch[1])
}

// measured trains on a simulated GPU and returns what the last step held at most.
func measured(net nn.Module, opt optim.Optimizer, x, y *tensor.Tensor) (peak, reserved int64) {
	for range 2 {
		cuda.ResetPeakMemoryStats(0)
		s := tensor.NewScope()
		opt.ZeroGrad()
		tensor.CrossEntropy(net.Forward(s.Enter(x).CUDA(0)), s.Enter(y).CUDA(0)).Backward()
		opt.Step()
		s.Close()
	}
	return cuda.MaxMemoryAllocated(0), cuda.MaxMemoryReserved(0)
}

func TestFitsIsWhatIsMeasured(t *testing.T) {
	if race.Enabled {
		t.Skip("real kernels are interpreted, which takes minutes with -race; TestManyPlansAtOnce is for it")
	}
	for _, tc := range []struct {
		name      string
		model     func(dt dtype.DType) nn.Module
		optimizer string
		batch     int
		dtype     dtype.DType
	}{
		{"mlp", mlp, "sgd", 1, dtype.Float32},
		{"mlp", mlp, "momentum", 4, dtype.Float32},
		{"mlp", mlp, "adam", 9, dtype.Float32},
		{"mlp", mlp, "adamw", 17, dtype.Float32},
		{"mlp", mlp, "adam", 1, dtype.Float64},
		{"mlp", mlp, "adam", 8, dtype.Float16},
		{"cnn", cnn, "sgd", 2, dtype.Float32},
		{"cnn", cnn, "adam", 3, dtype.Float32},
		{"cnn", cnn, "momentum", 3, dtype.Float64},
		{"normed", normed, "adamw", 4, dtype.Float32},
		{"normed", normed, "momentum", 2, dtype.BFloat16},
	} {
		t.Run(fmt.Sprintf("%s/%s/%d/%s", tc.name, tc.optimizer, tc.batch, tc.dtype.Name()), func(t *testing.T) {
			devicetest.Use(t, "1")
			net := tc.model(tc.dtype)
			opt := optimizers[tc.optimizer](nn.Parameters(net))
			x, y := tensor.On(device.CPU).As(tc.dtype).Rand(tc.batch, 1, 28, 28), tensor.RandInt(0, 10, tc.batch)
			e, err := plan.Step(net, opt, []*tensor.Tensor{x, y}, classify)
			if err != nil {
				t.Fatal(err)
			}
			peak, reserved := measured(nn.To(net, device.CUDA(0)), opt, x, y)
			if e.Peak != peak || math.Abs(float64(e.Reserved-reserved)) > 0.01*float64(reserved) {
				t.Errorf("estimated a peak of %d bytes, measured %d (%+.2f%%); reserved %d and %d\n%v",
					e.Peak, peak, 100*float64(e.Peak-peak)/float64(peak), e.Reserved, reserved, e)
			}
		})
	}
}
