package selftest

import (
	"slices"

	"cresset/device"
	"cresset/internal/backend/cuda"
)

// Used returns how many of a GPU's kernels have run in this process, and the names of the others.
func Used(dev device.Device) (used int, rest []string, err error) {
	d, err := find(dev)
	if err != nil {
		return 0, nil, err
	}
	for name, ran := range d.Kernels() {
		if ran {
			used++
		} else {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return used, rest, nil
}

// lost reports whether a fault has ended a GPU, which computes nothing more in this process.
func lost(dev device.Device) bool {
	d, err := find(dev)
	return err == nil && d.Failed() != nil
}

func find(dev device.Device) (*cuda.Device, error) {
	index, _ := dev.Index()
	return cuda.Find(max(index, 0))
}

// roundProducts lets GPUs round operands of float32 to 11 bits until giveBack is called.
func roundProducts() (giveBack func()) {
	was := cuda.ProductRounding()
	cuda.SetProductRounding(true)
	return func() { cuda.SetProductRounding(was) }
}
