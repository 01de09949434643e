package gradcheck

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

func input(sizes ...int) *tensor.Tensor {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i%7) - 2.7
	}
	return tensor.FromSlice(v, sizes...)
}

func TestCheckAcceptsTrueGradients(t *testing.T) {
	x, y := input(2, 3), input(3)
	for name, f := range map[string]Func{
		"product":        func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[1]) },
		"one operand":    func(x []*tensor.Tensor) *tensor.Tensor { return x[1].MulScalar(3) },
		"same one twice": func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[0]).Add(x[1]) },
		"a total":        func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[1]).Sum() },
	} {
		if err := Check(name, f, x, y); err != nil {
			t.Error(err)
		}
	}
	if err := Check("strided", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[0]) }, x.T()); err != nil {
		t.Error(err)
	}
}

// TestCheckFindsWrongGradients hides a factor from Backward: its gradient is missing where the differences see it.
func TestCheckFindsWrongGradients(t *testing.T) {
	f := func(x []*tensor.Tensor) *tensor.Tensor {
		first := x[0].Detach().Slice(0, 1, 2).Sum()
		return x[0].Mul(first)
	}
	var m *Mismatch
	err := Check("leak", f, input(2, 3))
	if !errors.As(err, &m) || m.Input != 0 || m.Index[0] != 1 || !strings.HasPrefix(err.Error(), "leak: gradient of input 0 at [1 ") {
		t.Errorf("got %v, want a mismatch in the second row", err)
	}
}

func TestCheckSkipsNothing(t *testing.T) {
	same := func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MulScalar(1) }
	for want, err := range map[string]error{
		"differences need float64":       Check("f", same, input(2).Float()),
		"no input is float64":            Check("f", same, input(2).Long()),
		"the result tracks no gradient":  Check("f", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Detach() }, input(2)),
		"the result is torch.float32":    Check("f", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].To(dtype.Float32) }, input(2)),
		"where the result is finite":     Check("f", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MulScalar(1e308).MulScalar(1e308) }, input(2)),
		"gradient of input 1 at [0]: Ba": Check("f", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[1].Detach()) }, input(2), input(2)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestCheckLeavesInputsAlone(t *testing.T) {
	x := input(3)
	before := tensor.Values[float64](x)
	if err := Check("square", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Mul(x[0]) }, x); err != nil {
		t.Error(err)
	}
	if after := tensor.Values[float64](x); !slices.Equal(before, after) || x.RequiresGrad() {
		t.Errorf("inputs were changed: %v, want %v", after, before)
	}
}
