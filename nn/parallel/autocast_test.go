package parallel_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// TestReplicasKeepAutocast computes in the dtype of the scope from which data is scattered.
func TestReplicasKeepAutocast(t *testing.T) {
	tensor.ManualSeed(1)
	net := nn.To(nn.NewSequential(nn.NewLinear(5, 6), nn.NewTanh(), nn.NewLinear(6, 3)), device.CUDA(0))
	d := wrap(t, net, parallel.DeviceIDs(0, 1))
	s := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
	defer s.Close()
	y := d.Forward(s.Enter(tensor.Ones(4, 5).To(device.CUDA(0))))
	if y.DType() != dtype.BFloat16 {
		t.Errorf("the result is %v", y.DType())
	}
	y.Float().Sum().Backward()
	for name, p := range nn.Parameters(net) {
		if g := p.Grad(); g == nil || g.DType() != dtype.Float32 {
			t.Errorf("the gradient of %s is %v", name, g)
		}
	}
}
