package cuda_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// gpu is where the tests of this file compute.
var gpu = device.CUDA(0)

// captured returns the graph of f, which is closed when the test ends.
func captured(t *testing.T, f func()) *cuda.Graph {
	t.Helper()
	g, err := cuda.Capture(func() error { f(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// replay replays and returns x's elements.
func replay(t *testing.T, g *cuda.Graph, x *tensor.Tensor) []float32 {
	t.Helper()
	if err := g.Replay(); err != nil {
		t.Fatal(err)
	}
	return tensor.Values[float32](x)
}

// refuses wants a capture of f to fail with a *CaptureError that says what to do, and the device to be as good as before.
func refuses(t *testing.T, f func(), parts ...string) {
	t.Helper()
	_, err := cuda.Capture(func() error { f(); return nil })
	var refused *cuda.CaptureError
	if !errors.As(err, &refused) || !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("got %v, want a CaptureError", err)
		return
	}
	for _, part := range append(parts, "CUDA error: operation not permitted when stream is capturing: ") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q says nothing of %q", err, part)
		}
	}
	if got := tensor.On(gpu).Ones(3).Sum().Float64(); got != 3 {
		t.Errorf("after the capture that failed 1+1+1 is %v", got)
	}
}

func equal(t *testing.T, what string, got []float32, want ...float32) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("%s: got %v, want %v", what, got, want)
			return
		}
	}
}

// firstRules are those that PyTorch has learned about what is captured, and 07 to 13 in graph_replay_test.go those about replays: each works here, or is
// refused with a sentence.
var firstRules = map[string]func(t *testing.T){
	"01 forked streams join": func(t *testing.T) { // copies in the background are nodes in the order of issue
		in, out := tensor.Of([]float32{1, 2}).PinMemory(), (*tensor.Tensor)(nil)
		g := captured(t, func() {
			out = in.To(gpu, tensor.NonBlocking(true)).MulScalar(3).To(device.CPU, tensor.NonBlocking(true))
		})
		for _, v := range []float32{1, 5} {
			in.FillInPlace(v)
			if err := errors.Join(g.Replay(), cuda.Synchronize()); err != nil {
				t.Fatal(err)
			}
			equal(t, "the copy", tensor.Values[float32](out), 3*v, 3*v)
		}
		refuses(t, func() { tensor.On(device.CUDA(1)).Ones(2).AddScalar(1) }, "work on cuda:1 while cuda:0 is captured", "one graph for each GPU")
		refuses(t, func() {
			var mark cuda.Event
			panic(&tensor.Error{Kind: tensor.ErrDevice, Err: mark.Record()})
		}, "before and after the replay")
		there := tensor.On(device.CUDA(1)).Ones(2)
		refuses(t, func() { there.To(gpu) }, "a copy from cuda:1 to cuda:0")
	},
	"02 one capture at a time": func(t *testing.T) { // and no warm-up: kernels are loaded meanwhile
		refuses(t, func() {
			_, err := cuda.Capture(func() error { return nil })
			if err == nil || !strings.Contains(err.Error(), "a process captures one graph at a time") {
				t.Errorf("a capture within another: %v", err)
			}
			x := tensor.On(gpu).Ones(2)
			x.CPU()
		})
		x := tensor.On(gpu).Ones(2)
		var y *tensor.Tensor
		g := captured(t, func() { y = x.AddScalar(1).Digamma() })
		equal(t, "a kernel that was never used", replay(t, g, y), tensor.Values[float32](x.AddScalar(1).Digamma())...)
	},
	"03 no synchronization": func(t *testing.T) {
		x := tensor.On(gpu).Ones(4)
		read := "read results after Replay"
		refuses(t, func() { x.Sum().Item() }, read)
		refuses(t, func() { x.CPU() }, read)
		refuses(t, func() { _ = x.AddScalar(1).String() }, read)
		refuses(t, func() {
			if x.Sum().Float64() > 3 { // a branch
				x.AddScalarInPlace(1)
			}
		}, read, "Where")
		refuses(t, func() { x.NonZero() }, read)
		refuses(t, func() { nn.ClipGradNorm(nn.Parameters(&nn.Linear{Weight: parameterWithGrad()}), 1) }, read)
		refuses(t, func() {
			panic(&tensor.Error{Kind: tensor.ErrDevice, Err: cuda.Synchronize()})
		}, "wait for the replay")
		refuses(t, func() { tensor.Of([]float32{1, 2}).To(gpu) }, "pageable memory", "NonBlocking")
	},
	"04 static addresses": func(t *testing.T) {
		x := tensor.On(gpu).Ones(2)
		var y *tensor.Tensor
		g := captured(t, func() { y = x.MulScalar(2) })
		equal(t, "the first replay", replay(t, g, y), 2, 2)
		kept := y.Clone()
		x.CopyInPlace(tensor.Of([]float32{3, 4}))
		equal(t, "new data", replay(t, g, y), 6, 8)
		equal(t, "what was cloned", tensor.Values[float32](kept), 2, 2)
		x.Release()
		var gone *cuda.ReplayError
		if err := g.Replay(); !errors.As(err, &gone) || !strings.Contains(err.Error(), "float32[2] of mul") {
			t.Errorf("a released input: %v", err)
		}
	},
	"05 a private pool": func(t *testing.T) {
		x := tensor.On(gpu).Ones(1 << 20)
		var y *tensor.Tensor
		g := captured(t, func() {
			y = x.AddScalar(1).AddScalar(1).AddScalar(1)
			if err := cuda.EmptyCache(); err != nil {
				t.Error(err)
			}
		})
		others := make([]*tensor.Tensor, 8) // take what a common pool would have
		for i := range others {
			others[i] = tensor.On(gpu).Full([]int{1 << 20}, float32(100+i))
		}
		if got := replay(t, g, y.Narrow(0, 0, 1)); got[0] != 4 {
			t.Errorf("got %v, want 4", got)
		}
		for i, o := range others {
			if min, max := o.Min().Float64(), o.Max().Float64(); min != float64(100+i) || max != min {
				t.Errorf("a replay wrote %v to %v over tensor %d", min, max, i)
			}
		}
	},
	"06 random numbers go on": func(t *testing.T) {
		draw := func(own *tensor.Generator) *tensor.Tensor {
			a := tensor.On(gpu).Ones(5).Dropout(0.5)
			return tensor.Cat([]*tensor.Tensor{a, tensor.On(gpu).Rand(3), tensor.On(gpu).Randn(3), tensor.On(gpu).With(own).Rand(2)}, 0)
		}
		eager := func(own *tensor.Generator) (all []float32) {
			for range 3 {
				all = append(all, tensor.Values[float32](draw(own))...)
			}
			return all
		}
		cuda.ManualSeed(5)
		want := eager(tensor.NewGeneratorOn(gpu, 9))
		cuda.ManualSeed(5)
		own := tensor.NewGeneratorOn(gpu, 9)
		var y *tensor.Tensor
		g := captured(t, func() { y = draw(own) })
		var got []float32
		got = append(got, replay(t, g, y)...)
		got = append(got, tensor.Values[float32](draw(own))...) // between replays
		got = append(got, replay(t, g, y)...)
		equal(t, "replays", got, want...)
	},
}

func parameterWithGrad() *tensor.Tensor {
	p := tensor.Parameter(tensor.On(gpu).Ones(2, 2))
	p.SetGrad(tensor.On(gpu).Ones(2, 2))
	return p
}
