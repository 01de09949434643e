package tensor_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestBetaZero adds nothing to a product, of which what is not read has a gradient of zeros, as in PyTorch.
func TestBetaZero(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
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
