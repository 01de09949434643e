package parallel_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

func ids(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func wrap[M any](t testing.TB, model M, opts ...parallel.Option) *parallel.DataParallel[M] {
	t.Helper()
	d, err := parallel.NewDataParallel(model, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// perceptron returns a model in float64 with parameters that are tied and some that are unused.
func perceptron() *nn.Sequential {
	tensor.ManualSeed(1)
	shared := nn.NewLinear(6, 6, nn.As(dtype.Float64))
	return nn.NewSequential(nn.NewLinear(5, 6, nn.As(dtype.Float64)), nn.NewTanh(), shared, nn.NewGELU(), shared, nn.NewLinear(6, 3, nn.As(dtype.Float64), nn.Bias(false)))
}

// losses trains for some steps and returns each step's loss.
func losses(t *testing.T, forward func(*tensor.Tensor) *tensor.Tensor, parameters any, dev device.Device, batch int) []float64 {
	t.Helper()
	tensor.ManualSeed(2)
	x, y := tensor.On(device.CPU).As(dtype.Float64).Randn(batch, 5).To(dev), tensor.On(device.CPU).RandInt(0, 3, batch).To(dev)
	o := optim.NewAdam(nn.Parameters(parameters), optim.LR(0.05))
	var out []float64
	for range 10 {
		o.ZeroGrad()
		loss := tensor.CrossEntropy(forward(x), y)
		loss.Backward()
		o.Step()
		out = append(out, loss.Float64())
	}
	return out
}

// TestLossesAreThoseOfOneDevice trains one model on the CPU and on GPUs.
func TestLossesAreThoseOfOneDevice(t *testing.T) {
	batches, devices := []int{16, 13, 3, 1}, []int{1, 2, 3, 4, 8}
	if race.Enabled {
		batches, devices = []int{5}, []int{3} // the race detector makes kernels slow, and one case shows it all
	}
	for _, batch := range batches {
		one := perceptron()
		want := losses(t, one.Forward, one, device.CPU, batch)
		for _, n := range devices {
			t.Run(fmt.Sprintf("%d rows on %d GPUs", batch, n), func(t *testing.T) {
				net := nn.To(perceptron(), device.CUDA(0))
				d := wrap(t, net, parallel.DeviceIDs(ids(n)...))
				got := losses(t, d.Forward, d, device.CUDA(0), batch)
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-6*want[i]) {
						t.Fatalf("step %d: the loss is %v, %v on the CPU", i, got[i], want[i])
					}
				}
				for name, p := range nn.Parameters(d) {
					if p.Device() != device.CUDA(0) || p.Grad().Device() != device.CUDA(0) {
						t.Errorf("%s is on %s, its gradient on %s", name, p.Device(), p.Grad().Device())
					}
				}
			})
		}
	}
}
