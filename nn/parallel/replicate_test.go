package parallel_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

// counter is a model with buffers that its forward changes in place.
type counter struct {
	Scale *tensor.Tensor
	Rows  *tensor.Tensor `nn:",buffer"`
	Calls *tensor.Tensor `nn:",buffer"`
	Plain *tensor.Tensor `nn:"-"`
	Count int
}

func newCounter() *counter {
	return &counter{Scale: tensor.Parameter(tensor.Ones(1)), Rows: tensor.Zeros(1), Calls: tensor.On(device.CPU).As(dtype.Int64).Zeros(), Plain: tensor.Ones(1)}
}

func (c *counter) Forward(x *tensor.Tensor) *tensor.Tensor {
	c.Count++
	c.Rows.AddScalarInPlace(x.Size(0))
	c.Calls.AddScalarInPlace(1)
	return x.Mul(c.Scale).Add(c.Rows)
}

// TestBuffersOfTheFirstReplicaStay: what others write, and what all set, is lost.
func TestBuffersOfTheFirstReplicaStay(t *testing.T) {
	c := nn.To(newCounter(), device.CUDA(0))
	d := wrap(t, c, parallel.DeviceIDs(ids(3)...))
	for i, want := range []string{"[3 3 3 3 3 3 1]", "[6 6 6 6 6 6 4]"} {
		y := d.Forward(tensor.Zeros(7))
		if got := fmt.Sprint(tensor.Values[int64](y.Detach())); got != want {
			t.Errorf("call %d: got %s, want %s: all start from the model's buffers", i, got, want)
		}
	}
	if c.Rows.Float64() != 6 || c.Calls.Float64() != 2 || c.Count != 0 {
		t.Errorf("got %v rows, %v calls, %d", c.Rows, c.Calls, c.Count)
	}
}

// TestParametersThatChange: each forward computes with what the parameters are now.
func TestParametersThatChange(t *testing.T) {
	net := nn.To(nn.NewLinear(1, 1, nn.Bias(false)), device.CUDA(0))
	d := wrap(t, net, parallel.DeviceIDs(ids(2)...))
	x := tensor.Ones(2, 1)
	expect := func(what string, want float64) {
		t.Helper()
		if got := tensor.Values[float64](d.Forward(x).Detach()); !slices.Equal(got, []float64{want, want}) {
			t.Errorf("%s: got %v, want %v twice", what, got, want)
		}
	}
	net.Weight.Detach().FillInPlace(2)
	expect("filled", 2)
	net.Weight.SetData(tensor.On(device.CUDA(0)).Full([]int{1, 1}, 3.0))
	expect("new data", 3)
	net.Weight = tensor.Parameter(tensor.On(device.CUDA(0)).Full([]int{1, 1}, 4.0))
	expect("another parameter", 4)
	d.Forward(x).Sum().Backward()
	optim.NewSGD(nn.Parameters(d), optim.LR(0.5)).Step()
	expect("a step of an optimizer", 3)
	nn.To(d, dtype.Float64)
	x = x.Double()
	expect("another dtype", 3)
	parallel.Call(d, x, func(l *nn.Linear, x *tensor.Tensor) *tensor.Tensor {
		if x.Device() != device.CUDA(0) {
			l.Weight.Detach().FillInPlace(9)
		}
		return l.Forward(x)
	})
	expect("a change by the second replica", 3)
}

// TestGraphsKeepTheirParameters: a forward after a step does not disturb the graph of one before it, unless that graph looks
// at the parameters themselves, as the main GPU's does.
func TestGraphsKeepTheirParameters(t *testing.T) {
	net := nn.To(nn.NewLinear(1, 1, nn.Bias(false)), device.CUDA(0))
	net.Weight.Detach().FillInPlace(2)
	d := wrap(t, net, parallel.DeviceIDs(ids(2)...))
	x := tensor.Ones(2, 1).SetRequiresGrad(true)
	second := d.Forward(x).Slice(0, 1, 2).Sum()
	net.Weight.SetData(tensor.On(device.CUDA(0)).Full([]int{1, 1}, 5.0))
	d.Forward(x)
	second.Backward()
	if got := tensor.Values[int64](x.Grad()); !slices.Equal(got, []int64{0, 2}) {
		t.Errorf("the gradient is %v, want that by the old weight", got)
	}
}

func TestGradientsAccumulate(t *testing.T) {
	net := nn.To(nn.NewLinear(2, 1), device.CUDA(0))
	d := wrap(t, net, parallel.DeviceIDs(ids(4)...))
	x := tensor.Ones(6, 2)
	first, second := d.Forward(x), d.Forward(x)
	first.Sum().Backward()
	second.Sum().Backward()
	y := d.Forward(x)
	y.Sum().Backward(tensor.RetainGraph(true))
	y.Sum().Backward()
	for name, p := range nn.Parameters(net) {
		for _, got := range tensor.Values[int64](p.Grad()) {
			if got != 24 {
				t.Errorf("%s: the gradient is %v, want 24", name, p.Grad())
			}
		}
	}
	if got := tensor.Grad(d.Forward(x).Sum(), []*tensor.Tensor{net.Bias})[0].Float64(); got != 6 {
		t.Errorf("Grad gives %v, want 6", got)
	}
}

// halves is a model whose parts are used by one replica each.
type halves struct{ First, Second, Third, Fixed *tensor.Tensor }

// TestParametersThatSomeReplicasUse: no gradient is a gradient of zero, unless there is none at all.
func TestParametersThatSomeReplicasUse(t *testing.T) {
	one := func() *tensor.Tensor { return tensor.Parameter(tensor.On(device.CUDA(0)).Ones(1)) }
	h := &halves{one(), one(), one(), one().SetRequiresGrad(false)}
	d := wrap(t, h, parallel.DeviceIDs(ids(2)...))
	parallel.Call(d, tensor.Ones(4), func(h *halves, x *tensor.Tensor) *tensor.Tensor {
		if x.Device() == device.CUDA(0) {
			return x.Mul(h.First).Mul(h.Fixed)
		}
		return x.Mul(h.Second).Mul(h.Fixed)
	}).Sum().Backward()
	if h.First.Grad().Float64() != 2 || h.Second.Grad().Float64() != 2 || h.Third.Grad() != nil || h.Fixed.Grad() != nil {
		t.Errorf("the gradients are %v, %v, %v, %v", h.First.Grad(), h.Second.Grad(), h.Third.Grad(), h.Fixed.Grad())
	}
}

// TestSharedGradients: one gradient that several parameters look at must not be added to in place.
func TestSharedGradients(t *testing.T) {
	one := func() *tensor.Tensor { return tensor.Parameter(tensor.On(device.CUDA(0)).Ones(3)) }
	h := &halves{First: one(), Second: one()}
	d := wrap(t, h, parallel.DeviceIDs(ids(3)...))
	parallel.Call(d, tensor.Ones(3, 3), func(h *halves, x *tensor.Tensor) *tensor.Tensor { return h.First.Add(h.Second).Add(x) }).Sum().Backward()
	for _, p := range []*tensor.Tensor{h.First, h.Second} {
		if got := tensor.Values[int64](p.Grad()); !slices.Equal(got, []int64{3, 3, 3}) {
			t.Errorf("the gradient is %v, want 3", got)
		}
	}
}

// TestOtherDTypes: parameters may be of any float dtype and layout, and of several.
func TestOtherDTypes(t *testing.T) {
	on := tensor.On(device.CUDA(0))
	type mixed struct{ Half, Brain, Single, Double *tensor.Tensor }
	m := &mixed{tensor.Parameter(on.As(dtype.Float16).Ones(3)), tensor.Parameter(on.As(dtype.BFloat16).Ones(5)),
		tensor.Parameter(on.Arange(0, 6, 1).Float().Reshape(2, 3).T()), tensor.Parameter(on.As(dtype.Float64).Ones(1))}
	d := wrap(t, m, parallel.DeviceIDs(ids(5)...))
	y := parallel.Call(d, tensor.Ones(10, 1), func(m *mixed, x *tensor.Tensor) *tensor.Tensor {
		sum := m.Half.Double().Sum().Add(m.Brain.Double().Sum()).Add(m.Double.Sum()).Add(m.Single.Double().Mul(m.Single.Double()).Sum())
		return x.Double().Mul(sum)
	})
	if got, want := y.At(9, 0).Float64(), 3.0+5+1+(1+4+9+16+25); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	y.Sum().Backward()
	for name, p := range nn.Parameters(m) {
		want := slices.Repeat([]int64{10}, p.NumEl())
		if name == "single" {
			want = []int64{0, 60, 20, 80, 40, 100}
		}
		if got := tensor.Values[int64](p.Grad()); !slices.Equal(got, want) {
			t.Errorf("%s: the gradient is %v, want %v", name, got, want)
		}
	}
}

// TestFrozenModelsAreCopiedOnce: inference copies parameters only after they changed.
func TestFrozenModelsAreCopiedOnce(t *testing.T) {
	driver := devicetest.Use(t, "4")
	net := nn.To(nn.NewSequential(nn.NewLinear(3, 3), nn.NewReLU(), nn.NewLinear(3, 3)), device.CUDA(0))
	frozen := nn.Frozen(wrap(t, net))
	x := tensor.Ones(8, 3)
	copies := func() int {
		before := driver.Calls("cuMemcpyPeerAsync")
		y := frozen.Forward(x)
		if y.RequiresGrad() {
			t.Error("the result tracks gradients")
		}
		return driver.Calls("cuMemcpyPeerAsync") - before
	}
	const outputs = 3
	if got := copies(); got != outputs+3 {
		t.Errorf("the first forward makes %d copies between GPUs, want %d", got, outputs+3)
	}
	if got := copies(); got != outputs {
		t.Errorf("the second makes %d, want %d", got, outputs)
	}
	net.At(0).(*nn.Linear).Bias.Detach().FillInPlace(1)
	if got := copies(); got != outputs+3 {
		t.Errorf("one after a change makes %d, want %d", got, outputs+3)
	}
}

// TestDropoutDrawsTheSameMasks: after a seed for all GPUs each drops the same elements of its part.
func TestDropoutDrawsTheSameMasks(t *testing.T) {
	tensor.ManualSeed(0)
	d := wrap(t, nn.NewDropout(.5), parallel.DeviceIDs(ids(3)...))
	y := tensor.Values[int64](d.Forward(tensor.Ones(3, 64)))
	if !slices.Equal(y[:64], y[64:128]) || !slices.Equal(y[:64], y[128:]) || !slices.Contains(y, 0) || !slices.Contains(y, 2) {
		t.Errorf("got %v", y)
	}
	if x := tensor.Ones(3, 64); !slices.Equal(tensor.Values[int64](nn.Eval(d).Forward(x)), tensor.Values[int64](x)) {
		t.Error("evaluation drops elements")
	}
}

// TestNested: the inner one finds its model on other GPUs than its own.
func TestNested(t *testing.T) {
	inner := wrap(t, nn.To(nn.NewLinear(3, 2), device.CUDA(0)), parallel.DeviceIDs(ids(2)...))
	outer := wrap(t, inner, parallel.DeviceIDs(ids(2)...))
	err := tensor.Try(func() { outer.Forward(tensor.Ones(4, 3)) })
	want := "Caught RuntimeError in replica 1 on device 1.\nOriginal error: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cuda:1"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestModelsThatAreNoModules(t *testing.T) {
	type plain struct{ Layer *nn.Linear }
	d := wrap(t, &plain{nn.To(nn.NewLinear(3, 2), device.CUDA(0))}, parallel.DeviceIDs(ids(2)...))
	err := tensor.Try(func() { d.Forward(tensor.Ones(4, 3)) })
	if err == nil || !strings.Contains(err.Error(), "*parallel_test.plain has no Forward of one tensor to one tensor: use parallel.Call") {
		t.Errorf("got %v", err)
	}
	y := parallel.Call(d, tensor.Ones(4, 3), func(p *plain, x *tensor.Tensor) *tensor.Tensor { return p.Layer.Forward(x) })
	if y.Size(0) != 4 {
		t.Errorf("got %v", y)
	}
}

// TestBatchNorm: the running statistics are those of the first part, as if one device had been given it.
func TestBatchNorm(t *testing.T) {
	tensor.ManualSeed(3)
	x := tensor.Randn(6, 4)
	one, many := nn.NewBatchNorm1D(4), nn.To(nn.NewBatchNorm1D(4), device.CUDA(0))
	got := wrap(t, many, parallel.DeviceIDs(ids(3)...)).Forward(x.To(device.CUDA(1)))
	agree := func(what string, a, b *tensor.Tensor) {
		t.Helper()
		bs := tensor.Values[float64](b)
		for i, v := range tensor.Values[float64](a) {
			if !(math.Abs(v-bs[i]) <= 1e-5) {
				t.Fatalf("%s: element %d is %v, want %v", what, i, v, bs[i])
			}
		}
	}
	agree("first part", got.Detach().Slice(0, 0, 2), one.Forward(x.Slice(0, 0, 2)).Detach())
	agree("running mean", many.RunningMean, one.RunningMean)
	agree("running variance", many.RunningVar, one.RunningVar)
	if n := many.NumBatchesTracked.Float64(); n != 1 {
		t.Errorf("%v batches were tracked", n)
	}
}

// TestFrozenModelsServeManyGoroutines shares one model between requests.
func TestFrozenModelsServeManyGoroutines(t *testing.T) {
	net := nn.To(nn.NewSequential(nn.NewLinear(3, 3), nn.NewTanh()), device.CUDA(0))
	d := nn.Frozen(wrap(t, net, parallel.DeviceIDs(ids(3)...)))
	x := tensor.Rand(5, 3)
	want := tensor.Values[float64](d.Forward(x))
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			if got := tensor.Values[float64](d.Forward(x)); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	running.Wait()
}
