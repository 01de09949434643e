// Command twogpus moves tensors and a model between two devices. They are cuda:0 and cuda:1 where there are two GPUs; where
// a GPU is missing the CPU stands in, so the program runs everywhere. CRESSET_SIM=2 simulates both.
package main

import (
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	// Devices are decided once, here. The rest of the program is told where to compute and never asks again.
	first, second := cuda.TryGPU(0), cuda.TryGPU(1)
	fmt.Println("devices:", first, second)

	tensor.ManualSeed(0)
	moveTensors(first, second)
	moveModel(first, second)
	drawApart(first, second)
}

// moveTensors shows that results stay where their operands are, and that only To moves anything.
func moveTensors(first, second device.Device) {
	x := tensor.On(first).Ones(2, 3) // made there: nothing passes through the host
	y := x.MulScalar(2).Add(x)
	fmt.Println("y is on", y.Device())

	z := y.To(second) // the one copy, and easy to find when a program is slow
	fmt.Println("z is on", z.Device(), "and y still on", y.Device())
	fmt.Println(z.Sum())

	// Operands on two devices are a mistake and never a hidden copy. As an error it can be handled.
	if err := tensor.Try(func() { x.Add(z) }); err != nil {
		fmt.Println(err)
	}
}

// moveModel shows that a model moves in place: its parameters stay the same tensors, so that an optimizer goes on.
func moveModel(first, second device.Device) {
	net := nn.To(nn.NewLinear(3, 1), first)
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(0.1))
	weight := net.Weight

	nn.To(net, second)
	fmt.Println("the model is on", net.Weight.Device(), "with the same weight:", net.Weight == weight)

	x := tensor.On(second).Ones(4, 3) // the input has to follow the model
	before := net.Forward(x).Square().Mean()
	opt.ZeroGrad()
	before.Backward()
	opt.Step()
	after := net.Forward(x).Square().Mean()
	fmt.Println("a step on", after.Device(), "lowers the loss:", after.Float64() < before.Float64())
}

// drawApart shows the random numbers of several devices: one seed starts the same stream on every GPU. Programs that want
// different numbers on each give each a seed of its own.
func drawApart(first, second device.Device) {
	cuda.ManualSeedAll(7)
	a, b := tensor.On(first).Rand(4), tensor.On(second).Rand(4)
	fmt.Println("one seed, equal numbers:", a.CPU().Equal(b.CPU()))

	for i, dev := range []device.Device{first, second} {
		stream := tensor.NewGeneratorOn(dev, int64(7+i))
		fmt.Println(tensor.On(dev).With(stream).Rand(4))
	}
}
