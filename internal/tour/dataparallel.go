package tour

import (
	"context"
	"fmt"
	"os"

	"cresset/cuda"
	"cresset/device"
	"cresset/dist"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/nn/parallel"
	"cresset/optim"
	"cresset/tensor"
)

var dataParallel = Chapter{
	Title: "DataParallel",
	Steps: []Step{
		{
			Title: "A batch of 16 on two GPUs", Needs: fourGPUs, Do: splitBatch, Shows: []string{"fooNet", "newFooNet"},
			Note:    "004:93-97 004:104-109 004:113-136",
			Mirrors: "net = nn.DataParallel(net); net.to(device); outputs = net(inputs)",
			Today:   "The note's text says batch_size 2, its code 16; 8 rows for each of two GPUs is right. It does not show FooNet.",
		},
		{
			Title: "The same without a GPU", Needs: withoutGPU, Do: splitWithoutGPU, Shows: []string{"fooNet", "newFooNet"},
			Note:    "004:113 004:128-136",
			Mirrors: "device = torch.device(\"cuda:0\" if torch.cuda.is_available() else \"cpu\")",
		},
		{
			Title: "What each GPU gets", Needs: fourGPUs, Do: sharesOfABatch, Shows: []string{"rowsOf"},
			Note: "004:90-92", Mirrors: "batch_size / number of GPUs",
			Today: "Shares are rounded up: the last is smaller, and of a small batch some GPUs get nothing.",
		},
		{
			Title: "Which GPUs, and where the results go", Needs: twoGPUs, Do: chosenGPUs,
			Note: "004:86-97", Mirrors: "torch.nn.DataParallel(module, device_ids=None, output_device=None, dim=0)",
			Today: "Without DeviceIDs all visible GPUs are used; the first of the list is the main one. Dim 0 divides rows, 1 columns.",
		},
		{
			Title: "A model that is not on the main GPU", Needs: fourGPUs, Do: wrongMainGPU,
			Note:    "004:99-100 004:102 004:110-112",
			Mirrors: "RuntimeError: module must have its parameters and buffers on device cuda:1 ...",
		},
		{
			Title: "What the main GPU is for", Needs: twoGPUs, Do: mainGPU,
			Note: "004:102", Mirrors: "one GPU gives out the batch and takes in the results",
			Today: "It also keeps the model, and takes the sum of all gradients, which is that of one device.",
		},
		{
			Title: "Training", Needs: twoGPUs, Do: trainInParallel,
			Note: "004:115-131", Mirrors: "for epoch in range(1): outputs = net(inputs)",
			Today: "The note's loop has no loss and no step; with both, two GPUs learn what one does.",
		},
		{
			Title: "Several servers", Needs: twoRanks, Do: trainOnServers,
			Note: "000:3", Mirrors: "jobs on several servers",
			Today: "A process for each GPU, of one machine or many, each with its part of the data. mpirun and srun start them on several machines, without a change.",
		},
	},
}

// fooNet is a chain of layers that tells how much of a batch it gets.
type fooNet struct {
	Linears []*nn.Linear
}

func newFooNet(neurons, layers int) *fooNet {
	net := new(fooNet)
	for range layers {
		linear := nn.NewLinear(neurons, neurons, nn.Bias(false))
		net.Linears = append(net.Linears, linear)
	}
	return net
}

func (net *fooNet) Forward(x *tensor.Tensor) *tensor.Tensor {
	fmt.Println("batch size in forward:", x.Size(0))
	for _, linear := range net.Linears {
		x = linear.Forward(x).ReLU()
	}
	return x
}

func splitBatch() {
	cuda.DefaultVisibleDevices("0,1")
	dev := cuda.TryGPU(0) // the main GPU

	inputs := tensor.Randn(16, 3).To(dev)
	net, err := parallel.NewDataParallel(newFooNet(3, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	nn.To(net, dev)

	outputs := net.Forward(inputs)
	fmt.Println("model outputs.size:", outputs.Shape())
	fmt.Println("CUDA_VISIBLE_DEVICES:", os.Getenv("CUDA_VISIBLE_DEVICES"))
	fmt.Println("device_count:", cuda.DeviceCount())
}

func splitWithoutGPU() {
	dev := cuda.TryGPU(0)
	inputs := tensor.Randn(16, 3).To(dev)
	net, err := parallel.NewDataParallel(newFooNet(3, 3))
	outputs := nn.To(net, dev).Forward(inputs)
	fmt.Println("model outputs.size:", outputs.Shape(), err)
}

// rowsOf returns a vector with the number of rows of x.
func rowsOf(_ *nn.Linear, x *tensor.Tensor) *tensor.Tensor {
	return tensor.On(x.Device()).Full([]int{1}, x.Size(0))
}

func sharesOfABatch() {
	net := nn.CUDA(nn.NewLinear(3, 1), 0)
	for _, gpus := range [][]int{{0, 1}, {0, 1, 2}, {0, 1, 2, 3}} {
		dp, err := parallel.NewDataParallel(net, parallel.DeviceIDs(gpus...))
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, rows := range []int{16, 10, 5} {
			shares := parallel.Call(dp, tensor.Ones(rows, 3), rowsOf)
			fmt.Println(rows, "rows on", gpus, tensor.Values[int64](shares))
		}
	}
}

func chosenGPUs() {
	net := nn.CUDA(nn.NewLinear(3, 1), 1)
	for _, opts := range [][]parallel.Option{
		{parallel.DeviceIDs(1, 0)},
		{parallel.DeviceIDs(1, 0), parallel.OutputDevice(device.CPU)},
	} {
		dp, err := parallel.NewDataParallel(net, opts...)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(dp.Forward(tensor.Ones(4, 3)).Device())
	}

	gpus, columnwise := parallel.DeviceIDs(1, 0), parallel.Dim(1)
	dp, err := parallel.NewDataParallel(net, gpus, columnwise)
	if err != nil {
		fmt.Println(err)
		return
	}
	columns := func(_ *nn.Linear, x *tensor.Tensor) *tensor.Tensor {
		return tensor.On(x.Device()).Full([]int{1, 1}, x.Size(1))
	}
	fmt.Println(parallel.Call(dp, tensor.Ones(4, 6), columns))
}

func wrongMainGPU() {
	net := nn.CUDA(nn.NewLinear(3, 3), 2)
	dp, err := parallel.NewDataParallel(net, parallel.DeviceIDs(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensor.Try(func() { dp.Forward(tensor.Ones(16, 3)) }))

	nn.CUDA(dp, 1)
	fmt.Println(dp.Forward(tensor.Ones(16, 3)).Shape())
}

func mainGPU() {
	tensor.ManualSeed(0)
	net := nn.CUDA(nn.NewLinear(3, 1), 0)
	x := tensor.Randn(16, 3).CUDA(0)
	net.Forward(x).Sum().Backward()
	fmt.Println(net.Weight.Grad())

	nn.ZeroGrad(net)
	dp, err := parallel.NewDataParallel(net, parallel.DeviceIDs(0, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	out := dp.Forward(x)
	out.Sum().Backward()
	fmt.Println(out.Device())
	fmt.Println(net.Weight.Grad())
}

func trainOnServers() {
	ctx := context.Background()
	g, err := dist.Init(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	tensor.ManualSeed(int64(g.Rank())) // the model becomes rank 0's
	model, err := ddp.NewDistributedDataParallel(nn.NewLinear(3, 1), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := tensor.Full([]int{4, 3}, float32(g.Rank())) // its part of the data
	model.Forward(x).Mean().Backward()
	if g.Rank() == 0 {
		fmt.Println(g)
		fmt.Println("the mean of all gradients:", model.Module.Weight.Grad())
	}
	if err := g.Close(ctx); err != nil {
		fmt.Println(err)
	}
}

func trainInParallel() {
	for _, gpus := range [][]int{{0}, {0, 1}} {
		tensor.ManualSeed(0)
		inputs := tensor.Randn(16, 3).CUDA(0)
		labels := tensor.Randn(16, 3).CUDA(0)
		net := nn.CUDA(nn.NewSequential(
			nn.NewLinear(3, 8), nn.NewReLU(), nn.NewLinear(8, 3)), 0)
		dp, err := parallel.NewDataParallel(net, parallel.DeviceIDs(gpus...))
		if err != nil {
			fmt.Println(err)
			return
		}
		opt := optim.NewSGD(nn.Parameters(net), optim.LR(0.1))
		for range 3 {
			opt.ZeroGrad()
			loss := tensor.MSELoss(dp.Forward(inputs), labels)
			loss.Backward()
			opt.Step()
			fmt.Printf("%v %.4f\n", gpus, loss)
		}
	}
}
