package tensor_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// equalBits fails where two tensors differ in shape, dtype or a bit; NaN is NaN.
func equalBits(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		t.Fatalf("%s is a %s of %v, want a %s of %v", what, got.DType(), got.Shape(), want.DType(), want.Shape())
	}
	g, w := tensor.Values[float64](got), tensor.Values[float64](want)
	for i := range w {
		if math.Float64bits(g[i]) != math.Float64bits(w[i]) && !(math.IsNaN(g[i]) && math.IsNaN(w[i])) {
			t.Fatalf("%s, element %d is %v, want %v", what, i, g[i], w[i])
		}
	}
}

// compileDevices are those on which compiled functions are compared.
func compileDevices(t *testing.T) []device.Device {
	devicetest.Simulate(t)
	return []device.Device{device.CPU, device.CUDA(0)}
}

// TestCompiledChain compares a chain of elementwise ops, which becomes one region, with the ops one by one.
func TestCompiledChain(t *testing.T) {
	for _, on := range compileDevices(t) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
			g := tensor.NewGenerator(1)
			x := tensor.Place{}.With(g).Randn(33, 40).To(on, dt)
			y := tensor.Place{}.With(g).Randn(40).To(on, dt)
			f := func(x, y *tensor.Tensor) *tensor.Tensor {
				return x.Mul(y).AddScalar(0.1).Tanh().Add(x).GELU().Div(y.Exp())
			}
			c := tensor.Compile(f)
			want := f(x, y)
			for range 3 {
				equalBits(t, on.String()+" "+dt.String(), c(x, y), want)
			}
		}
	}
}

// TestCompiledGradients compares gradients of inputs and of captured parameters.
func TestCompiledGradients(t *testing.T) {
	for _, on := range compileDevices(t) {
		g := tensor.NewGenerator(1)
		w := tensor.Parameter(tensor.Place{}.With(g).Randn(16, 8).To(on))
		bias := tensor.Parameter(tensor.Place{}.With(g).Randn(16).To(on))
		f := func(x *tensor.Tensor) *tensor.Tensor {
			return x.Linear(w, bias).GELU().Mul(x.Sum()).Square().Mean()
		}
		c := tensor.Compile(f)
		for i := range 3 {
			x := tensor.Place{}.With(g).Randn(4, 8).To(on).SetRequiresGrad(true)
			run := func(f func(*tensor.Tensor) *tensor.Tensor) []*tensor.Tensor {
				for _, p := range []*tensor.Tensor{x, w, bias} {
					p.ZeroGrad()
				}
				y := f(x)
				y.Backward()
				return []*tensor.Tensor{y.Detach(), x.Grad(), w.Grad(), bias.Grad()}
			}
			want, got := run(f), run(c)
			for k := range want {
				equalBits(t, on.String(), got[k], want[k])
			}
			_ = i
		}
	}
}
