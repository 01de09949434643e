package cuda

import (
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
)

// TestAskingForCUBLAS: products go to cublasLt, which simulated GPUs lack, but for those without a common axis.
func TestAskingForCUBLAS(t *testing.T) {
	asked := cublasAsked
	defer func() { cublasAsked = asked }()
	dev := newCard(t, "a100").Device
	cublasAsked = func() (bool, error) { return asksForCUBLAS("1") }
	checkProduct(t, dev, dtype.Float32, [3]int{33, 20, 0}, 0, 1, dev.Run)
	checkProduct(t, dev, dtype.Float32, [3]int{33, 20, 4}, 0, 1, func(c *backend.Call) error {
		if err := dev.Run(c); err == nil || !strings.Contains(err.Error(), "CRESSET_CUBLAS=1 asks for cublasLt") {
			t.Errorf("got %v", err)
		}
		cublasAsked = asked
		return dev.Run(c)
	})
}

// TestWordsForCUBLAS: what is neither a yes nor a no is refused where a product is computed.
func TestWordsForCUBLAS(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		if got, err := asksForCUBLAS(value); got != want || err != nil {
			t.Errorf("%q: got %t, %v", value, got, err)
		}
	}
	if _, err := asksForCUBLAS("yes"); err == nil || err.Error() != "CRESSET_CUBLAS=yes: 1 asks for cublasLt, 0 or nothing for cresset's own kernels" {
		t.Errorf("got %v", err)
	}
}

// TestPrecisionOfCUBLAS: float32 is rounded to TF32 where that is allowed, and nothing else is.
func TestPrecisionOfCUBLAS(t *testing.T) {
	defer SetProductRounding(ProductRounding())
	p := kernels.Product{Count: 1, M: 2, N: 3, K: 4}
	for _, allowed := range []bool{false, true} {
		SetProductRounding(allowed)
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
			if got, want := problemOf(&p, dt).TF32, allowed && dt == dtype.Float32; got != want {
				t.Errorf("%v, allowed %t: got %t", dt, allowed, got)
			}
		}
	}
}
