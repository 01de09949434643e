package cuda_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/driver"
	"cresset/optim"
	"cresset/tensor"
)

// onStream returns a stream, and a scope that computes on it.
func onStream(t *testing.T) (*cuda.Stream, *tensor.Scope) {
	t.Helper()
	s, err := cuda.NewStream(0)
	if err != nil {
		t.Fatal(err)
	}
	return s, tensor.NewScope(s)
}

// TestStreamsComputeBesideEachOther has kernels on two streams take the time of one, by the modelled clock, and those on one stream that of both.
func TestStreamsComputeBesideEachOther(t *testing.T) {
	gpus := devicetest.Use(t, "h100:1")
	x := tensor.On(device.CUDA(0)).Ones(100)
	s1, scope1 := onStream(t)
	s2, scope2 := onStream(t)
	took := func(a, b *tensor.Scope) float64 {
		u, v := a.Enter(x), b.Enter(x)
		u.Neg() // waits for x
		v.Neg()
		before := gpus.Now()
		for range 10 {
			u = u.Neg()
			v = v.Neg()
		}
		return (gpus.Now() - before).Seconds() * 1e6
	}
	if apart, together := took(scope1, scope2), took(scope1, scope1); apart > 45 || together < 79 { // 10 and 20 kernels of 4 us
		t.Errorf("on two streams %v us, on one %v us", apart, together)
	}
	for _, s := range []*cuda.Stream{s1, s2} {
		if err := s.Synchronize(); err != nil {
			t.Error(err)
		}
		if done, err := s.Query(); !done || err != nil || s.Device() != device.CUDA(0) {
			t.Errorf("%v, %v on %v", done, err, s.Device())
		}
	}
}

// TestStreamsFollowData tells from a profile on which stream ops run: a scope's, that of a scope opened later, and in gradients that of the loss.
func TestStreamsFollowData(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	_, scope := onStream(t)
	p := profiled(t, func() {
		x := on.Ones(4).SetRequiresGrad(true)
		y := scope.Enter(x).Exp()                 // 4
		inner := tensor.NewScope()                // takes over the stream
		inner.Enter(y.Detach()).Log()             // 4
		y.Sum().Backward()                        // 4, and the product in its gradient
		x.Neg()                                   // 0
		scope.Enter(tensor.Ones(4)).CUDA().Sqrt() // copied and computed on 4
		tensor.NewScope().Enter(x).Cos()          // 0
	})
	var b strings.Builder
	if err := p.WriteChromeTrace(&b); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"exp_f32": "4", "log_f32": "4", "sum_columns_f32": "4", "mul_f32": "4", "neg_f32": "0", "Memcpy HtoD (Pinned -> Device)": "4", "sqrt_f32": "4", "cos_f32": "0",
	} {
		_, line, found := strings.Cut(b.String(), `"name":"`+name+`","pid":0,"tid":`)
		if got, _, _ := strings.Cut(line, ","); !found || got != want {
			t.Errorf("%s runs on stream %q, want %s", name, got, want)
		}
	}
}

// TestStreamsWaitForEachOther passes values from stream to stream, in place too, where a missing wait shows as a wrong value: the simulator runs
// streams beside each other.
func TestStreamsWaitForEachOther(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	_, scope1 := onStream(t)
	_, scope2 := onStream(t)
	const n, rounds = 5000, 40
	x := on.Zeros(n)
	want := float32(0)
	for i := range rounds {
		y := scope1.Enter(x).AddScalar(1)
		z := scope2.Enter(y).AddScalar(1)
		x.CopyInPlace(z) // on the device's own stream: what scope1 reads is written
		want += 2
		if i%8 == 0 {
			y.AddScalarInPlace(100) // on scope1's stream, after scope2 has read it
		}
		y.Release()
		z.Release()
	}
	for i, got := range tensor.Values[float32](x) {
		if got != want {
			t.Fatalf("element %d is %v, want %v", i, got, want)
		}
	}
}

// TestStreamsShareMemoryByEvents frees on one stream what another reads, and allocates again.
func TestStreamsShareMemoryByEvents(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	_, scope := onStream(t)
	const n = 5000
	for i := range 30 {
		x := on.Full([]int{n}, float32(i))
		y := scope.Enter(x).MulScalar(2)
		x.Release()
		on.Full([]int{n}, float32(-1)) // would lie where x was
		if got := tensor.Values[float32](y); slices.Min(got) != float32(2*i) || slices.Max(got) != float32(2*i) {
			t.Fatalf("round %d: from %v to %v, want %d", i, slices.Min(got), slices.Max(got), 2*i)
		}
		y.Release()
	}
}

// TestStreamsAmongGoroutines computes on four streams at once, of what all of them read.
func TestStreamsAmongGoroutines(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	w := on.Ones(64, 64)
	var all sync.WaitGroup
	for g := range 4 {
		_, scope := onStream(t)
		all.Go(func() {
			x := scope.Enter(on.Full([]int{1, 64}, float32(g)))
			for range 5 {
				x = x.MM(w).DivScalar(64)
			}
			if got := tensor.Values[float32](x); slices.Min(got) != float32(g) || slices.Max(got) != float32(g) {
				t.Errorf("stream %d: from %v to %v", g, slices.Min(got), slices.Max(got))
			}
			scope.Close()
		})
	}
	all.Wait()
}

func TestStreamsWaitForEvents(t *testing.T) {
	gpus := devicetest.Use(t, "h100:1")
	x := tensor.On(device.CUDA(0)).Ones(10)
	s1, scope1 := onStream(t)
	s2, scope2 := onStream(t)
	y, z := scope1.Enter(x), scope2.Enter(x)
	var start, end cuda.Event
	if err := s1.RecordEvent(&start); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		y = y.Neg()
	}
	if err := s2.WaitStream(s1); err != nil {
		t.Fatal(err)
	}
	z.Neg()
	if err := s2.RecordEvent(&end); err != nil {
		t.Fatal(err)
	}
	if err := end.Synchronize(); err != nil {
		t.Fatal(err)
	}
	if got, err := start.ElapsedTime(&end); err != nil || got < 0.024-1e-4 { // six kernels, one after the other
		t.Errorf("got %v ms, %v", got, err)
	}
	gpus.Fail("cuStreamWaitEvent", 0, driver.ErrInvalidValue)
	if err := s2.WaitEvent(&start); err == nil {
		t.Error("the driver refuses, and nobody says so")
	}
	gpus.Fail("cuStreamCreate*", 0, driver.ErrInvalidValue)
	if _, err := cuda.NewStream(0); err == nil || !strings.HasPrefix(err.Error(), "CUDA error: invalid argument") {
		t.Errorf("NewStream: %v", err)
	}
}

// TestTrainingOnAStream has the bits of one on the device's own stream: gradients and steps of optimizers wait for what they read.
func TestTrainingOnAStream(t *testing.T) {
	devicetest.Use(t, "h100:1")
	on := tensor.On(device.CUDA(0))
	_, scope := onStream(t)
	train := func(in *tensor.Scope) []float32 {
		w := on.Full([]int{16, 16}, 0.1).SetRequiresGrad(true)
		v := on.Full([]int{16, 1}, -0.2).SetRequiresGrad(true)
		o := optim.NewAdam(maps.All(map[string]*tensor.Tensor{"w": w, "v": v}), optim.LR(0.1))
		for i := range 5 {
			o.ZeroGrad()
			x := on.Full([]int{8, 16}, float32(i))
			in.Enter(x).MM(w).Tanh().MM(v).Sub(x).Square().Mean().Backward()
			o.Step()
		}
		return append(tensor.Values[float32](w), tensor.Values[float32](v)...)
	}
	want := train(tensor.NewScope())
	for range 5 {
		if got := train(scope); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// TestCompiledFunctionsOnStreams passes values between a compiled function and ops on another stream.
func TestCompiledFunctionsOnStreams(t *testing.T) {
	devicetest.Use(t, "h100:1")
	_, scope := onStream(t)
	f := tensor.Compile(func(xs ...*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{xs[0].AddScalar(1).MulScalar(2)} })
	x := tensor.On(device.CUDA(0)).Zeros(5000)
	want := float32(0)
	for range 6 {
		x = scope.Enter(f(x)[0]).SubScalar(1).Detach() // the function runs where it was recorded
		want = 2*want + 1
	}
	if got := tensor.Values[float32](x); slices.Min(got) != want || slices.Max(got) != want {
		t.Errorf("from %v to %v, want %v", slices.Min(got), slices.Max(got), want)
	}
}

// TestGraphsAmongStreams has a graph read what a stream writes, and the stream what the graph writes, replay after replay.
func TestGraphsAmongStreams(t *testing.T) {
	devicetest.Use(t, "h100:1")
	_, scope := onStream(t)
	x := tensor.On(device.CUDA(0)).Zeros(5000)
	var y *tensor.Tensor
	g, err := cuda.Capture(func() error { y = scope.Enter(x).AddScalar(1); return nil }, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	want := float32(0)
	for range 10 {
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		x.CopyInPlace(scope.Enter(y).MulScalar(2))
		want = 2 * (want + 1)
	}
	if got := tensor.Values[float32](x); slices.Min(got) != want || slices.Max(got) != want {
		t.Errorf("from %v to %v, want %v", slices.Min(got), slices.Max(got), want)
	}
}
