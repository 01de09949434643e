package parallel_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

// imageNet returns a model for images [n, 2, 6, 6]: convolutions, batch norm and both kinds of pools.
func imageNet(dt dtype.DType) *nn.Sequential {
	tensor.ManualSeed(1)
	as := nn.As(dt)
	return nn.NewSequential(
		nn.NewConv2D(2, 4, 3, nn.Padding(1), as), nn.NewBatchNorm2D(4, as), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewConv2D(4, 4, 2, nn.Bias(false), as), nn.NewReLU(), nn.NewAdaptiveAvgPool2D(1, 1), nn.NewFlatten(), nn.NewLinear(4, 3, as))
}

// TestConvolutionsLearnAsOnOneDevice trains a model of images. Batch norm uses its running statistics, for those of a part are not
// those of the batch.
func TestConvolutionsLearnAsOnOneDevice(t *testing.T) {
	batches, devices := []int{7, 1}, []int{1, 2, 3, 4, 8}
	if race.Enabled {
		batches, devices = []int{5}, []int{3} // as above
	}
	for _, batch := range batches {
		one := imageNet(dtype.Float64)
		want := imageLosses(one.Forward, one, device.CPU, batch)
		for _, n := range devices {
			t.Run(fmt.Sprintf("%d images on %d GPUs", batch, n), func(t *testing.T) {
				d := wrap(t, nn.To(imageNet(dtype.Float64), device.CUDA(0)), parallel.DeviceIDs(ids(n)...))
				got := imageLosses(d.Forward, d, device.CUDA(0), batch)
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-6*want[i]) {
						t.Fatalf("step %d: the loss is %v, %v on the CPU", i, got[i], want[i])
					}
				}
			})
		}
	}
}

func imageLosses(forward func(*tensor.Tensor) *tensor.Tensor, model any, dev device.Device, batch int) []float64 {
	nn.Eval(model)
	tensor.ManualSeed(2)
	x, y := tensor.On(device.CPU).As(dtype.Float64).Randn(batch, 2, 6, 6).To(dev), tensor.On(device.CPU).RandInt(0, 3, batch).To(dev)
	o := optim.NewSGD(nn.Parameters(model), optim.LR(0.1), optim.Momentum(0.9))
	var out []float64
	for range 4 {
		o.ZeroGrad()
		loss := tensor.CrossEntropy(forward(x), y)
		loss.Backward()
		o.Step()
		out = append(out, loss.Float64())
	}
	return out
}

// TestBatchNormOfImages trains in parts: each part has its own mean and variance, the gradients are the sum of those of the
// parts, and the running statistics are those of the first.
func TestBatchNormOfImages(t *testing.T) {
	tensor.ManualSeed(3)
	x := tensor.On(device.CPU).As(dtype.Float64).Randn(5, 2, 6, 6)
	many, one, other := nn.To(imageNet(dtype.Float64), device.CUDA(0)), imageNet(dtype.Float64), imageNet(dtype.Float64)
	wrap(t, many, parallel.DeviceIDs(ids(2)...)).Forward(x).Sum().Backward()
	one.Forward(x.Slice(0, 0, 3)).Sum().Backward()
	other.Forward(x.Slice(0, 3, 5)).Sum().Backward()

	state, first := nn.State(many), nn.State(one)
	for name := range first {
		if !state[name].CPU().AllClose(first[name], 1e-12, 1e-12) {
			t.Errorf("%s is %v, %v after the first part alone", name, state[name], first[name])
		}
	}
	parts := nn.ParameterList(other)
	for i, p := range nn.ParameterList(one) {
		got := nn.ParameterList(many)[i].Grad()
		if want := p.Grad().Add(parts[i].Grad()); got.Device() != device.CUDA(0) || !got.CPU().AllClose(want, 1e-9, 1e-12) {
			t.Errorf("gradient %d is %v, want %v", i, got, want)
		}
	}
}

// TestConvolutionsRunAtOnce does for images what TestReplicasRunAtOnce does for rows.
func TestConvolutionsRunAtOnce(t *testing.T) {
	if race.Enabled {
		t.Skip("too slow under the race detector")
	}
	driver := slowGPUs(t, 4)
	net := nn.To(imageNet(dtype.Float32), device.CUDA(0))
	x := tensor.On(device.CPU).Randn(96, 2, 6, 6).To(device.CUDA(0))
	timed := func(n int) time.Duration {
		d := wrap(t, net, parallel.DeviceIDs(ids(n)...))
		before := driver.Now()
		d.Forward(x).Sum().Backward()
		return driver.Now() - before
	}
	one, four := timed(1), timed(4)
	t.Logf("a step takes %v on one device and %v on four", one, four)
	if four > one*4/10 {
		t.Errorf("a step takes %v on four devices, more than 0.4 of the %v on one", four, one)
	}
}

// TestLaunchesForImages counts launches beside the model's own: buffers travel too.
func TestLaunchesForImages(t *testing.T) {
	if race.Enabled {
		t.Skip("too slow under the race detector")
	}
	driver := devicetest.Use(t, "4")
	net := nn.To(imageNet(dtype.Float32), device.CUDA(0))
	x := tensor.Ones(8, 2, 6, 6)
	count := func(n int) int {
		d := wrap(t, net, parallel.DeviceIDs(ids(n)...))
		run := func() {
			nn.ZeroGrad(net)
			y := d.Forward(x)
			y.Backward(tensor.Gradient(tensor.OnesLike(y)))
		}
		run()
		for _, p := range nn.Parameters(net) {
			p.Detach().MulScalarInPlace(0.5)
		}
		before := driver.Calls("cuLaunchKernel")
		run()
		return driver.Calls("cuLaunchKernel") - before
	}
	own := count(1) - 1 // without the gradient's ones
	for _, n := range []int{2, 4} {
		extra := count(n) - 1 - n*own
		t.Logf("%d devices: %d launches beside the model's %d on each", n, extra, own)
		if extra > 5*n || extra < 0 {
			t.Errorf("%d launches on %d devices beside the model's %d on each", extra, n, own)
		}
	}
}

// TestImagesOnAGPUThatFails: what a part of the model refuses on one device is told, and the model goes on.
func TestImagesOnAGPUThatFails(t *testing.T) {
	net := nn.To(imageNet(dtype.Float32), device.CUDA(0))
	d := wrap(t, net, parallel.DeviceIDs(ids(3)...))
	mean := func() []float64 { return tensor.Values[float64](net.At(1).(*nn.BatchNorm2D).RunningMean) }
	err := tensor.Try(func() {
		parallel.Call(d, tensor.Ones(3, 2, 6, 6), func(m *nn.Sequential, x *tensor.Tensor) *tensor.Tensor {
			if x.Device() == device.CUDA(2) {
				x = x.CPU()
			}
			return m.Forward(x)
		})
	})
	const want = "Caught RuntimeError in replica 2 on device 2.\nOriginal error: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	before := mean()
	if y := d.Forward(tensor.Randn(3, 2, 6, 6)); y.Size(0) != 3 || slices.Equal(before, mean()) {
		t.Errorf("the next step gives %v", y)
	}
}
