package tensor_test

import (
	"slices"
	"testing"

	"cresset/internal/mem"
	"cresset/tensor"
)

// TestHooksOfLeavesDoNotWait: a leaf's gradient is accumulated before what comes after it in Backward is computed, and once, when all of it is there.
func TestHooksOfLeavesDoNotWait(t *testing.T) {
	var order []string
	note := func(name string) func(*tensor.Tensor) {
		return func(*tensor.Tensor) { order = append(order, name) }
	}
	leaf := func(name string) *tensor.Tensor {
		x := tensor.Parameter(tensor.Ones(2))
		x.RegisterPostAccumulateGradHook(note(name))
		return x
	}
	first, second, twice := leaf("first"), leaf("second"), leaf("twice")
	h := first.Mul(twice)
	h.RegisterHook(func(*tensor.Tensor) *tensor.Tensor { order = append(order, "between"); return nil })
	h.Mul(second).Mul(twice).Sum().Backward()
	if want := []string{"second", "between", "first", "twice"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
	for _, x := range []*tensor.Tensor{first, second} {
		if got := tensor.Values[float32](x.Grad()); !slices.Equal(got, []float32{1, 1}) {
			t.Errorf("got %v", got)
		}
	}
	if got := tensor.Values[float32](twice.Grad()); !slices.Equal(got, []float32{2, 2}) {
		t.Errorf("what was used twice: got %v", got)
	}
}

// lopsided is a function whose first input gets no gradient.
type lopsided struct{}

func (lopsided) Forward(_ *tensor.FunctionContext, in ...*tensor.Tensor) []*tensor.Tensor {
	return []*tensor.Tensor{in[0].Add(in[1])}
}

func (lopsided) Backward(_ *tensor.FunctionContext, dy ...*tensor.Tensor) []*tensor.Tensor {
	return []*tensor.Tensor{nil, dy[0].MulScalar(0.5)}
}

// TestLeafWithoutAGradient: where an op gives a leaf none, what others give is accumulated all the same.
func TestLeafWithoutAGradient(t *testing.T) {
	x, calls := tensor.Parameter(tensor.Ones(1)), 0
	x.RegisterPostAccumulateGradHook(func(*tensor.Tensor) { calls++ })
	tensor.Apply(lopsided{}, x, x.MulScalar(3))[0].Sum().Backward()
	if got := x.Grad().Float64(); got != 1.5 || calls != 1 {
		t.Errorf("got %v after %d calls", got, calls)
	}
}

// TestHooksOfLeavesCopyNothing: a gradient for which a hook only waits lies where it was computed, and nothing of it is left for the collector.
func TestHooksOfLeavesCopyNothing(t *testing.T) {
	const n = 1 << 16
	held := func(hook bool) int64 {
		x := tensor.Parameter(tensor.Ones(n))
		if hook {
			x.RegisterPostAccumulateGradHook(func(*tensor.Tensor) {})
		}
		s := tensor.NewScope()
		defer s.Close()
		y := s.Enter(tensor.Ones(n)).Mul(x).Sum()
		before := mem.ReadStats().Allocated
		y.Backward()
		return mem.ReadStats().Allocated - before
	}
	if without, with := held(false), held(true); with > without {
		t.Errorf("a hook makes a Backward hold %d bytes for %d", with, without)
	}
}
