package parallel_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

// slowGPUs lends GPUs on which even small kernels take a millisecond, so that a test of large ones is quick.
func slowGPUs(t *testing.T, n int) *devicetest.GPUs {
	t.Helper()
	gpu := `{"preset": "a100", "peak": "0.05G/s", "bandwidth": "0.2GB/s"}`
	file := filepath.Join(t.TempDir(), "machine.json")
	if err := os.WriteFile(file, []byte(`{"gpus": [`+strings.Repeat(gpu+",", n-1)+gpu+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return devicetest.Use(t, file)
}

// training is a model and a batch for it.
type training struct {
	net  *nn.Sequential
	x, y *tensor.Tensor
	opt  *optim.Algorithm
}

const classes = 4

func newTraining(rows, width int) *training {
	tensor.ManualSeed(1)
	dev := device.CUDA(0)
	var layers []nn.Module
	for range 3 {
		layers = append(layers, nn.NewLinear(width, width), nn.NewTanh())
	}
	layers = append(layers, nn.NewLinear(width, classes))
	net := nn.To(nn.NewSequential(layers...), dev)
	return &training{net, tensor.On(device.CPU).Randn(rows, width).To(dev), tensor.On(device.CPU).RandInt(0, classes, rows).To(dev),
		optim.NewSGD(nn.Parameters(net), optim.LR(0.1))}
}

// step trains once and gives everything back that it needed.
func (tr *training) step(forward func(*tensor.Tensor) *tensor.Tensor) {
	s := tensor.NewScope()
	defer s.Close()
	tensor.CrossEntropy(forward(s.Enter(tr.x)), tr.y).Backward()
	tr.opt.Step()
	for _, p := range nn.Parameters(tr.net) {
		g := p.Grad()
		p.SetGrad(nil)
		g.Release()
	}
}

// TestReplicasRunAtOnce compares the modelled time of a step on four devices with that on one.
func TestReplicasRunAtOnce(t *testing.T) {
	if race.Enabled {
		t.Skip("too slow under the race detector")
	}
	driver := slowGPUs(t, 4)
	tr := newTraining(512, 48)
	timed := func(n int) time.Duration {
		d := wrap(t, tr.net, parallel.DeviceIDs(ids(n)...))
		before := driver.Now()
		tr.step(d.Forward)
		return driver.Now() - before
	}
	one, four := timed(1), timed(4)
	t.Logf("a step takes %v on one device and %v on four", one, four)
	if four > one*4/10 {
		t.Errorf("a step takes %v on four devices, more than 0.4 of the %v on one", four, one)
	}
}

// TestLaunches counts what a DataParallel launches beside the model's own kernels, for few parameters and for many.
func TestLaunches(t *testing.T) {
	if race.Enabled {
		t.Skip("too slow under the race detector")
	}
	for _, n := range []int{2, 4, 8} {
		driver := devicetest.Use(t, "8")
		for _, layers := range []int{1, 6} {
			tensor.ManualSeed(1)
			var list []nn.Module
			for range layers {
				list = append(list, nn.NewLinear(4, 4), nn.NewReLU())
			}
			net := nn.To(nn.NewSequential(list...), device.CUDA(0))
			x := tensor.Ones(16, 4)
			count := func(n int) int {
				d := wrap(t, net, parallel.DeviceIDs(ids(n)...))
				run := func() {
					nn.ZeroGrad(net)
					y := d.Forward(x)
					y.Backward(tensor.Gradient(tensor.OnesLike(y)))
				}
				run()
				net.At(0).(*nn.Linear).Weight.Detach().MulScalarInPlace(0.5)
				before := driver.Calls("cuLaunchKernel")
				run()
				return driver.Calls("cuLaunchKernel") - before
			}
			own := count(1) - 1 // without the gradient's ones
			if extra := count(n) - 1 - n*own; extra > 5*n || extra < 0 {
				t.Errorf("%d layers on %d devices: %d launches beside the model's %d on each", layers, n, extra, own)
			} else {
				t.Logf("%d layers on %d devices: %d launches beside the model's %d on each", layers, n, extra, own)
			}
		}
	}
}

// twoDTypes is a model of which a part computes in another dtype.
type twoDTypes struct {
	In   *nn.Linear
	Norm *nn.BatchNorm1D
	Out  [4]*nn.Linear
}

func (m *twoDTypes) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := m.Norm.Forward(m.In.Forward(x)).Half()
	for _, l := range m.Out {
		y = l.Forward(y)
	}
	return y
}

// TestLaunchesForSeveralDTypes counts for parameters of two dtypes, which are added by one launch each, and buffers.
func TestLaunchesForSeveralDTypes(t *testing.T) {
	if race.Enabled {
		t.Skip("too slow under the race detector")
	}
	for _, n := range []int{2, 8} {
		driver := devicetest.Use(t, "8")
		net := &twoDTypes{In: nn.NewLinear(3, 4), Norm: nn.NewBatchNorm1D(4)}
		for i := range net.Out {
			net.Out[i] = nn.NewLinear(4, 4, nn.As(dtype.Float16))
		}
		nn.To(net, device.CUDA(0))
		x := tensor.Rand(32, 3)
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
		if extra := count(n) - 1 - n*own; extra > 5*n || extra < 0 {
			t.Errorf("%d devices: %d launches beside the model's %d on each", n, extra, own)
		} else {
			t.Logf("%d devices: %d launches beside the model's %d on each", n, extra, own)
		}
	}
}

// TestMemoryStaysFlat trains for many steps: each device holds after each step what it held after the second.
func TestMemoryStaysFlat(t *testing.T) {
	devicetest.Use(t, "4")
	tr := newTraining(64, 16)
	d := wrap(t, tr.net)
	var want, peak [4]int64
	for step := range 20 {
		tr.step(d.Forward)
		for i := range want {
			got, most := cuda.MemoryAllocated(i), cuda.MaxMemoryAllocated(i)
			if step == 1 {
				want[i], peak[i] = got, most
			}
			if step > 1 && (got != want[i] || most != peak[i]) {
				t.Fatalf("step %d: cuda:%d holds %d bytes and held %d, after the second %d and %d", step, i, got, most, want[i], peak[i])
			}
		}
	}
	const parameters = 3 * (16*16 + 16) * 4
	for i, got := range want[1:] {
		if got > parameters+16*512 {
			t.Errorf("cuda:%d holds %d bytes, more than the %d of the parameters", i+1, got, parameters)
		}
	}
}
