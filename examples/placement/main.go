// Command placement mistakes where a tensor is, and moves another one too often; cresset tells where.
package main

import (
	"errors"
	"fmt"

	"cresset/cuda"
	"cresset/nn"
	"cresset/tensor"
)

func main() {
	tensor.TracePlacement(true)
	dev := cuda.TryGPU(0)
	net := nn.To(nn.NewSequential(nn.NewLinear(3, 1)), dev)
	x := tensor.Ones(2, 3)
	x.To(dev) // returns the copy, which nobody takes
	var e *tensor.Error
	if err := tensor.Try(func() { net.Forward(x) }); errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Hint())
	}

	transfers := cuda.TraceTransfers()
	for range 8 {
		net.Forward(x.To(dev)).CPU()
	}
	fmt.Print(transfers.Stop())
}
