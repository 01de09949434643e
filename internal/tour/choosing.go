package tour

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"cresset/cuda"
	"cresset/device"
	"cresset/smi"
	"cresset/tensor"
)

var choosing = Chapter{
	Title: "Choosing GPUs",
	Steps: []Step{
		{
			Title: "What nvidia-smi says about memory", Needs: lab, Label: "memoryOfGPUs",
			Note: "004:138-145 004:163", Mirrors: "nvidia-smi -q -d Memory",
			Shell: "cresset smi -i 0 -q -d Memory",
		},
		{
			Title: "The lines from each GPU on", Needs: lab, Label: "linesOfGPUs",
			Note: "004:164", Mirrors: "nvidia-smi -q -d Memory | grep -A4 GPU",
			Today: "grep -A4 takes the line that matches and four more, so five, not the note's four.",
			Shell: "cresset smi -i 0,1 -q -d Memory | grep -A4 GPU",
		},
		{
			Title: "The free memory of each GPU", Needs: lab, Label: "freeMemory",
			Note: "004:144 004:166-168", Mirrors: "nvidia-smi -q -d Memory | grep -A4 GPU | grep Free > tmp.txt",
			Shell: "cresset smi -q -d Memory | grep -A4 GPU | grep Free",
		},
		{
			Title: "The same on a newer driver", Needs: newerLab, Label: "freeMemoryToday",
			Note: "004:144 004:166", Mirrors: "nvidia-smi -q -d Memory | grep -A4 GPU | grep Free",
			Today: "From about driver 510 on a row Reserved makes Free the fifth: the note's line finds no GPU any more.",
			Shell: "cresset smi -q -d Memory | grep -A4 GPU | grep Free || echo nothing",
		},
		{
			Title: "Old scripts on new drivers", Needs: newerLab, Label: "freeMemoryLayout",
			Note: "004:144", Mirrors: "nvidia-smi -q -d Memory | grep -A4 GPU | grep Free",
			Today: "--layout prints as the old drivers did.",
			Shell: "cresset smi --layout 418 -q -d Memory | grep -A4 GPU | grep Free",
		},
		{
			Title: "Numbers out of the text", Needs: newerLab, Do: numbersFromText,
			Note: "004:145-146 004:168 004:170", Mirrors: "[int(x.split()[2]) for x in open('tmp.txt', 'r').readlines()]",
			Today: "A file tmp.txt in the working directory, which two programs share and overwrite, is not needed.",
		},
		{
			Title: "GPUs by free memory", Needs: newerLab, Do: byFreeMemory,
			Note: "004:138 004:147-156", Mirrors: "gpu_list = np.argsort(gpu_memory)[::-1]",
			Today: "No text is cut, Windows works too, and equal GPUs keep their order, where argsort promises none.",
		},
		{
			Title: "What the note's condition does", Needs: fourGPUs, Do: emptyValue,
			Note: "004:153-160", Mirrors: "if not gpu_memory: ... setdefault(\"CUDA_VISIBLE_DEVICES\", gpu_list_str)",
			Today: "The condition is inverted: with a list nothing happens, and with an empty one the value is empty, which hides every GPU.",
		},
		{
			Title: "The emptiest GPU becomes cuda:0", Needs: newerLab, Do: emptiestIsFirst,
			Note: "004:153-160", Mirrors: "os.environ.setdefault(\"CUDA_VISIBLE_DEVICES\", gpu_list_str)",
			Today: "An index is nvidia-smi's or CUDA's, and they can differ; a UUID is the same GPU to both.",
		},
		{
			Title: "Every GPU, the emptiest first", Needs: newerLab, Do: sortedVisible,
			Note: "004:153-160", Mirrors: "gpu_list_str = ','.join(map(str, gpu_list))",
		},
		{
			Title: "GPUs with enough memory, or an error", Needs: newerLab, Do: enoughMemory,
			Note: "004:138-160", Mirrors: "get_gpu_memory()",
			Today: "The note takes the emptiest GPU however full it is.",
		},
		{
			Title: "The same for a shell", Needs: newerLab, Label: "pick",
			Note: "004:138-160", Mirrors: "CUDA_VISIBLE_DEVICES",
			Shell: "cresset pick --min-free 4GiB --format env",
		},
	},
}

func numbersFromText() {
	out, err := exec.Command("cresset", "smi",
		"--query-gpu=memory.free", "--format=csv,noheader,nounits").Output()
	fmt.Println(err)
	for line := range strings.Lines(string(out)) {
		free, err := strconv.Atoi(strings.TrimSpace(line))
		fmt.Println(free, "MiB", err)
	}
}

func byFreeMemory() {
	gpus, err := smi.GPUs()
	fmt.Println(len(gpus), err)
	for _, g := range smi.ByFreeMemory(gpus) {
		fmt.Println("gpu free memory:", g.Index, g.Memory.Free>>20, "MiB")
	}
}

func emptyValue() {
	var gpus []string // what the note's pipeline finds on a newer driver
	list := strings.Join(gpus, ",")
	fmt.Printf("%q %v\n", list, cuda.SetVisibleDevices(list))
	fmt.Println(cuda.IsAvailable(), cuda.DeviceCount())
}

func emptiestIsFirst() {
	gpus, err := smi.GPUs()
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := smi.Pick(gpus, smi.Wish{N: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("picked GPU", best[0].Index, "at", best[0].BusID)

	fmt.Println(cuda.SetVisibleDevices(best[0].UUID))
	p, err := cuda.DeviceProperties(0)
	fmt.Println("cuda:0 is at", p.BusID, err)
	same, err := smi.Find(gpus, p.BusID)
	fmt.Println("which is GPU", same.Index, err)
	fmt.Println(tensor.On(device.CUDA()).Ones(2))
}

func sortedVisible() {
	gpus, err := smi.GPUs()
	fmt.Println(len(gpus), err)
	var list []string
	for _, g := range smi.ByFreeMemory(gpus) {
		list = append(list, g.UUID)
	}
	cuda.DefaultVisibleDevices(strings.Join(list, ","))

	for i := range cuda.DeviceCount() {
		p, _ := cuda.DeviceProperties(i)
		free, _, err := cuda.MemInfo(i)
		fmt.Println(device.CUDA(i), p.BusID, free>>20, "MiB", err)
	}
}

func enoughMemory() {
	gpus, err := smi.GPUs()
	fmt.Println(len(gpus), err)
	best, err := smi.Pick(gpus, smi.Wish{N: 2, MinFree: 4 << 30})
	for _, g := range best {
		fmt.Println(g.Index, g.Name, g.Memory.Free>>20, "MiB")
	}
	fmt.Println(err)

	_, err = smi.Pick(gpus, smi.Wish{N: 1, MinFree: 16 << 30})
	fmt.Println(err)
	fmt.Println(os.Getenv("CUDA_VISIBLE_DEVICES") == "")
}
