package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
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
		{"a layer", func(x *tensor.Tensor) *tensor.Tensor { return x.Linear(w, bias).Tanh().Mul(bias) }, [4]int{3, 8, 2, 6}},
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

// TestCompiledBatches casts tensors of several sizes, some of which lie where no vector begins: as one launch, with the same bits. Where one
// depends on another they stay apart.
func TestCompiledBatches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	all := []*tensor.Tensor{on.Randn(40, 64), on.Randn(64), on.Randn(3, 5), on.Randn(1), on.Randn(16, 16)}
	f := func(xs ...*tensor.Tensor) []*tensor.Tensor {
		var out []*tensor.Tensor
		for _, x := range xs {
			out = append(out, x.BFloat16())
		}
		for _, x := range xs {
			out = append(out, x.Tanh().MulScalar(3))
		}
		return append(out, out[1].Float())
	}
	compiled := tensor.Compile(f)
	compiled(all...)
	for name, xs := range map[string][]*tensor.Tensor{
		"aligned": all,
		"shifted": {on.Randn(41*64).Narrow(0, 1, 40*64).View(40, 64), all[1], all[2], all[3], all[4]},
	} {
		want := f(xs...)
		*launches = 0
		got := compiled(xs...)
		if *launches != 4 { // one for sizes that vectors divide, one for 15 elements, one for a number, and the cast of a result
			t.Errorf("%s: %d launches, want 4", name, *launches)
		}
		for i := range want {
			if !sameBits(arrayOf(got[i]), arrayOf(want[i])) {
				t.Errorf("%s, result %d: %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// TestCompiledStructuresAreLimited compiles more chains than a device has kernels for: the rest are computed op by op, with the same bits, and those that
// have kernels keep them.
func TestCompiledStructuresAreLimited(t *testing.T) {
	launches := countingLaunches(t, "a100")
	defer cuda.LimitStructures(2)()
	x := tensor.On(device.CUDA(0)).Randn(8, 16)
	ops := []func(x *tensor.Tensor) *tensor.Tensor{(*tensor.Tensor).Tanh, (*tensor.Tensor).Exp, (*tensor.Tensor).Abs, (*tensor.Tensor).Tanh}
	for i, want := range []int{1, 1, 3, 1} {
		f := func(x *tensor.Tensor) *tensor.Tensor { return ops[i](x).Mul(x).Add(x) }
		compiled := tensor.Compile(f)
		compiled(x)
		*launches = 0
		got := compiled(x)
		if *launches != want {
			t.Errorf("chain %d: %d launches, want %d", i, *launches, want)
		}
		if y := f(x); !sameBits(arrayOf(got), arrayOf(y)) {
			t.Errorf("chain %d: %v, want %v", i, got, y)
		}
	}
}
