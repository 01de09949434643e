package parallel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// results is an output with all that can be put together.
type results struct {
	X     *tensor.Tensor
	List  []*tensor.Tensor
	Pair  [2]*tensor.Tensor
	Named map[string]*tensor.Tensor
	Any   any
	None  *tensor.Tensor
	note  string
}

func TestNestedOutputs(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(ids(2)...))
	out := parallel.Call(d, tensor.Arange(0, 3, 1).Float(), func(_ *spy, x *tensor.Tensor) results {
		return results{x, []*tensor.Tensor{x, x}, [2]*tensor.Tensor{x, x}, map[string]*tensor.Tensor{"a": x}, x, nil, x.Device().String()}
	})
	for i, x := range []*tensor.Tensor{out.X, out.List[0], out.List[1], out.Pair[0], out.Pair[1], out.Named["a"], out.Any.(*tensor.Tensor)} {
		if x.Device() != device.CUDA(0) || !slices.Equal(tensor.Values[int64](x), []int64{0, 1, 2}) {
			t.Errorf("tensor %d is %v", i, x)
		}
	}
	if out.None != nil || out.note != "cuda:0" {
		t.Errorf("got %v and %q, want nothing and what the first replica has", out.None, out.note)
	}
}

func TestOutputDevice(t *testing.T) {
	for _, dev := range []device.Device{device.CPU, device.CUDA(0), device.CUDA(1), device.CUDA(5)} {
		d := wrap(t, newSpy(), parallel.DeviceIDs(ids(3)...), parallel.OutputDevice(dev))
		y := d.Forward(tensor.Arange(0, 7, 1).Float())
		if y.Device() != dev || !slices.Equal(tensor.Values[int64](y.Detach()), []int64{0, 1, 2, 3, 4, 5, 6}) {
			t.Errorf("%s: got %v", dev, y)
		}
		y.Sum().Backward()
		if g := d.Module.Scale.Grad(); g.Device() != device.CUDA(0) || g.Float64() != 21 {
			t.Errorf("%s: the gradient is %v", dev, g)
		}
	}
	if d := wrap(t, newSpy(), parallel.DeviceIDs(ids(1)...), parallel.OutputDevice(device.CPU)); d.Forward(tensor.Ones(2)).Device() != device.CUDA(0) {
		t.Error("one device puts nothing together")
	}
}

// TestScalarsBecomeAVector: a loss computed in the replicas has one element for each.
func TestScalarsBecomeAVector(t *testing.T) {
	var warnings []string
	d := wrap(t, newSpy(), parallel.DeviceIDs(ids(2)...), parallel.Warn(func(text string) { warnings = append(warnings, text) }))
	for range 2 {
		loss := parallel.Call(d, tensor.Arange(0, 5, 1).Float(), func(s *spy, x *tensor.Tensor) *tensor.Tensor { return x.Mul(s.Scale).Sum() })
		if got, want := loss.String(), "tensor([3., 7.], device='cuda:0', grad_fn=<GatherBackward>)"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		loss.Mean().Backward()
	}
	if g := d.Module.Scale.Grad().Float64(); g != 10 {
		t.Errorf("the gradient is %v, want 10", g)
	}
	want := "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a vector."
	if len(warnings) != 1 || warnings[0] != want {
		t.Errorf("got the warnings %q", warnings)
	}
}

func TestOutputsThatCannotBePutTogether(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(ids(2)...))
	first := func(x *tensor.Tensor) bool { return x.Device() == device.CUDA(0) }
	call := func(f func(x *tensor.Tensor) any) error {
		return tensor.Try(func() { parallel.Call(d, tensor.Ones(4), func(_ *spy, x *tensor.Tensor) any { return f(x) }) })
	}
	for want, f := range map[string]func(x *tensor.Tensor) any{
		"Gather function not implemented for CPU tensors":                       func(x *tensor.Tensor) any { return x.CPU() },
		"Input tensor at index 1 has invalid shape [2, 4], but expected [2, 3]": func(x *tensor.Tensor) any { return tensor.Like(x).Ones(2, index(x)+3) },
		"Input tensor at index 1 has invalid shape [2, 1], but expected [2]":    func(x *tensor.Tensor) any { return x.Reshape(append([]int{2}, []int{1}[:index(x)]...)...) },
		"replicas returned int, which cannot be put together: only tensors can": func(x *tensor.Tensor) any { return 3 },
		"replicas returned string, which cannot be put together":                func(x *tensor.Tensor) any { return "text" },
		"All dicts must have the same number of keys":                           func(x *tensor.Tensor) any { return named(x, index(x)+1) },
		"replica 1 returned no 0, which replica 0 did":                          func(x *tensor.Tensor) any { return map[string]*tensor.Tensor{fmt.Sprint(index(x)): x} },
		"replicas returned lists of 1 and 2, which cannot be put together":      func(x *tensor.Tensor) any { return []*tensor.Tensor{x, x}[:index(x)+1] },
		"replica 1 returned no tensor where replica 0 did":                      func(x *tensor.Tensor) any { return []*tensor.Tensor{map[bool]*tensor.Tensor{true: x}[first(x)]} },
		"which cannot be put together":                                          func(x *tensor.Tensor) any { return map[bool]any{true: x, false: 1}[first(x)] },
	} {
		if err := call(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// index returns the number of the tensor's GPU.
func index(x *tensor.Tensor) int {
	i, _ := x.Device().Index()
	return i
}

func named(x *tensor.Tensor, n int) map[string]*tensor.Tensor {
	m := make(map[string]*tensor.Tensor)
	for i := range n {
		m[fmt.Sprint(i)] = x
	}
	return m
}
