package tour

import (
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

var models = Chapter{
	Title: "Models",
	Steps: []Step{
		{
			Title: "Where a model is", Needs: anyMachine, Do: whereAModelIs,
			Note:    "001:119-132 003:58-59 003:66-69",
			Mirrors: "print(type(net.parameters())); print(list(net.parameters())[0].device)",
			Today:   "Python's generator is an iterator here as well: names and parameters.",
		},
		{
			Title: "A model on a GPU", Needs: oneGPU, Do: sequentialOnGPU,
			Note: "000:3 000:64-74", Mirrors: "net = nn.Sequential(nn.Linear(3, 1)); net = net.to(device=try_gpu()); net(x)",
			Today: "The note's numbers were not seeded; what holds is that equal rows give equal results.",
		},
		{
			Title: "A layer's parameters", Needs: oneGPU, Do: layersParameters,
			Note: "000:76-79", Mirrors: "net[0].weight.data.device",
		},
		{
			Title: "Moved in place", Needs: oneGPU, Do: movedInPlace,
			Note: "001:119-120 003:60-61 003:71-72", Mirrors: "net.cuda(0)",
		},
		{
			Title: "A model on one GPU of several", Needs: twoGPUs, Do: modelOnSecondGPU,
			Note: "003:61", Mirrors: "net.cuda(1)",
			Today: "As with tensors, cuda() is cuda(0) only while the current GPU is 0.",
		},
		{
			Title: "A model made on a GPU", Needs: oneGPU, Do: modelMadeOnGPU,
			Note: "003:62 003:74-75", Mirrors: "net2 = nn.Linear(3, 1, device=torch.device('cuda' if ... else 'cpu'))",
			Today: "Its values come from the GPU's random numbers, so they are not those of a model that was made on the CPU.",
		},
		{
			Title: "Made on the CPU, moved, and back", Needs: oneGPU, Do: modelThereAndBack,
			Note: "003:62-64 003:77-81", Mirrors: "net3 = nn.Linear(3, 1).to(...); net3 = net3.cpu()",
		},
		{
			Title: "Model and input on one device", Needs: oneGPU, Do: modelAndInput,
			Note:    "001:134-143 003:82-85 004:2",
			Mirrors: "net = nn.Linear(3, 1).cuda(0); x = torch.rand(2,3).cuda(0); print(net(x))",
		},
		{
			Title: "An optimizer made before the move", Needs: oneGPU, Do: optimizerGoesOn,
			Note: "004:18", Mirrors: "module.to(device)",
			Today: "The notes say only that it works in place: parameters are the same objects, so an optimizer goes on.",
		},
	},
}

func whereAModelIs() {
	net := nn.NewLinear(3, 1)
	fmt.Printf("%T\n", nn.Parameters(net))
	for name, p := range nn.Parameters(net) {
		fmt.Println(name, p.Shape(), p.Device())
	}
}

func sequentialOnGPU() {
	tensor.ManualSeed(0)
	net := nn.NewSequential(nn.NewLinear(3, 1))
	net = nn.To(net, cuda.TryGPU(0))

	x := tensor.On(cuda.TryGPU(0)).Ones(2, 3)
	fmt.Println(net.Forward(x))
}

func layersParameters() {
	net := nn.To(nn.NewSequential(nn.NewLinear(3, 1)), cuda.TryGPU(0))
	fmt.Printf("%#v\n", net.At(0).(*nn.Linear).Weight.Device())
}

func movedInPlace() {
	net := nn.NewLinear(3, 1)
	weight := net.Weight
	fmt.Println(net.Weight.Device())

	nn.CUDA(net, 0)
	fmt.Println(net.Weight.Device(), net.Weight == weight)
}

func modelOnSecondGPU() {
	net := nn.CUDA(nn.NewLinear(3, 1), 1)
	fmt.Println(net.Weight.Device(), net.Bias.Device())
	fmt.Println(nn.CUDA(net).Weight.Device())
}

func modelMadeOnGPU() {
	tensor.ManualSeed(0)
	net := nn.NewLinear(3, 1, nn.On(cuda.TryGPU(0)))
	fmt.Println(net.Weight)

	tensor.ManualSeed(0)
	fmt.Println(nn.NewLinear(3, 1).Weight)
}

func modelThereAndBack() {
	net := nn.To(nn.NewLinear(3, 1), cuda.TryGPU(0))
	fmt.Println(net.Weight.Device())
	net = nn.CPU(net)
	fmt.Println(net.Weight.Device())
}

func modelAndInput() {
	tensor.ManualSeed(0)
	net := nn.CUDA(nn.NewLinear(3, 1), 0)
	x := tensor.Rand(2, 3).CUDA(0)
	fmt.Println(net.Forward(x))
}

func optimizerGoesOn() {
	tensor.ManualSeed(0)
	net := nn.NewLinear(3, 1)
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(0.1))
	nn.To(net, device.CUDA())

	net.Forward(tensor.On(device.CUDA()).Ones(2, 3)).Sum().Backward()
	opt.Step()
	fmt.Println(net.Weight.Grad())
	fmt.Println(net.Weight)
}
