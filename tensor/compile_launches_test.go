package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// TestCompiledLaunches counts launches of functions and their gradients, as they are and compiled.
func TestCompiledLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	w, bias := tensor.Parameter(on.Randn(16, 8)), tensor.Parameter(on.Randn(16))
	for _, c := range []struct {
		name string
		f    func(x *tensor.Tensor) *tensor.Tensor
		want [4]int // forward and backward, as they are, then compiled
	}{
		{"a chain", func(x *tensor.Tensor) *tensor.Tensor {
			return x.Mul(x).AddScalar(0.1).Tanh().Add(x).GELU().MulScalar(2)
		}, [4]int{6, 7, 1, 1}},
		{"a gate", func(x *tensor.Tensor) *tensor.Tensor { return x.SiLU().Mul(x.Sigmoid()).Half().Float() }, [4]int{5, 7, 1, 1}},
		{"a layer", func(x *tensor.Tensor) *tensor.Tensor { return x.Linear(w, bias).Tanh().Mul(bias) }, [4]int{3, 8, 2, 8}},
	} {
		f := c.f
		for _, name := range []string{"as it is", "compiled"} {
			at := 0
			if name == "compiled" {
				at, f = 2, tensor.Compile(c.f)
				f(on.Randn(4, 8).SetRequiresGrad(true)) // records
			}
			x := on.Randn(4, 8).SetRequiresGrad(true)
			dy := tensor.OnesLike(f(x))
			*launches = 0
			y := f(x)
			forward := *launches
			y.Backward(tensor.Gradient(dy))
			if got := [2]int{forward, *launches - forward}; got != [2]int(c.want[at:at+2]) {
				t.Errorf("%s %s: %v launches, want %v", c.name, name, got, c.want[at:at+2])
			}
		}
	}
}
