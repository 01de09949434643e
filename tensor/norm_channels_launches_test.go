package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// TestInstanceNormTakesFewLaunches: its gradient is the kernels of group norms, which read x and dy once for each sum that they need.
func TestInstanceNormTakesFewLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	x, w, b := on.Rand(2, 3, 40), on.Rand(3), on.Rand(3)
	for _, p := range []*tensor.Tensor{x, w, b} {
		p.SetRequiresGrad(true)
	}
	dy := on.Rand(2, 3, 40)
	*launches = 0
	y := x.InstanceNorm(w, b, nil, nil)
	there := *launches
	y.Backward(tensor.Gradient(dy))
	if back := *launches - there; there != 1 || back > 2 {
		t.Errorf("%d launches, and %d for the gradient, want 1 and 2", there, back)
	}
}
