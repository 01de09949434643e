package tensor_test

import (
	"slices"
	"testing"

	"cresset/tensor"
)

// TestPostAccumulateGradHook: it sees the whole gradient once for each Backward, after what was there, until it is removed.
func TestPostAccumulateGradHook(t *testing.T) {
	x := tensor.FromSlice([]float32{1, 2}).SetRequiresGrad(true)
	var seen []float32
	remove := x.RegisterPostAccumulateGradHook(func(x *tensor.Tensor) { seen = append(seen, tensor.Values[float32](x.Grad())...) })
	loss := func() *tensor.Tensor { return x.Mul(x).Add(x).Sum() }
	loss().Backward()
	loss().Backward(tensor.CreateGraph(true))
	tensor.Grad(loss(), []*tensor.Tensor{x})
	remove()
	loss().Backward()
	if want := []float32{3, 5, 6, 10}; !slices.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
	for want, y := range map[string]*tensor.Tensor{
		"cannot register a hook on a tensor that doesn't require gradient":    tensor.Ones(1),
		"post accumulate grad hooks cannot be registered on non-leaf tensors": x.MulScalar(2),
	} {
		if err := tensor.Try(func() { y.RegisterPostAccumulateGradHook(func(*tensor.Tensor) {}) }); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestHookOfFrozenLeaf: a leaf that stops to require its gradient before Backward gets none, and its hook is not called.
func TestHookOfFrozenLeaf(t *testing.T) {
	x := tensor.Ones(2).SetRequiresGrad(true)
	x.RegisterPostAccumulateGradHook(func(*tensor.Tensor) { t.Error("the hook was called") })
	loss := x.Mul(x).Sum()
	x.SetRequiresGrad(false)
	loss.Backward()
}
