package tour

import (
	"errors"
	"fmt"
	"os/exec"

	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

var tensors = Chapter{
	Title: "Tensors on devices",
	Steps: []Step{
		{
			Title: "A tensor is made on the CPU", Needs: anyMachine, Do: madeOnCPU,
			Note:    "000:3 000:43-49 001:2 001:145-146 002:4 003:13 003:27 003:34-35",
			Mirrors: "x = torch.tensor([1,2,3]); x.device",
		},
		{
			Title: "Made on a GPU", Needs: oneGPU, Do: madeOnGPU,
			Note: "000:3 000:53-60 001:145-146 003:13", Mirrors: "x = torch.ones(2, 3, device=try_gpu())",
		},
		{
			Title: "Made on a GPU from data, or moved there", Needs: oneGPU, Do: madeOrMoved,
			Note:    "001:61-67 001:108-111 003:30 003:40-45",
			Mirrors: "torch.tensor([1,2,3], device=device); torch.tensor([1,2,3]).to(device)",
		},
		{
			Title: "A handle, not a name", Needs: oneGPU, Do: deviceHandle,
			Note:    "001:108-111 002:7 002:57-70",
			Mirrors: "my_device = torch.device('cuda') if torch.cuda.is_available() else ...",
			Today:   "The note's numbers were not seeded; these are what PyTorch draws on a GPU after torch.cuda.manual_seed(0).",
		},
		{
			Title: "Drawn on a GPU, copied to a GPU", Needs: oneGPU, Do: drawnAndCopied,
			Note: "002:4 002:14-31", Mirrors: "torch.rand(2, 2, device='cuda'); y = x.to('cuda')",
			Today: "Without a GPU the note never makes y, and printing it is a NameError; this step says that it needs one.",
		},
		{
			Title: "cuda and cuda(i)", Needs: twoGPUs, Do: cudaMethod,
			Note: "001:55-59 003:28-29 003:37-38", Mirrors: "x.cuda(); x.cuda(0); x.cuda(1)",
			Today: "cuda() is cuda(0) only while the current GPU is 0.",
		},
		{
			Title: "Floats, and where they are", Needs: oneGPU, Do: floatsOnGPU,
			Note: "001:100-106", Mirrors: "x=torch.Tensor([1,2,3]); x=x.cuda(gpu_index); print(x.device)",
			Today: "torch.Tensor makes float32 of whatever it gets; in Go the slice's type says it.",
		},
		{
			Title: "Back to the CPU", Needs: oneGPU, Do: backToCPU,
			Note: "003:32 003:47-48", Mirrors: "z = z.cpu()",
		},
		{
			Title: "Results stay where their operands are", Needs: oneGPU, Do: resultsStay,
			Note: "000:3 001:68-76 001:113-114 003:49", Mirrors: "y = x**2",
		},
		{
			Title: "Add on the second GPU", Needs: twoGPUs, Do: addOnSecondGPU,
			Note: "000:51 000:62", Mirrors: "Z = X.cuda(1); Y + Z",
			Today: "A copy to where the tensor is already is the tensor itself.",
		},
		{
			Title: "The second GPU by name", Needs: twoGPUs, Do: secondGPU,
			Note: "002:73-85", Mirrors: "x = x.to('cuda:1'); x = torch.rand(2, 3, device='cuda:1')",
		},
		{
			Title: "A tensor takes memory of its own GPU alone", Needs: twoGPUs, Do: memoryOfItsGPU,
			Note: "000:13 000:53", Mirrors: "x = torch.ones(2, 3, device=try_gpu())",
			Today: "Memory comes in blocks of 512 bytes, out of segments of 2 MiB and more that stay with the process for reuse.",
		},
		{
			Title: "The same seen by nvidia-smi", Needs: smallGPU, Do: memoryInTable,
			Note: "000:1 000:53 001:33", Mirrors: "nvidia-smi",
		},
		{
			Title: "More than the GPU has", Needs: smallGPU, Do: tooLarge,
			Note: "000:53", Mirrors: "do not create data beyond the GPU's memory",
			Today: "The error ends nothing: tensors and the GPU go on.",
		},
		{
			Title: "Memory shared with a slice", Needs: anyMachine, Do: sharedMemory,
			Note: "002:6 002:10-12 002:34-42 002:51-53", Mirrors: "n = t.numpy(); t.add_(2); np.add(n, 2, out=n)",
		},
		{
			Title: "A slice that becomes a tensor", Needs: anyMachine, Do: sliceAsTensor,
			Note: "002:6 002:47", Mirrors: "torch.from_numpy(n)",
			Today: "A slice has no To either: FromSlice makes a tensor that shares its memory, Of one with a copy, on a GPU too by tensor.On.",
		},
		{
			Title: "A GPU shares no memory with slices", Needs: oneGPU, Do: notShared,
			Note: "002:6 002:44-49 002:54", Mirrors: "t = t.to('cuda'); n = t.numpy()",
			Today: "The note leaves out the rest of the text, which names the way out.",
		},
		{
			Title: "What moving costs", Needs: oneGPU, Do: movesInALoop,
			Note: "000:3 002:8", Mirrors: "moving data between CPU and GPU takes time",
			Today: "TraceTransfers counts copies and their time by line, and tells which of them belong elsewhere.",
		},
	},
}

func madeOnCPU() {
	x := tensor.Of([]int{1, 2, 3})
	fmt.Println(x.Device())
}

func madeOnGPU() {
	X := tensor.On(cuda.TryGPU(0)).Ones(2, 3)
	fmt.Println(X)
}

func madeOrMoved() {
	dev := cuda.TryGPU(0)
	y := tensor.On(dev).Of([]int{1, 2, 3})
	z := tensor.Of([]int{1, 2, 3}).To(dev)
	fmt.Println(y)
	fmt.Println(z)
}

func deviceHandle() {
	dev := device.CPU
	if cuda.IsAvailable() {
		dev = device.CUDA()
	}
	fmt.Println("Device:", dev)

	cuda.ManualSeed(0)
	fmt.Println(tensor.On(dev).Rand(2, 2))
}

func drawnAndCopied() {
	cuda.ManualSeed(42)
	fmt.Println(tensor.On(device.CUDA()).Rand(2, 2))

	x := tensor.Ones(2, 3)
	y := x.To(device.CUDA())
	fmt.Println(x.Shape(), x.DType(), x.Device())
	fmt.Println(y.Shape(), y.DType(), y.Device())
}

func cudaMethod() {
	x := tensor.Of([]int{1, 2, 3})
	fmt.Println(x.Device())
	fmt.Println(x.CUDA().Device(), x.CUDA(0).Device(), x.CUDA(1).Device())

	cuda.SetDevice(1)
	fmt.Println(x.CUDA().Device())
}

func floatsOnGPU() {
	x := tensor.Of([]float32{1, 2, 3})
	fmt.Println(x)
	x = x.CUDA(0)
	fmt.Println(x)
	fmt.Println(x.Device())
}

func backToCPU() {
	z := tensor.Of([]int{1, 2, 3}).CUDA()
	fmt.Println(z.Device())
	z = z.CPU()
	fmt.Println(z.Device())
}

func resultsStay() {
	x := tensor.On(device.CUDA()).Of([]int{1, 2, 3})
	y := x.Pow(2)
	fmt.Println(y)
}

func addOnSecondGPU() {
	X := tensor.On(cuda.TryGPU(0)).Ones(2, 3)
	cuda.ManualSeedAll(0)
	Y := tensor.On(cuda.TryGPU(1)).Rand(2, 3)

	Z := X.CUDA(1)
	fmt.Println(X.Device(), Y.Device(), Z.Device())
	fmt.Println(Y.Add(Z))
	fmt.Println(Z.CUDA(1) == Z)
}

func secondGPU() {
	fmt.Println(cuda.DeviceCount())
	device1 := device.MustParse("cuda:1")

	x := tensor.Ones(2, 3)
	x = x.To(device1)
	fmt.Println(x)

	cuda.ManualSeedAll(0)
	x = tensor.On(device1).Rand(2, 3)
	fmt.Println(x)
}

func memoryOfItsGPU() {
	fmt.Println(cuda.MemoryAllocated(0), cuda.MemoryAllocated(1))

	x := tensor.On(device.CUDA(0)).Ones(2, 3)
	fmt.Println(cuda.MemoryAllocated(0), cuda.MemoryAllocated(1))

	x.Release()
	fmt.Println(cuda.MemoryAllocated(0), cuda.MemoryReserved(0))
}

func memoryInTable() {
	x := tensor.On(device.CUDA()).Ones(2, 3)
	smi := exec.Command("cresset", "smi", "--layout", "418")
	table, err := smi.Output()
	fmt.Printf("%s%v\n", table, err)

	y := tensor.On(device.CUDA()).Empty(256, 1024, 1024) // 1 GiB
	smi = exec.Command("cresset", "smi", "--layout", "418")
	table, err = smi.Output()
	fmt.Printf("%s%v\n", table, err)

	fmt.Println(cuda.MemoryAllocated(), x.Shape(), y.Shape())
}

func tooLarge() {
	x := tensor.On(device.CUDA()).Ones(2, 3)
	err := tensor.Try(func() {
		tensor.On(device.CUDA()).Empty(2, 1024, 1024, 1024) // 8 GiB
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, tensor.ErrMemory))

	fmt.Println(x.AddScalar(1))
}

func sharedMemory() {
	t := tensor.Ones(5)
	n := tensor.Data[float32](t)
	fmt.Println("before:", t, n)

	t.AddScalarInPlace(2)
	fmt.Println("the tensor changed:", t, n)

	for i := range n {
		n[i] += 2
	}
	fmt.Println("the slice changed:", t, n)
}

func sliceAsTensor() {
	n := []float32{1, 2, 3, 4, 5, 6}
	shared := tensor.FromSlice(n, 2, 3)
	copied := tensor.Of(n)

	n[0] = 10
	fmt.Println(shared)
	fmt.Println(copied)
}

func notShared() {
	t := tensor.Ones(5)
	n := tensor.Data[float32](t)

	g := t.CUDA()
	n[0] = 5
	fmt.Println(t)
	fmt.Println(g)

	err := tensor.Try(func() { tensor.Data[float32](g) })
	fmt.Println(err)
	fmt.Println(tensor.Data[float32](g.CPU()))
}

func movesInALoop() {
	transfers := cuda.TraceTransfers()
	w := tensor.Ones(64, 64)
	x := tensor.On(device.CUDA()).Ones(1, 64)
	for range 10 {
		x = x.MatMul(w.CUDA()).DivScalar(64) // w moves each time
	}
	fmt.Println(transfers.Stop())
}
