package tour

import (
	"errors"
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

var failures = Chapter{
	Title: "Errors",
	Steps: []Step{
		{
			Title: "CPU and GPU do not mix", Needs: oneGPU, Do: mixedDevices,
			Note: "000:51 001:77-85 001:116 001:147 002:5 002:26 003:49-54 004:2", Mirrors: "z = y + x.cpu()",
			Today: "001 has the words of PyTorch up to 1.4, which named the dtypes too; 003 has those of 1.10, which 2.6 still has.",
		},
		{
			Title: "Two GPUs do not mix", Needs: twoGPUs, Do: mixedGPUs,
			Note: "000:62 001:77 001:147 003:49", Mirrors: "X + Y",
		},
		{
			Title: "An error as a value, and what mends it", Needs: twoGPUs, Do: errorAsValue,
			Note: "000:62", Mirrors: "Z = X.cuda(1); Y + Z",
			Today: "Operations panic with a *tensor.Error; Try makes it a value, errors.Is asks its kind, Hint tells what helps.",
		},
		{
			Title: "Where the tensors came from", Needs: oneGPU, Do: placement,
			Note: "000:51 002:5", Mirrors: "the framework does not know where to compute",
			Today: "With TracePlacement, or CRESSET_DEBUG=placement, a hint names the lines that made and moved the tensors.",
		},
		{
			Title: "A model on the CPU, its input on a GPU", Needs: oneGPU, Do: modelLeftBehind,
			Note: "003:82-88 004:2", Mirrors: "net = net.cpu(); net(x)",
			Today: "The bias is looked at first, so cpu stands first. wrapper_addmm was 1.10 to 1.13; after 2.6 the text is: but got mat1 is on cuda:0, different from other tensors on cpu.",
		},
		{
			Title: "A model on a GPU, its input on the CPU", Needs: oneGPU, Do: inputLeftBehind,
			Note: "001:134 003:82", Mirrors: "net = net.cuda(); net(x)",
		},
		{
			Title: "Integers into a Linear", Needs: oneGPU, Do: integersIntoLinear,
			Note: "001:134-143", Mirrors: "x=torch.tensor([1,2,3]).cuda(); net(x)",
			Today: "The note shows this as if it worked; every version of PyTorch refuses it.",
		},
		{
			Title: "A GPU that is not there", Needs: onlyOneGPU, Do: invalidOrdinal,
			Note: "002:73-90", Mirrors: "x = x.to('cuda:1')",
			Today: "The note's words are those of PyTorch 2.0 to 2.2; since then the third line has no full stop.",
		},
		{
			Title: "The same with CUDA_LAUNCH_BLOCKING=1", Needs: blocking, Do: invalidOrdinalBlocking,
			Note: "002:87-90", Mirrors: "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
			Today: "Who waits for each kernel needs no warning that errors come late.",
		},
		{
			Title: "Errors that come late", Needs: expendable, Do: lateError,
			Note: "002:88", Mirrors: "CUDA kernel errors might be asynchronously reported at some other API call",
		},
		{
			Title: "A GPU that is lost to the process", Needs: expendable, Do: poisonedGPU,
			Note: "002:87-90", Mirrors: "RuntimeError: CUDA error: ...",
			Today: "An invalid ordinal and a lack of memory end nothing; an assertion in a kernel ends the GPU for the process.",
		},
		{
			Title: "Names and numbers of no GPU", Needs: onlyOneGPU, Do: noSuchGPU,
			Note: "001:51-53 001:97", Mirrors: "torch.cuda.get_device_name(device_id)",
		},
	},
}

func mixedDevices() {
	x := tensor.On(device.CUDA()).Of([]int{1, 2, 3})
	y := x.Pow(2)
	fmt.Println(tensor.Try(func() { y.Add(x.CPU()) }))
	fmt.Println(tensor.Try(func() { x.CPU().Add(y) })) // the same words
}

func mixedGPUs() {
	X := tensor.On(device.CUDA(0)).Ones(2, 3)
	Y := tensor.On(device.CUDA(1)).Ones(2, 3)
	fmt.Println(tensor.Try(func() { X.Add(Y) }))
	fmt.Println(tensor.Try(func() { Y.Add(X) }))
}

func errorAsValue() {
	X := tensor.On(device.CUDA(0)).Ones(2, 3)
	Y := tensor.On(device.CUDA(1)).Ones(2, 3)
	err := tensor.Try(func() { Y.Add(X) })
	fmt.Println(errors.Is(err, tensor.ErrDevice))

	var e *tensor.Error
	if errors.As(err, &e) {
		fmt.Println(e.Op)
		fmt.Println(e.Hint())
	}
}

func placement() {
	tensor.TracePlacement(true)
	net := nn.CUDA(nn.NewLinear(3, 1))
	x := tensor.Ones(2, 3)
	x.CUDA() // the result is lost
	err := tensor.Try(func() { net.Forward(x) })

	var e *tensor.Error
	errors.As(err, &e)
	fmt.Println(e.Hint())
}

func modelLeftBehind() {
	net := nn.CUDA(nn.NewLinear(3, 1), 0)
	x := tensor.Rand(2, 3).CUDA(0)
	fmt.Println(net.Forward(x).Shape())

	nn.CPU(net)
	fmt.Println(tensor.Try(func() { net.Forward(x) }))
}

func inputLeftBehind() {
	net := nn.CUDA(nn.NewLinear(3, 1))
	x := tensor.Rand(2, 3)
	fmt.Println(tensor.Try(func() { net.Forward(x) }))
}

func integersIntoLinear() {
	tensor.ManualSeed(0)
	net := nn.CUDA(nn.NewLinear(3, 1))
	x := tensor.Of([]int{1, 2, 3}).CUDA()
	fmt.Println(tensor.Try(func() { net.Forward(x) }))
	fmt.Println(net.Forward(x.Float()))
}

func invalidOrdinal() {
	x := tensor.Ones(2, 3)
	fmt.Print(tensor.Try(func() { x.To(device.CUDA(1)) }))

	fmt.Println(x.CUDA(0)) // nothing is lost
}

func invalidOrdinalBlocking() {
	x := tensor.Ones(2, 3)
	fmt.Println(tensor.Try(func() { x.To(device.CUDA(1)) }))
}

func lateError() {
	table := tensor.Ones(3, 2).CUDA()
	rows := tensor.Of([]int{0, 99}).CUDA()

	var out *tensor.Tensor
	fmt.Println(tensor.Try(func() { out = table.IndexSelect(0, rows) }))
	fmt.Print(tensor.Try(func() { out.CPU() }))
}

func poisonedGPU() {
	x := tensor.Ones(3).CUDA()
	tensor.Try(func() { x.IndexSelect(0, tensor.Of([]int{99}).CUDA()) })
	err := cuda.Synchronize()
	again := tensor.Try(func() { x.AddScalar(1) })

	fmt.Print(err)
	fmt.Println(again.Error() == err.Error())
	fmt.Println(tensor.Ones(3)) // the CPU goes on
}

func noSuchGPU() {
	_, err := cuda.DeviceName(1)
	fmt.Println(err)
	_, _, err = cuda.MemInfo(1)
	fmt.Print(err)
}
