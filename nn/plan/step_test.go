package plan_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/nn/plan"
	"cresset/optim"
	"cresset/smi"
	"cresset/tensor"
)

// state writes down all that a plan must leave alone.
func state(t *testing.T, net nn.Module, opt optim.Optimizer) string {
	t.Helper()
	var b bytes.Buffer
	for name, p := range nn.Parameters(net) {
		fmt.Fprintln(&b, name, p, p.Version(), p.Grad(), p.Device())
	}
	for name, p := range nn.Buffers(net) {
		fmt.Fprintln(&b, name, p, p.Version())
	}
	current, err := cuda.CurrentDevice()
	gpu := tensor.DefaultGenerator(device.CUDA(0)).State()
	fmt.Fprintln(&b, tensor.DefaultGenerator(device.CPU).State(), gpu, current, err, cuda.DeviceCount(), cuda.MemoryStats(0), opt.Groups()[0].LR)
	for _, m := range net.(*nn.Sequential).Modules {
		fmt.Fprintf(&b, "%v\n", m)
		if m, ok := m.(interface{ Training() bool }); ok {
			fmt.Fprintln(&b, m.Training())
		}
	}
	return b.String()
}

func TestEverythingStaysAsItIs(t *testing.T) {
	devicetest.Use(t, "2")
	net := normed(dtype.Float32)
	opt := optim.NewAdam(nn.Parameters(net))
	x, y := tensor.Rand(4, 1, 28, 28), tensor.RandInt(0, 10, 4)
	tensor.CrossEntropy(net.Forward(x), y).Backward()
	opt.Step()
	nn.Eval(net.(*nn.Sequential).At(4))
	before := state(t, net, opt)
	var first *plan.Estimate
	for range 2 {
		e, err := plan.Step(net, opt, []*tensor.Tensor{x, y}, classify)
		if err != nil {
			t.Fatal(err)
		}
		if after := state(t, net, opt); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		if first != nil && !reflect.DeepEqual(e, first) {
			t.Errorf("the first estimate is\n%v\nthe second\n%v", first, e)
		}
		first = e
	}
}

// TestMoreThanTheMachineHas plans a model whose parameters alone take 4 TiB.
func TestMoreThanTheMachineHas(t *testing.T) {
	const width = 1 << 20
	net := nn.NewSequential(nn.NewLinear(width, width, nn.On(device.Meta), nn.Bias(false)))
	opt := optim.NewAdam(nn.Parameters(net))
	e, err := plan.Step(net, opt, []*tensor.Tensor{tensor.On(device.Meta).Empty(8, width)}, func(net *nn.Sequential, batch []*tensor.Tensor) *tensor.Tensor {
		return net.Forward(batch[0]).Mean()
	})
	if err != nil {
		t.Fatal(err)
	}
	const weights = 4 * width * width
	if e.Parameters != weights || e.Gradients != weights || e.OptimizerState != 2*weights || e.Batch != 4*8*width || e.Peak <= 4*weights || e.Reserved < e.Peak {
		t.Errorf("got %+v", e)
	}
	if got, want := strings.Split(e.String(), "\n")[1], "  parameters          4.0 TiB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestModelThatLooksAtElements wants an error that tells why there is no plan.
func TestModelThatLooksAtElements(t *testing.T) {
	net := mlp(dtype.Float32)
	for name, look := range map[string]func(y *tensor.Tensor){
		"Item": func(y *tensor.Tensor) { y.Sum().Item() }, "Values": func(y *tensor.Tensor) { tensor.Values[float32](y) },
		"NonZero": func(y *tensor.Tensor) { y.NonZero() }, "CPU": func(y *tensor.Tensor) { y.CPU() },
	} {
		_, err := plan.Step(net, nil, []*tensor.Tensor{tensor.Rand(2, 784)}, func(net nn.Module, batch []*tensor.Tensor) *tensor.Tensor {
			y := net.Forward(batch[0])
			look(y)
			return y.Sum()
		})
		var failed *plan.Error
		if !errors.Is(err, tensor.ErrMeta) || !errors.As(err, &failed) || !strings.Contains(failed.Hint(), "shapes alone") || !strings.Contains(err.Error(), "meta tensor") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestStepsThatFail(t *testing.T) {
	net := mlp(dtype.Float32)
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(1))
	x, y := tensor.Rand(2, 784), tensor.RandInt(0, 10, 2)
	for _, tc := range []struct {
		name, want string
		batch      []*tensor.Tensor
	}{
		{"no batch", "plan: a step needs a batch", nil},
		{"three tensors", "plan: a batch of Fits is the input, or the input and its labels, but got 3 tensors; Step takes any", []*tensor.Tensor{x, y, y}},
		{"wrong shape", "plan: mat1 and mat2 shapes cannot be multiplied (2x10 and 784x128)", []*tensor.Tensor{tensor.Rand(2, 10), y}},
		{"wrong dtype", "plan: mat1 and mat2 must have the same dtype, but got Double and Float", []*tensor.Tensor{x.Double(), y}},
	} {
		var failed *plan.Error
		if e, err := plan.Fits(net, opt, tc.batch...); e != nil || !errors.As(err, &failed) || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

func TestFitsOnWhatThereIs(t *testing.T) {
	net := mlp(dtype.Float32)
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(1))
	x, y := tensor.Rand(64, 784), tensor.RandInt(0, 10, 64)
	t.Setenv("CRESSET_SIM", "2")
	e, err := plan.Fits(net, opt, x, y)
	if err != nil || len(e.GPUs) != 2 || !e.GPUs[0].Fits || e.GPUs[1].GPU.Index != 1 {
		t.Fatalf("%v, %v", e, err)
	}
	if text := e.String(); !strings.Contains(text, "\nfits on GPU 1, ") || !strings.Contains(text, " (simulated): ") {
		t.Error(text)
	}
	gpus := []smi.GPU{
		{Index: 0, Name: "full", Memory: smi.Memory{Total: 1 << 30, Used: 1<<30 - 1<<20, Free: 1 << 20}},
		{Index: 1, Name: "taken", Memory: smi.Memory{Total: 1 << 30, Free: 1 << 30}, ReservedBy: &smi.Holder{PID: 42, Name: "train"}},
		{Index: 2, Name: "free", Memory: smi.Memory{Total: 1 << 30, Free: 1 << 30}},
	}
	var lines []string
	for _, f := range e.On(gpus) {
		lines = append(lines, f.String())
	}
	want := []string{
		"does not fit on GPU 0, full: 1 MiB free",
		"does not fit on GPU 1, taken: reserved by train (pid 42)",
		"fits on GPU 2, free: 1.0 GiB of 1.0 GiB free",
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
}

func TestWithoutGPUsTheEstimateStands(t *testing.T) {
	t.Setenv("CRESSET_SIM", "0")
	net := mlp(dtype.Float32)
	e, err := plan.Fits(net, nil, tensor.Rand(64, 784))
	var none *smi.Error
	if !errors.As(err, &none) || !errors.Is(err, smi.ErrNoGPU) || e == nil || e.Peak == 0 || len(e.GPUs) != 0 {
		t.Errorf("got %v, %v", e, err)
	}
}

// TestManyPlansAtOnce counts none of the others' memory, and leaves nothing behind.
func TestManyPlansAtOnce(t *testing.T) {
	x, y := tensor.Rand(2, 784), tensor.RandInt(0, 10, 2)
	once := func() plan.Estimate {
		net := mlp(dtype.Float32)
		e, err := plan.Step(net, optim.NewAdam(nn.Parameters(net)), []*tensor.Tensor{x, y}, classify)
		if err != nil {
			t.Error(err)
			return plan.Estimate{}
		}
		return *e
	}
	want := once()
	goroutines := runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				if got := once(); !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	all.Wait()
	for runtime.NumGoroutine() > goroutines { // one that said it is done may take a moment to end; one that stays is shown by go test's own limit
		time.Sleep(time.Millisecond)
	}
}

func BenchmarkStep(b *testing.B) {
	net := cnn(dtype.Float32)
	opt := optim.NewAdam(nn.Parameters(net))
	batch := []*tensor.Tensor{tensor.Rand(64, 1, 28, 28), tensor.RandInt(0, 10, 64)}
	for b.Loop() {
		if _, err := plan.Step(net, opt, batch, classify); err != nil {
			b.Fatal(err)
		}
	}
}
