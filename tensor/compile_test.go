package tensor_test

import (
	"fmt"
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

// TestCompiledModels compares losses of models and the gradients of their inputs and captured parameters.
func TestCompiledModels(t *testing.T) {
	for _, on := range compileDevices(t) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
			g := tensor.NewGenerator(1)
			parameter := func(sizes ...int) *tensor.Tensor {
				return tensor.Parameter(tensor.Place{}.With(g).Randn(sizes...).To(on, dt))
			}
			w, bias, v, scale := parameter(16, 8), parameter(16), parameter(5, 16), parameter(8)
			target := tensor.Of([]int64{0, 3, 1, 4}).To(on)
			for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
				"a product with a scale": func(x *tensor.Tensor) *tensor.Tensor {
					return x.Linear(w, bias).GELU().Mul(x.Sum()).Square().Mean()
				},
				"layers": func(x *tensor.Tensor) *tensor.Tensor {
					return tensor.CrossEntropy(x.Linear(w, bias).GELU().Linear(v, nil), target)
				},
				"softmax": func(x *tensor.Tensor) *tensor.Tensor {
					return x.Mul(scale).LayerNorm([]int{8}, scale, nil).Softmax(1).Log().Neg().Mul(x.Sigmoid()).Sum()
				},
			} {
				checkCompiledModel(t, fmt.Sprintf("%s in %s on %s", name, dt, on), f, func() *tensor.Tensor {
					return tensor.Place{}.With(g).Randn(4, 8).To(on, dt)
				}, w, bias, v, scale)
			}
		}
	}
}

// checkCompiledModel compares a loss and gradients for several inputs.
func checkCompiledModel(t *testing.T, name string, f func(x *tensor.Tensor) *tensor.Tensor, draw func() *tensor.Tensor, parameters ...*tensor.Tensor) {
	t.Helper()
	c := tensor.Compile(f)
	for range 3 {
		x := draw().SetRequiresGrad(true)
		run := func(f func(*tensor.Tensor) *tensor.Tensor) (all []*tensor.Tensor) {
			for _, p := range append(parameters, x) {
				p.ZeroGrad()
			}
			y := f(x)
			y.Backward()
			all = append(all, y.Detach())
			for _, p := range append(parameters, x) {
				all = append(all, p.Grad())
			}
			return all
		}
		want, got := run(f), run(c)
		for k, w := range want {
			if (w == nil) != (got[k] == nil) {
				t.Fatalf("%s: gradient %d is %v, want %v", name, k, got[k], w)
			}
			if w != nil {
				equalBits(t, name, got[k], w)
			}
		}
	}
}
