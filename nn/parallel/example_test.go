package parallel_test

import (
	"fmt"

	"cresset/device"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// Each GPU gets a part of the batch and a copy of the model.
func ExampleNewDataParallel() {
	net := nn.To(nn.NewLinear(3, 2), device.CUDA(0))
	dp, err := parallel.NewDataParallel(net, parallel.DeviceIDs(0, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	y := dp.Forward(tensor.Ones(8, 3))
	fmt.Println(y.Shape(), y.Device())
	// Output: torch.Size([8, 2]) cuda:0
}
