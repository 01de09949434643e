package tour

import (
	"fmt"
	"os"

	"cresset/cuda"
	"cresset/device"
	"cresset/smi"
	"cresset/tensor"
)

var several = Chapter{
	Title: "Many GPUs",
	Steps: []Step{
		{
			Title: "Every GPU and its name", Needs: fourGPUs, Do: everyGPU,
			Note: "002:73-77 004:65-66", Mirrors: "torch.cuda.device_count(); torch.cuda.get_device_name()",
		},
		{
			Title: "A seed for the current GPU", Needs: twoGPUs, Do: seedOfCurrent,
			Note: "004:67", Mirrors: "torch.cuda.manual_seed(1)",
		},
		{
			Title: "A seed for every GPU", Needs: twoGPUs, Do: seedOfAll,
			Note: "004:68", Mirrors: "torch.cuda.manual_seed_all(0)",
			Today: "One seed gives equal numbers on every GPU, and others on the CPU, which has another generator.",
		},
		{
			Title: "The main GPU", Needs: twoGPUs, Do: setDevice,
			Note: "004:69", Mirrors: "torch.cuda.set_device(1)",
			Today: "The note says physical; the index is the logical one, among the visible GPUs.",
		},
		{
			Title: "Why not to set it", Needs: twoGPUs, Do: whyNotSetDevice,
			Note: "004:69", Mirrors: "set_device: not recommended",
			Today: "It changes what cuda means for the whole program, far from here; an index says where, and visible devices say which.",
		},
		{
			Title: "Visible GPUs", Needs: fourGPUs, Do: visibleGPUs,
			Note: "004:65 004:70-79", Mirrors: `os.environ.setdefault("CUDA_VISIBLE_DEVICES", "2", "3")`,
			Today: "setdefault takes two texts, so the note's line is a TypeError; the value is \"2,3\".",
		},
		{
			Title: "Logical and physical GPUs", Needs: fourGPUs, Do: logicalAndPhysical,
			Note: "004:73-84", Mirrors: "logical gpu0 gpu1 gpu2 are physical gpu0 gpu3 gpu2",
			Today: "The note's second line has the first one's mistake: the value is \"0,3,2\".",
		},
		{
			Title: "The variable in the environment", Needs: visibleTwoThree, Do: visibleFromOutside,
			Note: "004:73-79", Mirrors: "CUDA_VISIBLE_DEVICES=2,3",
		},
		{
			Title: "What the environment says stays", Needs: visibleTwoThree, Do: inheritedStays,
			Note: "004:70 004:109", Mirrors: `os.environ.setdefault("CUDA_VISIBLE_DEVICES", gpu_list_str)`,
			Today: "setdefault keeps a value that is there, which the note does not mention; SetVisibleDevices replaces it.",
		},
		{
			Title: "Too late", Needs: fourGPUs, Do: visibleTooLate,
			Note: "004:70", Mirrors: "os.environ[...] after CUDA has started",
			Today: "In PyTorch the variable is without effect then, and nothing says so.",
		},
		{
			Title: "Which GPU is number 0", Needs: desktop, Do: fastestFirst,
			Note: "004:73-84 004:156-159", Mirrors: "physical GPU 0",
			Today: "nvidia-smi counts along the PCI bus, CUDA puts the fastest first; they agree with CUDA_DEVICE_ORDER=PCI_BUS_ID.",
		},
		{
			Title: "The same in the order of the bus", Needs: desktopByBus, Do: orderOfTheBus,
			Note: "004:82-84 004:156-159", Mirrors: "physical GPU 0",
		},
	},
}

func everyGPU() {
	for i := range cuda.DeviceCount() {
		name, err := cuda.DeviceName(i)
		fmt.Println(device.CUDA(i), name, err)
	}
	fmt.Println(cuda.TryAllGPUs())
}

func seedOfCurrent() {
	cuda.ManualSeedAll(0)
	cuda.ManualSeed(1) // of cuda:0
	fmt.Println(tensor.On(device.CUDA(0)).Rand(3))
	fmt.Println(tensor.On(device.CUDA(1)).Rand(3))
}

func seedOfAll() {
	cuda.ManualSeedAll(0)
	for _, gpu := range cuda.TryAllGPUs() {
		fmt.Println(tensor.On(gpu).Rand(3))
	}

	tensor.ManualSeed(0) // the CPU and every GPU
	fmt.Println(tensor.Rand(3))
	fmt.Println(tensor.On(device.CUDA(1)).Rand(3))
}

func setDevice() {
	fmt.Println(tensor.On(device.CUDA()).Ones(2).Device())
	cuda.SetDevice(1)
	fmt.Println(cuda.CurrentDevice())
	fmt.Println(tensor.On(device.CUDA()).Ones(2).Device())
	fmt.Println(cuda.SetDevice(2))
}

func whyNotSetDevice() {
	x := tensor.Ones(2).CUDA()
	cuda.SetDevice(1) // perhaps in another file
	y := tensor.Ones(2).CUDA()
	fmt.Println(tensor.Try(func() { x.Add(y) }))

	z := tensor.Ones(2).CUDA(0) // says where
	fmt.Println(x.Add(z))
}

func visibleGPUs() {
	fmt.Println(cuda.DefaultVisibleDevices("2,3"))
	fmt.Println(cuda.DeviceCount())
	fmt.Println(os.Getenv("CUDA_VISIBLE_DEVICES"))
	_, err := cuda.DeviceName(2)
	fmt.Println(err)
}

func logicalAndPhysical() {
	gpus, err := smi.GPUs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, list := range []string{"2,3", "0,3,2"} {
		env := smi.Environment{Limited: true, Visible: list}
		logical, _ := env.Logical(gpus)
		fmt.Println("CUDA_VISIBLE_DEVICES=" + list)
		for i, g := range logical {
			fmt.Println("logical", i, "is physical", g.Index, "at", g.BusID)
		}
	}
}

func visibleFromOutside() {
	fmt.Println(os.Getenv("CUDA_VISIBLE_DEVICES"), cuda.DeviceCount())
	for i := range cuda.DeviceCount() {
		p, err := cuda.DeviceProperties(i)
		fmt.Println(device.CUDA(i), p.BusID, err)
	}
}

func inheritedStays() {
	fmt.Println(cuda.DefaultVisibleDevices("0,1,2"))
	fmt.Println(os.Getenv("CUDA_VISIBLE_DEVICES"))

	fmt.Println(cuda.SetVisibleDevices("0,1,2"))
	fmt.Println(os.Getenv("CUDA_VISIBLE_DEVICES"), cuda.DeviceCount())
}

func visibleTooLate() {
	fmt.Println(cuda.DeviceCount())
	fmt.Println(cuda.SetVisibleDevices("2,3"))
	fmt.Println(cuda.DeviceCount())
}

func fastestFirst() {
	gpus, err := smi.GPUs()
	fmt.Println(gpus[0].Name, err)
	fmt.Println(cuda.DeviceName(0))

	logical, err := smi.Logical(gpus)
	fmt.Println("cuda:0 is GPU", logical[0].Index, "of nvidia-smi", err)
}

func orderOfTheBus() {
	fmt.Println(os.Getenv("CUDA_DEVICE_ORDER"))
	fmt.Println(cuda.DeviceName(0))
}
