package tensor_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"weak"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// derivative returns that of the sum of y by x, to be differentiated in turn.
func derivative(y, x *tensor.Tensor) *tensor.Tensor {
	return tensor.Grad(y.Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
}

func TestDerivativesOfAnyOrder(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		x := tensor.Of([]float64{0.5, -1.25}).To(dev).SetRequiresGrad(true)
		y := x.Sin().Mul(x.MulScalar(2).Exp())
		for order, want := range []func(x float64) float64{ // of sin(x)·e^(2x), by (D + 2)ⁿ sin
			func(x float64) float64 { return math.Cos(x) + 2*math.Sin(x) },
			func(x float64) float64 { return 4*math.Cos(x) + 3*math.Sin(x) },
			func(x float64) float64 { return 11*math.Cos(x) + 2*math.Sin(x) },
			func(x float64) float64 { return 24*math.Cos(x) - 7*math.Sin(x) },
		} {
			y = derivative(y, x)
			for i, v := range tensor.Values[float64](x) {
				if got, want := tensor.Values[float64](y)[i], want(v)*math.Exp(2*v); math.Abs(got-want) > 1e-9 {
					t.Errorf("derivative %d at %v is %v, want %v", order+1, v, got, want)
				}
			}
		}
	})
}

// TestGradientPenalty trains nothing: it compares the parameters' gradients of (‖∂f/∂x‖ - 1)² with differences.
func TestGradientPenalty(t *testing.T) {
	x := tensor.Of([][]float64{{0.3, -0.7}, {1.1, 0.4}})
	w := tensor.Of([][]float64{{0.2, -0.5}, {0.9, 0.3}, {-0.4, 0.8}})
	penalty := func(w *tensor.Tensor) *tensor.Tensor {
		at := x.Clone().SetRequiresGrad(true)
		g := derivative(at.Linear(w, nil).Tanh(), at)
		return g.NormAxes(2, []int{1}).SubScalar(1).Square().Mean()
	}
	leaf := w.Clone().SetRequiresGrad(true)
	penalty(leaf).Backward()
	for i, got := range tensor.Values[float64](leaf.Grad()) {
		const step = 1e-5
		moved := func(by float64) float64 {
			v := tensor.Values[float64](w)
			v[i] += by
			return penalty(tensor.FromSlice(v, 3, 2)).Float64()
		}
		if want := (moved(step) - moved(-step)) / (2 * step); math.Abs(got-want) > 1e-8 {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
}

func TestBackwardThatCreatesAGraph(t *testing.T) {
	x := tensor.Of([]float64{2}).SetRequiresGrad(true)
	y := x.Pow(3)
	y.Backward(tensor.CreateGraph(true))
	first := x.Grad()
	y.Backward(tensor.CreateGraph(true)) // the graph was retained, and the sum is another tensor
	if got := tensor.Values[float64](first)[0]; got != 12 {
		t.Errorf("the first gradient is %v", got)
	}
	twice := x.Grad()
	x.ZeroGrad()
	twice.Backward()
	if got := tensor.Values[float64](x.Grad())[0]; got != 24 {
		t.Errorf("the gradient of twice the gradient is %v, want 24", got)
	}
}

func TestHooksSeeGradientsThatTrack(t *testing.T) {
	x := leafOf(3)
	y := x.Square()
	y.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor { return g.Mul(x) })
	if got := derivative(derivative(y, x), x).Float64(); got != 12 { // of 2·x·x
		t.Errorf("got %v, want 12", got)
	}
}

// TestKernelsWithoutDerivative wants an error where a gradient was computed by a kernel alone, not a gradient that lacks a part.
func TestKernelsWithoutDerivative(t *testing.T) {
	x := tensor.Rand(4, 1, 3).SetRequiresGrad(true)
	loss := tensor.CTCLoss(x.LogSoftmax(2), tensor.Of([][]int{{1, 2}}), []int{4}, []int{2})
	g := derivative(loss, x)
	err := tensor.Try(func() { g.Sum().Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "derivative for aten::ctc_loss_backward is not implemented") {
		t.Errorf("got %v", err)
	}
	wantHint(t, err, "call Backward without CreateGraph")
	gates, weight := tensor.Rand(2, 4).SetRequiresGrad(true), tensor.Rand(4, 4)
	states, _ := inner.RNN(gates, weight, tensor.Zeros(1, 4), false, friend.Sequences{Sizes: []int{1, 1}})
	g = derivative(states.Square().Sum(), gates)
	err = tensor.Try(func() { g.Sum().Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "derivative for aten::rnn is not implemented") {
		t.Errorf("got %v", err)
	}
	wantHint(t, err, "write the step as Linear, Sigmoid, Tanh and Mul in a loop")
	plain := leafOf(1, 2)
	constant := derivative(plain.MulScalar(3), plain)
	err = tensor.Try(func() { constant.Sum().Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "element 0 of tensors does not require grad") {
		t.Errorf("got %v", err)
	}
}

// TestRecurrencesWithoutDerivative wants the error for each gradient of a recurrent layer, whose parts kernels write one by one.
func TestRecurrencesWithoutDerivative(t *testing.T) {
	lstm, gru, rnn := nn.NewLSTM(3, 4, nn.ProjSize(2)), nn.NewGRU(3, 2), nn.NewRNN(3, 2)
	for _, c := range []struct {
		name  string
		layer any
		run   func(x, h *tensor.Tensor) *tensor.Tensor
	}{
		{"lstm", lstm, func(x, h *tensor.Tensor) *tensor.Tensor {
			y, _, _ := lstm.Forward(x, h, tensor.Zeros(1, 5, 4))
			return y
		}},
		{"gru", gru, func(x, h *tensor.Tensor) *tensor.Tensor { y, _ := gru.Forward(x, h); return y }},
		{"rnn", rnn, func(x, h *tensor.Tensor) *tensor.Tensor { y, _ := rnn.Forward(x, h); return y }},
	} {
		x, h := tensor.Rand(2, 5, 3).SetRequiresGrad(true), tensor.Rand(1, 5, 2).SetRequiresGrad(true)
		inputs := append(nn.ParameterList(c.layer), x, h)
		for i, g := range tensor.Grad(c.run(x, h).Square().Sum(), inputs, tensor.CreateGraph(true)) {
			err := tensor.Try(func() { g.Square().Sum().Backward(tensor.RetainGraph(true)) })
			if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "is not implemented") {
				t.Errorf("the second derivative of %s by input %d of %d: %v", c.name, i, len(inputs), err)
			}
		}
	}
}

func TestCreatedGraphsInScopes(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		w := tensor.Parameter(tensor.On(dev).Rand(4, 4))
		s := tensor.NewScope()
		x := s.Enter(tensor.On(dev).Rand(4, 4).SetRequiresGrad(true))
		g := derivative(x.MM(w).Tanh(), x)
		g.Square().Sum().Backward(tensor.CreateGraph(true))
		kept := w.Grad().Clone()
		s.Close()
		if err := tensor.Try(func() { g.Sum() }); !errors.Is(err, tensor.ErrReleased) {
			t.Errorf("a gradient after its scope was closed: %v", err)
		}
		if !w.Grad().AllClose(kept, 0, 0) {
			t.Error("the gradient of a parameter changed with the scope")
		}
		if err := tensor.Try(func() { w.Grad().Sum().Backward() }); !errors.Is(err, tensor.ErrReleased) {
			t.Errorf("a graph after its scope was closed: %v", err)
		}
	})
}

func TestCreatedGraphsWatchVersions(t *testing.T) {
	x := leafOf(0.5, 2)
	y := x.Exp()
	g := derivative(y.Square(), x)
	y.Detach().AddScalarInPlace(1)
	err := tensor.Try(func() { g.Sum().Backward() })
	if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "modified by an inplace operation") {
		t.Errorf("got %v", err)
	}
}

func TestCreatedGraphsAreLetGo(t *testing.T) {
	x := leafOf(0.5, 2)
	inside := gradientInside(x)
	for range 10 { // what the collector has not come to the first time
		if runtime.GC(); inside.Value() == nil {
			return
		}
	}
	t.Error("a gradient is still in memory")
}

func gradientInside(x *tensor.Tensor) weak.Pointer[tensor.Tensor] {
	g := derivative(x.Tanh(), x)
	g.Square().Sum().Backward()
	return weak.Make(g)
}

// wantHint wants an error that says what helps.
func wantHint(t *testing.T, err error, part string) {
	t.Helper()
	var e *tensor.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint(), part) {
		t.Errorf("%v: the hint lacks %q", err, part)
	}
}
