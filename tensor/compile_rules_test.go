package tensor_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestCompiledRefuses has functions do what a recording cannot repeat.
func TestCompiledRefuses(t *testing.T) {
	w := tensor.Parameter(tensor.Randn(3))
	computed := w.Exp()
	for _, c := range []struct {
		name string
		f    func(x *tensor.Tensor) *tensor.Tensor
		want string
	}{
		{"a value that is read", func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(x.Sum().Float64()) }, "read the values"},
		{"values that are read", func(x *tensor.Tensor) *tensor.Tensor { return tensor.Of(tensor.Values[float32](x.Exp())) }, "read the values"},
		{"memory that is looked at", func(x *tensor.Tensor) *tensor.Tensor { _ = tensor.Data[float32](x.Detach().Exp()); return x }, "read the values"},
		{"Backward", func(x *tensor.Tensor) *tensor.Tensor { x.Mul(w).Sum().Backward(); return x }, "call Backward"},
		{"Backward whose gradients are constants", func(x *tensor.Tensor) *tensor.Tensor { y := x.Sum(); y.Backward(); return y }, "call Backward"},
		{"a captured result", func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(computed) }, "capture a computed tensor"},
		{"a shape that follows from values", func(x *tensor.Tensor) *tensor.Tensor { return x.MaskedSelect(x.Gt(tensor.ZerosLike(x))) }, "read the values"},
		{"a constant that is changed", func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.Of([]float32{1, 2, 3}).AddInPlace(x.Detach())
		}, "change in place what it made of Go values"},
		{"an input that is changed", func(x *tensor.Tensor) *tensor.Tensor { x.Detach().AddScalarInPlace(1); return x.Mul(x) }, "change its inputs in place"},
	} {
		err := tensor.Try(func() { tensor.Compile(c.f)(tensor.Of([]float32{1, 2, 3}).SetRequiresGrad(true)) })
		if !errors.Is(err, tensor.ErrCompile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if got := w.Grad(); got != nil {
		w.ZeroGrad()
	}
}

// TestCompiledCallsTheFunctionOnce counts how often the function itself runs.
func TestCompiledCallsTheFunctionOnce(t *testing.T) {
	runs := 0
	c := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor { runs++; return x.Exp().Mul(x) })
	data := tensor.Randn(64, 4)
	for _, step := range []struct {
		x    *tensor.Tensor
		want int
	}{
		{data.Slice(0, 0, 8), 1},
		{data.Slice(0, 8, 16), 1}, // elsewhere in memory
		{data.Slice(0, 0, 9), 2},  // another shape
		{data.Slice(0, 0, 8).Double(), 3},
		{data.Slice(0, 0, 8).Detach().SetRequiresGrad(true), 4},
		{data.Slice(0, 0, 4).T(), 5},
		{data.Slice(0, 1, 5).T(), 5},
		{data.Slice(0, 16, 24), 5},
	} {
		got, want := c(step.x), step.x.Exp().Mul(step.x)
		equalBits(t, "result", got.Detach(), want.Detach())
		if runs != step.want {
			t.Errorf("%d runs with %v, want %d", runs, step.x.Shape(), step.want)
		}
	}
}

// TestCompiledForgetsOldRecordings goes through more shapes than are kept.
func TestCompiledForgetsOldRecordings(t *testing.T) {
	runs := 0
	c := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor { runs++; return x.Exp().Neg() })
	call := func(n, want int) {
		t.Helper()
		before := runs
		if c(tensor.Ones(n)); runs-before != want {
			t.Errorf("%d runs for %d elements, want %d", runs-before, n, want)
		}
	}
	for n := 1; n <= 64; n++ {
		call(n, 1)
	}
	call(1, 0)
	call(65, 1) // in the place of 2
	call(1, 0)
	call(2, 1)
}

// TestCompiledSeesCaptured changes what a function captures, by its elements, by SetData and by freezing.
func TestCompiledSeesCaptured(t *testing.T) {
	w := tensor.Parameter(tensor.Of([]float32{1, 2, 3}))
	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(w).Exp().Sum() }
	c := tensor.Compile(f)
	x := tensor.Of([]float32{0.5, 0.25, -1})
	check := func(when string) {
		t.Helper()
		both := func(f func(*tensor.Tensor) *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
			w.ZeroGrad()
			y := f(x)
			if y.RequiresGrad() {
				y.Backward()
			}
			return y.Detach(), w.Grad()
		}
		want, wantGrad := both(f)
		got, gotGrad := both(c)
		equalBits(t, when, got, want)
		if (gotGrad == nil) != (wantGrad == nil) {
			t.Fatalf("%s: a gradient %v, want %v", when, gotGrad, wantGrad)
		}
		if wantGrad != nil {
			equalBits(t, when+", gradient", gotGrad, wantGrad)
		}
	}
	check("at first")
	check("again")
	w.Detach().MulScalarInPlace(2)
	check("after a change in place")
	w.SetData(tensor.Of([]float32{-1, 0, 1}))
	check("after SetData")
	check("after SetData, again")
	w.SetRequiresGrad(false)
	check("without gradients")
	w.SetRequiresGrad(true)
	check("with gradients again")
}

// TestCompiledDrawsAnew wants the numbers that the function draws, call after call, on each device.
func TestCompiledDrawsAnew(t *testing.T) {
	for _, on := range compileDevices(t) {
		f := func(x *tensor.Tensor) *tensor.Tensor {
			return x.AddScalar(1).Dropout(0.5).Mul(x).Add(tensor.RandnLike(x)).Exp()
		}
		c := tensor.Compile(f)
		x := tensor.Ones(40).To(on)
		draw := func(f func(*tensor.Tensor) *tensor.Tensor) (all []*tensor.Tensor) {
			tensor.ManualSeed(5)
			for range 3 {
				all = append(all, f(x))
			}
			return all
		}
		want, got := draw(f), draw(c)
		for i := range want {
			equalBits(t, on.String(), got[i], want[i])
		}
	}
}

// TestCompiledChangesInputs repeats changes in place, and counts them.
func TestCompiledChangesInputs(t *testing.T) {
	for _, on := range compileDevices(t) {
		f := func(x, y *tensor.Tensor) *tensor.Tensor { return x.AddInPlace(y.Exp()).Mul(y).Neg() }
		c := tensor.Compile(f)
		for range 3 {
			a, b, y := tensor.Ones(8).To(on), tensor.Ones(8).To(on), tensor.Rand(8).To(on)
			equalBits(t, "result", c(b, y), f(a, y))
			equalBits(t, "input", b, a)
			if a.Version() != b.Version() {
				t.Errorf("version %d, want %d", b.Version(), a.Version())
			}
		}
	}
}

// TestCompiledInsideOthers calls a compiled function in another, with one tensor as two inputs, in scopes, and under Autocast.
func TestCompiledInsideOthers(t *testing.T) {
	inner := tensor.Compile(func(x, y *tensor.Tensor) *tensor.Tensor { return x.Mul(y).Tanh().Add(x) })
	f := func(x *tensor.Tensor) *tensor.Tensor { return inner(x, x).Square() }
	c := tensor.Compile(f)
	plain := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(x).Tanh().Add(x).Square() }
	x := tensor.Randn(5)
	for range 2 {
		equalBits(t, "inside", c(x), plain(x))
		equalBits(t, "outside", f(x), plain(x))
	}
	w := tensor.Parameter(tensor.Randn(4, 5))
	layer := func(x *tensor.Tensor) *tensor.Tensor { return x.Linear(w, nil).GELU().MulScalar(2) }
	compiled := tensor.Compile(layer)
	for range 3 {
		w.Detach().MulScalarInPlace(0.5)
		s := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
		got, want := compiled(s.Enter(x.Reshape(1, 5))), layer(s.Enter(x.Reshape(1, 5)))
		equalBits(t, "with Autocast", got.Detach(), want.Detach())
		s.Close()
		if err := tensor.Try(func() { got.Exp() }); !errors.Is(err, tensor.ErrReleased) {
			t.Errorf("a result outlived its scope: %v", err)
		}
	}
}

// TestCompiledWithoutElements runs on empty tensors, and on no axes.
func TestCompiledWithoutElements(t *testing.T) {
	for _, on := range compileDevices(t) {
		f := func(x *tensor.Tensor) *tensor.Tensor { return x.Exp().AddScalar(1).Mul(x) }
		c := tensor.Compile(f)
		for _, shape := range [][]int{{0}, {3, 0}, {}} {
			x := tensor.Ones(shape...).To(on)
			for range 2 {
				equalBits(t, on.String(), c(x), f(x))
			}
		}
	}
}

// TestCompiledKeepsGraphs takes gradients twice, of several results, and refuses those of gradients.
func TestCompiledKeepsGraphs(t *testing.T) {
	f := func(x ...*tensor.Tensor) []*tensor.Tensor {
		a := x[0].Mul(x[1])
		return []*tensor.Tensor{a.Exp(), x[0], a.Gt(x[1]), a.Tanh().Sum()}
	}
	c := tensor.Compile(f)
	for range 2 {
		run := func(f func(x ...*tensor.Tensor) []*tensor.Tensor) []*tensor.Tensor {
			tensor.ManualSeed(2)
			x, y := tensor.Randn(6).SetRequiresGrad(true), tensor.Randn(6).SetRequiresGrad(true)
			out := f(x, y)
			loss := out[0].Sum().Add(out[3]).Add(out[1].Sum())
			loss.Backward(tensor.RetainGraph(true))
			loss.Backward()
			return []*tensor.Tensor{out[0].Detach(), out[1].Detach(), out[2], out[3].Detach(), x.Grad(), y.Grad()}
		}
		want, got := run(f), run(c)
		for i := range want {
			equalBits(t, "result or gradient", got[i], want[i])
		}
	}
	x := tensor.Randn(6).SetRequiresGrad(true)
	err := tensor.Try(func() {
		g := tensor.Grad(c(x, x)[0].Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
		g.Sum().Backward()
	})
	if !errors.Is(err, tensor.ErrAutograd) {
		t.Errorf("the gradient of a gradient: %v, want a refusal", err)
	}
}

// TestCompiledOnMeta runs without data as it is.
func TestCompiledOnMeta(t *testing.T) {
	devicetest.Simulate(t)
	c := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor { return x.Exp().Mul(x) })
	if y := c(tensor.On(device.Meta).Ones(3, 2)); !y.Shape().Equal(tensor.Shape{3, 2}) {
		t.Errorf("%v", y.Shape())
	}
}

// TestCompiledFromManyGoroutines calls one compiled function, and records others, at the same time.
func TestCompiledFromManyGoroutines(t *testing.T) {
	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Exp().Mul(x).AddScalar(1).Sum() }
	c := tensor.Compile(f)
	shared := tensor.Full([]int{5}, 0.25)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			own := tensor.Compile(f)
			for n := 1; n < 20; n++ {
				x := shared
				if n%2 == 0 {
					x = tensor.Full([]int{n + worker}, 0.25)
				}
				want := f(x).Float64()
				if got, again := c(x).Float64(), own(x).Float64(); got != want || again != want {
					t.Errorf("%v and %v, want %v", got, again, want)
				}
			}
		})
	}
	group.Wait()
}

// TestCompiledBatchNorm: running statistics, which one call makes beside its result, go on as they do op by op.
func TestCompiledBatchNorm(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		norm := func(mean, variance *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
			return func(x *tensor.Tensor) *tensor.Tensor {
				return x.MulScalar(2).BatchNorm(nil, nil, mean, variance, tensor.Training(true)).ReLU()
			}
		}
		mean, variance := tensor.On(dev).Zeros(3), tensor.On(dev).Ones(3)
		eager := norm(mean, variance)
		own, ownVariance := mean.Clone(), variance.Clone()
		c := tensor.Compile(norm(own, ownVariance))
		for range 3 {
			x := tensor.On(dev).Randn(4, 3, 2, 2)
			a, b := x.Clone().SetRequiresGrad(true), x.Clone().SetRequiresGrad(true)
			want, got := eager(a), c(b)
			want.Mul(x).Sum().Backward()
			got.Mul(x).Sum().Backward()
			equalBits(t, "result", got.Detach(), want.Detach())
			equalBits(t, "gradient", b.Grad(), a.Grad())
			equalBits(t, "running mean", own, mean)
			equalBits(t, "running variance", ownVariance, variance)
		}
	})
}
