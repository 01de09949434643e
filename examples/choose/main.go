// Command choose finds the GPU with the most free memory, hides the others, and computes on it as cuda:0.
//
//	go run ./examples/choose -min-free 4096 -wait 10m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/smi"
	"cresset/tensor"
)

func main() {
	minFree := flag.Uint64("min-free", 0, "MiB of memory that must be free")
	wait := flag.Duration("wait", 0, "how long to wait for such a GPU")
	flag.Parse()

	dev, err := choose(smi.Wish{MinFree: *minFree << 20}, *wait)
	if err != nil {
		fmt.Fprintln(os.Stderr, "choose:", err)
		os.Exit(1)
	}
	fmt.Println(tensor.On(dev).Ones(2, 3).Sum())
}

// choose returns cuda:0, which is the emptiest GPU from then on. On a machine without a GPU it says so and returns the CPU;
// a machine whose GPUs are all in use is another matter, and an error.
func choose(wish smi.Wish, wait time.Duration) (device.Device, error) {
	gpu, err := pick(wish, wait)
	if none, ok := errors.AsType[*smi.Error](err); ok && (none.Reason == smi.ErrNoLibrary || none.Reason == smi.ErrNoGPU) {
		fmt.Printf("%v: computing on the CPU\n", none.Reason)
		return device.CPU, nil
	}
	if err != nil {
		return device.CPU, err
	}
	fmt.Printf("GPU %d at %s has %d MiB free\n", gpu.Index, gpu.BusID, gpu.Memory.Free>>20)

	// By UUID, because an index is nvidia-smi's or CUDA's, and the two may count differently. It has to come before the
	// first use of a GPU: later it would be an error.
	if err := cuda.SetVisibleDevices(gpu.UUID); err != nil {
		return device.CPU, err
	}
	p, err := cuda.DeviceProperties(0)
	if err != nil {
		return device.CPU, err
	}
	fmt.Printf("cuda:0 of %d is the one at %s\n", cuda.DeviceCount(), p.BusID)
	return device.CUDA(0), nil
}

// pick returns the best GPU for a wish, and looks again every second while there is none.
func pick(wish smi.Wish, wait time.Duration) (smi.GPU, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for {
		gpus, err := smi.GPUs()
		if err != nil {
			return smi.GPU{}, err // waiting brings no driver
		}
		best, err := smi.Pick(gpus, wish)
		if err == nil {
			return best[0], nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return smi.GPU{}, err // which tells what every GPU lacks, and who has it
		}
	}
}
