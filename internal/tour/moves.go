package tour

import (
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

var moves = Chapter{
	Title: "Dtypes and To",
	Steps: []Step{
		{
			Title: "To another dtype", Needs: anyMachine, Do: toAnotherDType,
			Note: "004:2 004:20-32", Mirrors: "x = x.to(torch.float64)",
		},
		{
			Title: "From the CPU to a GPU", Needs: oneGPU, Do: fromCPUToGPU,
			Note: "004:2 004:5-9", Mirrors: "tensor = tensor.to(device); module.to(device)",
		},
		{
			Title: "From a GPU to the CPU", Needs: oneGPU, Do: fromGPUToCPU,
			Note: "004:2 004:11-17", Mirrors: `device = torch.device(cpu); tensor = tensor.to("cpu"); module.to("cpu")`,
			Today: "The note's cpu lacks its quotes.",
		},
		{
			Title: "A tensor's To must be assigned, a model's need not", Needs: oneGPU, Do: assigned,
			Note: "004:18", Mirrors: "tensor.to() is not in place; module.to() is",
		},
		{
			Title: "To where a tensor is already", Needs: withoutGPU, Do: identityWithoutGPU,
			Note: "004:35-59", Mirrors: "x_gpu = x_cpu.to(device); id(x_cpu), id(x_gpu)",
			Today: "The note ran without a GPU, so its two ids are equal: To returns the tensor itself where nothing changes.",
		},
		{
			Title: "The same with a GPU", Needs: oneGPU, Do: identityWithGPU,
			Note: "004:35-59", Mirrors: "x_gpu = x_cpu.to(device); id(x_cpu), id(x_gpu)",
			Today: "With a GPU they are two tensors.",
		},
		{
			Title: "When To makes a copy", Needs: anyMachine, Do: whenToCopies,
			Note: "004:18 004:46-59", Mirrors: "tensor.to(...)",
			Today: "The note does not say when nothing is copied, nor that copy=True always copies, nor that cpu:0 is not cpu.",
		},
		{
			Title: "Device and dtype at once", Needs: oneGPU, Do: deviceAndDType,
			Note: "004:2", Mirrors: "x.to(device, dtype); x.to(other)",
		},
		{
			Title: "A model in another dtype", Needs: anyMachine, Do: modelsDType,
			Note: "004:2", Mirrors: "module.to(torch.float64)",
			Today: "A model takes floating dtypes only.",
		},
	},
}

func toAnotherDType() {
	x := tensor.Ones(3, 3)
	fmt.Println(x.DType())
	x = x.To(dtype.Float64)
	fmt.Println(x.DType())
}

func fromCPUToGPU() {
	x, net := tensor.Ones(2, 3), nn.NewLinear(3, 1)
	dev := device.CUDA()
	x = x.To(dev)
	nn.To(net, dev)
	fmt.Println(x.Device(), net.Weight.Device())
}

func fromGPUToCPU() {
	x, net := tensor.Ones(2, 3).CUDA(), nn.CUDA(nn.NewLinear(3, 1))
	x = x.To(device.CPU)
	nn.To(net, device.CPU)
	fmt.Println(x.Device(), net.Weight.Device())
}

func assigned() {
	x, net := tensor.Ones(2, 3), nn.NewLinear(3, 1)
	x.To(device.CUDA()) // the result is lost
	nn.To(net, device.CUDA())
	fmt.Println(x.Device(), net.Weight.Device())
	fmt.Println(tensor.Try(func() { net.Forward(x) }))

	x = x.To(device.CUDA())
	fmt.Println(net.Forward(x).Shape())
}

func identityWithoutGPU() {
	dev := cuda.TryGPU(0)
	fmt.Println(dev)

	x := tensor.Ones(3, 3)
	y := x.To(dev)
	fmt.Println("x: device:", x.Device(), "is_cuda:", x.IsCUDA())
	fmt.Println("y: device:", y.Device(), "is_cuda:", y.IsCUDA())
	fmt.Println("the same tensor:", y == x)
}

func identityWithGPU() {
	dev := cuda.TryGPU(0)
	fmt.Println(dev)

	x := tensor.Ones(3, 3)
	y := x.To(dev)
	fmt.Println("x: device:", x.Device(), "is_cuda:", x.IsCUDA())
	fmt.Println("y: device:", y.Device(), "is_cuda:", y.IsCUDA())
	fmt.Println("the same tensor:", y == x)
	fmt.Println(y.To(dev) == y, y.CUDA() == y)
}

func whenToCopies() {
	x := tensor.Ones(3, 3)
	fmt.Println(x.To(device.CPU) == x, x.To(dtype.Float32) == x, x.CPU() == x)
	fmt.Println(x.To(tensor.Copy(true)) == x, x.To(dtype.Float64) == x)
	fmt.Println(x.To(device.MustParse("cpu:0")) == x)
}

func deviceAndDType() {
	x := tensor.Of([]float32{1.5, -2.5, 3})
	y := x.To(device.CUDA(), dtype.Float16)
	fmt.Println(y)
	fmt.Println(x.To(y).Add(y)) // the device and the dtype of y
	fmt.Println(y.CPU().Long())
}

func modelsDType() {
	net := nn.NewLinear(3, 1)
	nn.To(net, dtype.Float64)
	fmt.Println(net.Weight.DType(), net.Bias.DType())
	fmt.Println(tensor.Try(func() { nn.To(net, dtype.Int32) }))
}
