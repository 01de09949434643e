package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestBetaZero adds nothing to a product, of which what is not read has a gradient of zeros, as in PyTorch.
func TestBetaZero(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		x := tensor.On(dev).Full([]int{2}, math.NaN()).SetRequiresGrad(true)
		y := x.BAddBMM(tensor.On(dev).Ones(2, 2, 3), tensor.On(dev).Ones(2, 3, 2), tensor.Beta(0))
		if want := tensor.On(dev).Full([]int{2, 2, 2}, 3); !y.Equal(want) {
			t.Errorf("got %v", y)
		}
		y.Sum().Backward()
		if g := x.Grad(); g == nil || !g.Equal(tensor.On(dev).Zeros(2)) {
			t.Errorf("the gradient is %v, want zeros", g)
		}
	})
}

// TestAlphaOfZeroLeavesOperandsOut: what a product is multiplied by 0 counts for nothing, not even its NaN.
func TestAlphaOfZeroLeavesOperandsOut(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
			for _, n := range []int{2, 40} {
				x := tensor.On(dev).As(dt).Ones(n, n)
				y := x.MulScalar(math.Inf(1))
				if got := tensor.Values[float64](x.AddMMScaled(y, y.Neg(), 3, 0).Sub(x).Double()); slices.ContainsFunc(got, func(v float64) bool { return v != 2 }) {
					t.Errorf("%s of %d: 3·1 + 0·inf is not 3", dt, n)
				}
				if got := tensor.Values[float64](y.AddMMScaled(y, y, 0, 0).Double()); slices.ContainsFunc(got, func(v float64) bool { return v != 0 || math.Signbit(v) }) {
					t.Errorf("%s of %d: 0·inf + 0·inf is not 0", dt, n)
				}
			}
		}
	})
}
