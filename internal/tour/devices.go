package tour

import (
	"errors"
	"fmt"
	"runtime"

	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

var devices = Chapter{
	Title: "Devices",
	Steps: []Step{
		{
			Title: "Look at the GPUs", Needs: noteMachine, Label: "smiTable",
			Note: "000:1 001:4-33 003:12", Mirrors: "nvidia-smi",
			Today: "This is the form of the drivers of 2020; cresset smi prints today's, and --layout those between.",
			Shell: "cresset smi --layout 418",
		},
		{
			Title: "Check the installation", Needs: oneGPU, Label: "version",
			Note: "003:14-17", Mirrors: "install the driver, CUDA and cuDNN; print(torch.__version__)",
			Today: "For cresset NVIDIA's driver is enough: it brings kernels of its own, and needs neither toolkit nor cuDNN.",
			Shell: "cresset version",
		},
		{
			Title: "Names of devices", Needs: anyMachine, Do: deviceNames,
			Note: "000:3-13", Mirrors: "torch.device('cpu'), torch.device('cuda'), torch.device('cuda:1')",
		},
		{
			Title: "Devices out of text", Needs: anyMachine, Do: deviceText,
			Note: "000:13 004:13", Mirrors: "torch.device(f'cuda:{i}'); torch.device(cpu)",
			Today: "004 forgets the quotes, which is a NameError in Python; in Go the CPU is device.CPU, and text goes through Parse.",
		},
		{
			Title: "The CPU is all of its cores", Needs: anyMachine, Do: allCores,
			Note: "000:13 003:13", Mirrors: "cpu: all CPUs and their memory; cuda:i: one card and its memory",
		},
		{
			Title: "Ask about the GPUs", Needs: onlyOneGPU, Do: askAboutGPUs,
			Note:    "000:15-20 001:35-53 001:92-98 002:76-77 003:18-23 004:65-66",
			Mirrors: "torch.cuda.is_available(), device_count(), current_device(), get_device_name(0)",
			Today:   "003 calls current_device() the number of GPUs; it is the index of the one that cuda stands for.",
		},
		{
			Title: "cuda is the current GPU", Needs: twoGPUs, Do: cudaWithoutIndex,
			Note: "000:13", Mirrors: "cuda:0 and cuda are equivalent",
			Today: "They are while the current GPU is 0, and as places for tensors only: the two names are never equal.",
		},
		{
			Title: "A GPU, or the CPU in its place", Needs: onlyOneGPU, Do: tryGPUs,
			Note: "000:22-41", Mirrors: "try_gpu(), try_gpu(10), try_all_gpus()",
		},
		{
			Title: "The same without a GPU", Needs: withoutGPU, Do: tryWithoutGPU,
			Note: "000:22-35", Mirrors: "try_gpu(), try_gpu(10), try_all_gpus()",
		},
		{
			Title: "Questions that need a GPU", Needs: withoutGPU, Do: askWithoutGPU,
			Note: "001:92-98 003:19-23", Mirrors: "gpu_index = torch.cuda.current_device()",
			Today: "001 asks without a check and ends in an error on a machine without GPUs; so does PyTorch 2.6, in these words.",
		},
	},
}

func deviceNames() {
	fmt.Printf("%#v, %#v, %#v\n", device.CPU, device.CUDA(), device.CUDA(1))
	fmt.Println(device.CPU, device.CUDA(), device.CUDA(1))
}

func deviceText() {
	for i := range 2 {
		name := fmt.Sprintf("cuda:%d", i)
		fmt.Println(name, device.MustParse(name) == device.CUDA(i))
	}
	for _, name := range []string{"cpu", "cuda:01", "CUDA", ""} {
		dev, err := device.Parse(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(dev)
	}
}

func allCores() {
	fmt.Println(tensor.NumThreads() == runtime.GOMAXPROCS(0))
}

func askAboutGPUs() {
	fmt.Println(cuda.IsAvailable())
	fmt.Println(cuda.DeviceCount())
	fmt.Println(cuda.CurrentDevice()) // and an error, nil if all is well
	fmt.Println(cuda.DeviceName(0))
	fmt.Println(cuda.DeviceProperties(0))
}

func cudaWithoutIndex() {
	fmt.Println(device.CUDA() == device.CUDA(0))
	fmt.Println(tensor.On(device.CUDA()).Ones(2).Device())

	cuda.SetDevice(1)
	fmt.Println(tensor.On(device.CUDA()).Ones(2).Device())
}

func tryGPUs() {
	fmt.Printf("%#v\n", cuda.TryGPU(0))
	fmt.Printf("%#v\n", cuda.TryGPU(10))
	fmt.Println(cuda.TryAllGPUs())
}

func tryWithoutGPU() {
	fmt.Println(cuda.DeviceCount())
	fmt.Println(cuda.TryGPU(0), cuda.TryGPU(10), cuda.TryAllGPUs())
}

func askWithoutGPU() {
	_, err := cuda.CurrentDevice()
	fmt.Println(err)

	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		fmt.Println(hinted.Hint())
	}
}
