package tensor_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"cresset/tensor"
)

func leafOf(values ...float32) *tensor.Tensor { return tensor.FromSlice(values).SetRequiresGrad(true) }

func wantValues(t *testing.T, what string, x *tensor.Tensor, want ...float64) {
	t.Helper()
	if x == nil {
		t.Fatalf("%s is nil", what)
	}
	got := tensor.Values[float64](x)
	if len(got) != len(want) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-6) {
			t.Fatalf("%s = %v, want %v", what, got, want)
		}
	}
}

func TestGradientsAccumulate(t *testing.T) {
	x := leafOf(1, 1, 1, 1)
	for range 2 {
		x.MulScalar(2).Sum().Backward()
	}
	wantValues(t, "grad", x.Grad(), 4, 4, 4, 4)
	x.ZeroGrad()
	if x.Grad() != nil {
		t.Error("ZeroGrad left a gradient")
	}
}

func TestSumMayBackwardTwice(t *testing.T) {
	y := leafOf(1, 2).AddScalar(1).Sum()
	y.Backward()
	if err := tensor.Try(func() { y.Backward() }); err != nil {
		t.Errorf("a graph that saved nothing: %v", err)
	}
}

func TestRetainGraph(t *testing.T) {
	x := leafOf(1, 1)
	y := x.Mul(x).Sum()
	y.Backward(tensor.RetainGraph(true))
	y.Backward()
	wantValues(t, "grad", x.Grad(), 4, 4)
}

func TestRetainGrad(t *testing.T) {
	x := leafOf(1, 1)
	y := x.MulScalar(3)
	y.RetainGrad()
	y.Sum().Backward()
	wantValues(t, "grad of y", y.Grad(), 1, 1)
	if z := x.MulScalar(2); z.Grad() != nil {
		t.Error("a computed tensor has a gradient without RetainGrad")
	}
}

func TestHooks(t *testing.T) {
	x := leafOf(1, 2)
	y := x.MulScalar(2)
	var order []string
	var seen *tensor.Tensor
	y.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor {
		order, seen = append(order, "first"), g
		return g.MulScalar(3)
	})
	remove := y.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor {
		order = append(order, "second")
		return nil
	})
	y.Sum().Backward(tensor.RetainGraph(true))
	wantValues(t, "grad", x.Grad(), 6, 6)
	wantValues(t, "what the hook kept", seen, 1, 1)
	remove()
	y.Sum().Backward()
	if got := strings.Join(order, " "); got != "first second first" {
		t.Errorf("hooks ran as %q", got)
	}
}

func TestGradOfInputs(t *testing.T) {
	x := leafOf(1, 1)
	g := tensor.Grad(x.MulScalar(6).Sum(), []*tensor.Tensor{x})
	wantValues(t, "gradient", g[0], 6, 6)
	if x.Grad() != nil {
		t.Error("Grad touched the leaf")
	}
	if g := tensor.Grad(x.Sum(), []*tensor.Tensor{leafOf(1)}, tensor.AllowUnused(true)); g[0] != nil {
		t.Error("an unused input has a gradient")
	}
}

func TestGraphWithManyUsesOfOneTensor(t *testing.T) {
	x := leafOf(2)
	y := x.Mul(x)
	z := y.Mul(y).Add(y).Add(x) // x⁴ + x² + x
	z.Backward()
	wantValues(t, "grad", x.Grad(), 4*8+2*2+1)
}

func TestViewGradients(t *testing.T) {
	x := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3).SetRequiresGrad(true)
	y := x.T().MulScalar(2).Reshape(2, 3)
	y.Mul(y).Sum().Backward()
	wantValues(t, "grad", x.Grad(), 8, 16, 24, 32, 40, 48)
}

func TestInPlaceOnComputedTensor(t *testing.T) {
	x := leafOf(1, 2)
	y := x.MulScalar(2)
	y.AddScalarInPlace(1)
	if got := y.GradFn(); got != "AddBackward0" {
		t.Errorf("grad_fn is %s", got)
	}
	y.Mul(y).Sum().Backward()
	wantValues(t, "grad", x.Grad(), 2*2*3, 2*2*5)
}

func TestLongChain(t *testing.T) {
	x := leafOf(1)
	y := x
	for range 100_000 {
		y = y.AddScalar(1)
	}
	y.Backward()
	wantValues(t, "grad", x.Grad(), 1)
}

func TestGoroutinesTrainDifferentModels(t *testing.T) {
	done := make(chan error)
	for range 4 {
		go func() {
			done <- tensor.Try(func() {
				w := tensor.Ones(8, 8).SetRequiresGrad(true)
				for range 200 {
					x := tensor.Ones(4, 8)
					x.MM(w).ReLU().Sum().Backward()
				}
				if got := tensor.Values[float64](w.Grad())[0]; got != 800 {
					panic(got)
				}
			})
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestScopeFreesResults(t *testing.T) {
	w := tensor.Ones(64, 64).SetRequiresGrad(true)
	x := tensor.Ones(64, 64)
	s := tensor.NewScope()
	in := s.Enter(x)
	y := in.MM(w).ReLU()
	kept := s.Keep(y.MulScalar(2))
	y.Sum().Backward()
	s.Close()
	s.Close()
	err := tensor.Try(func() { y.Sum() })
	if err == nil || !strings.Contains(err.Error(), "released") {
		t.Errorf("a result of a closed scope: %v", err)
	}
	wantValues(t, "kept", kept.Sum(), 64*64*64*2)
	wantValues(t, "input", x.Sum(), 64*64)
	wantValues(t, "grad", w.Grad().Sum(), 64*64*64)
}

func TestResultsBelongToTheLatestScope(t *testing.T) {
	outer, inner := tensor.NewScope(), tensor.NewScope()
	a := outer.Enter(tensor.Ones(4))
	b := inner.Enter(tensor.Ones(4))
	c := a.Add(b)
	inner.Close()
	if err := tensor.Try(func() { c.Sum() }); err == nil {
		t.Error("c outlived the inner scope")
	}
	if err := tensor.Try(func() { a.Add(a).Sum() }); err != nil {
		t.Errorf("the outer scope: %v", err)
	}
	outer.Close()
}

func TestReleasedTensorIsRefused(t *testing.T) {
	x := tensor.Ones(4)
	x.Release()
	err := tensor.Try(func() { x.Add(x) })
	if err == nil || !strings.Contains(err.Error(), "released") {
		t.Errorf("got %v", err)
	}
}

func TestDroppedTensorsStaySmall(t *testing.T) {
	var before, after runtime.MemStats
	x := tensor.Ones(1 << 18)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 500 {
		x.AddScalar(1)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 256<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}
