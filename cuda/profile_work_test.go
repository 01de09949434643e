package cuda_test

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

// smallStep is what profiles of the tests record: copies both ways, a region with ops and their gradients. Lines of this file stand in
// testdata/profile.json.
func smallStep() {
	w := tensor.On(device.CUDA(0)).Ones(8, 16).SetRequiresGrad(true)
	x := tensor.Ones(8, 16).To(device.CUDA(0))
	loss := forward(x, w)
	loss.Backward()
	loss.Item()
}

func forward(x, w *tensor.Tensor) *tensor.Tensor {
	defer cuda.RecordFunction("forward")()
	return x.Mul(w).Tanh().Sum()
}
