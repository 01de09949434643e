package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestSumsOfIntegersAreOfInt64: over axes too, whose kernels for halves alone cast what they give.
func TestSumsOfIntegersAreOfInt64(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Int32, dtype.Uint8, dtype.Int64} {
			got := tensor.On(dev).As(dt).Ones(300, 5).SumAxes([]int{0})
			if got.DType() != dtype.Int64 {
				t.Errorf("%s: the sum is of %s", dt, got.DType())
			}
			for i, v := range tensor.Values[int64](got) {
				if v != 300 {
					t.Errorf("%s: sum %d is %d, want 300", dt, i, v)
				}
			}
		}
	})
}
