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

// A profile tells which ops a function runs; the table has their times too.
func ExampleProfile() {
	x := tensor.Ones(64, 64)
	p := cuda.NewProfile(cuda.RecordShapes(true))
	err := p.Run(func() {
		defer cuda.RecordFunction("forward")()
		x.MM(x).Tanh()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range p.KeyAverages(cuda.GroupByInputShape(true)).Events {
		fmt.Printf("%d %s%s\n", e.Count, e.Key, e.InputShapes)
	}
	// Output:
	// 1 forward
	// 1 mm[[64, 64], [64, 64]]
	// 1 tanh[[64, 64]]
}
