package cuda_test

import (
	"errors"
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// A training step becomes one launch.
func ExampleCapture() {
	if !cuda.IsAvailable() {
		return
	}
	dev := device.CUDA(0)
	net := nn.NewLinear(8, 4, nn.On(dev))
	opt := optim.NewAdamW(nn.Parameters(net))
	x, y := tensor.On(dev).Zeros(6, 8), tensor.On(dev).Zeros(6, 4)
	var loss *tensor.Tensor
	step := func() error {
		opt.ZeroGrad()
		loss = tensor.MSELoss(net.Forward(x), y)
		loss.Backward()
		opt.Step()
		return nil
	}
	_ = step() // so that the optimizer's state is there
	g, err := cuda.Capture(step)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		x.CopyInPlace(tensor.Rand(6, 8))
		if err := g.Replay(); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(loss, g.Close())
}

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

// What is computed in the scope runs on a stream of its own, where there is a GPU.
func ExampleStream() {
	x := tensor.On(cuda.TryGPU(0)).Ones(2, 2)
	scope := tensor.NewScope()
	if cuda.IsAvailable() {
		s, err := cuda.NewStream(0)
		if err != nil {
			fmt.Println(err)
			return
		}
		scope = tensor.NewScope(s)
	}
	y := scope.Enter(x).MulScalar(3)
	fmt.Println(x.Add(y).Sum().Float64())
	// Output: 16
}

// The time that a GPU takes for a region of the program.
func ExampleEvent() {
	if !cuda.IsAvailable() {
		return
	}
	x := tensor.On(device.CUDA(0)).Ones(64, 64)
	var start, end cuda.Event
	err := start.Record()
	x.MM(x)
	err = errors.Join(err, end.Record(), end.Synchronize())
	milliseconds, elapsed := start.ElapsedTime(&end)
	fmt.Printf("%.3f ms, %v\n", milliseconds, errors.Join(err, elapsed))
}
