package smi_test

import (
	"fmt"

	"cresset/smi"
)

func ExampleByFreeMemory() {
	gpus := []smi.GPU{
		{Index: 0, Memory: smi.Memory{Total: 80 << 30, Free: 3 << 30}},
		{Index: 1, Memory: smi.Memory{Total: 80 << 30, Free: 79 << 30}},
	}
	for _, g := range smi.ByFreeMemory(gpus) {
		fmt.Printf("GPU %d: %d GiB free\n", g.Index, g.Memory.Free>>30)
	}
	// Output:
	// GPU 1: 79 GiB free
	// GPU 0: 3 GiB free
}
