package tensor_test

import (
	"testing"

	"cresset/cuda"
	"cresset/tensor"
)

func TestSetFloat32MatmulPrecision(t *testing.T) {
	defer func() { _ = tensor.SetFloat32MatmulPrecision("highest") }()
	for precision, gpu := range map[string]string{"high": "high", "medium": "high", "highest": "highest"} {
		if err := tensor.SetFloat32MatmulPrecision(precision); err != nil || tensor.Float32MatmulPrecision() != precision || cuda.Float32Precision() != gpu {
			t.Errorf("%s: got %q, of GPUs %q, error %v", precision, tensor.Float32MatmulPrecision(), cuda.Float32Precision(), err)
		}
	}
	before := tensor.Float32MatmulPrecision()
	if err := tensor.SetFloat32MatmulPrecision("low"); err == nil || tensor.Float32MatmulPrecision() != before {
		t.Errorf("low: got %q, error %v", tensor.Float32MatmulPrecision(), err)
	}
}

// TestMediumPrecision bounds products and linear layers by the rounding of their operands, 2**-8 of each, whether this CPU rounds them or not.
func TestMediumPrecision(t *testing.T) {
	a, b, bias := tensor.Randn(3, 40, 70), tensor.Randn(3, 70, 50), tensor.Randn(50)
	products := func(a, b, bias *tensor.Tensor) []*tensor.Tensor {
		x, y := a.Select(0, 0), b.Select(0, 1)
		return []*tensor.Tensor{x.MatMul(y), bias.AddMM(x, y), bias.AddMM(x, y.T().Contiguous().T()), a.MatMul(b)}
	}
	want, sizes := products(a, b, bias), products(a.Abs(), b.Abs(), bias.Abs())
	if err := tensor.SetFloat32MatmulPrecision("medium"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tensor.SetFloat32MatmulPrecision("highest") }()
	for n, got := range products(a, b, bias) {
		excess := got.Sub(want[n]).Abs().Sub(sizes[n].MulScalar(0x1p-7 + 0x1p-15)).Max().Float64()
		if !(excess <= 0) {
			t.Errorf("product %d is off by %v more than the rounding of its operands", n, excess)
		}
	}
}
