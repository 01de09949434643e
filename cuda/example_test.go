package cuda_test

import (
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

// Programs choose a device once and go on alike on all of them.
func ExampleIsAvailable() {
	dev := device.CPU
	if cuda.IsAvailable() {
		dev = device.CUDA(0)
	}
	x := tensor.On(dev).Ones(2, 2)
	fmt.Println(x.Sum().Float64())
	// Output: 4
}
