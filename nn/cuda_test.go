package nn_test

import (
	"math"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func TestModulesMoveInPlace(t *testing.T) {
	devicetest.Simulate(t)
	gpu := cuda.TryGPU(0)
	net := nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 1))
	weight := net.At(0).(*nn.Linear).Weight
	x := tensor.Rand(2, 3)
	want := net.Forward(x)
	nn.To(net, gpu)
	if net.At(0).(*nn.Linear).Weight != weight || weight.Device() != gpu {
		t.Errorf("the weight is another one, or on %s", weight.Device())
	}
	want.Sum().Backward() // what was computed before the move still leads back
	if g := weight.Grad(); g == nil || g.Device() != gpu {
		t.Errorf("the gradient is %v", g)
	}
	got := net.Forward(x.To(gpu))
	for i, w := range tensor.Values[float64](want.Detach()) {
		if g := tensor.Values[float64](got.Detach())[i]; !(math.Abs(g-w) <= 1e-6) {
			t.Errorf("element %d is %v on %s, %v on the CPU", i, g, gpu, w)
		}
	}
	nn.CPU(net)
	if weight.Device() != device.CPU {
		t.Errorf("the weight stays on %s", weight.Device())
	}
}

// TestTrainingAgreesOnAllDevices trains the same models on the CPU and on GPUs.
func TestTrainingAgreesOnAllDevices(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int // of the batch
		steps int
		net   func() *nn.Sequential
	}{
		{"mlp", []int{64, 12}, 50, func() *nn.Sequential {
			return nn.NewSequential(nn.NewLinear(12, 32), nn.NewTanh(), nn.NewLinear(32, 32), nn.NewGELU(), nn.NewLinear(32, 5))
		}},
		{"cnn", []int{6, 1, 8, 8}, 6, func() *nn.Sequential {
			return nn.NewSequential(
				nn.NewConv2D(1, 4, 3, nn.Padding(1), nn.Bias(false)), nn.NewBatchNorm2D(4), nn.NewReLU(), nn.NewMaxPool2D(2),
				nn.NewConv2D(4, 6, 2, nn.Stride(2)), nn.NewTanh(), nn.NewAvgPool2D(2),
				nn.NewFlatten(), nn.NewLayerNorm([]int{6}), nn.NewLinear(6, 5),
			)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { trainOnAllDevices(t, c.net, c.shape, c.steps) })
	}
}

// trainOnAllDevices wants a model's losses to be the CPU's in every step.
func trainOnAllDevices(t *testing.T, model func() *nn.Sequential, shape []int, steps int) {
	losses := map[device.Device][]float64{}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(1)
		net := model()
		x, y := tensor.Randn(shape...).To(dev), tensor.RandInt(0, 5, shape[0]).To(dev)
		nn.To(net, dev)
		o := optim.NewAdam(nn.Parameters(net), optim.LR(0.01))
		for range steps {
			o.ZeroGrad()
			loss := tensor.CrossEntropy(net.Forward(x), y)
			loss.Backward()
			o.Step()
			losses[dev] = append(losses[dev], loss.Float64())
		}
		for i, want := range losses[device.CPU] {
			if got := losses[dev][i]; !(math.Abs(got-want) <= 1e-5*want) {
				t.Fatalf("step %d: the loss is %v, %v on the CPU", i, got, want)
			}
		}
	})
}
