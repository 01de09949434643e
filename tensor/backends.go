package tensor

import (
	"fmt"
	"strings"

	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/backend/cpu"
	"cresset/internal/backend/cuda"
)

var host backend.Backend = cpu.Backend{}

// backends names what computes for each type of device; a type that is missing cannot hold tensors.
var backends = map[device.Type]func(index int) (backend.Backend, error){
	device.TypeCPU:  func(int) (backend.Backend, error) { return host, nil },
	device.TypeCUDA: cuda.Open,
	device.TypeMeta: cuda.OpenMeta,
}

// backendOf returns the device's backend and panics where there is none.
func backendOf(name string, dev device.Device) backend.Backend {
	if dev.IsCPU() {
		return host
	}
	open, ok := backends[dev.Type()]
	if !ok {
		failHint(name, ErrDevice, fmt.Sprintf("Could not run 'aten::empty.memory_format' with arguments from the '%s' backend.", strings.ToUpper(dev.Type().String())),
			fmt.Sprintf("%s cannot hold tensors here; use device.CPU or a GPU", dev))
	}
	index, _ := resolve(dev).Index()
	b, err := open(index)
	check(name, ErrDevice, err)
	return b
}

// resolve returns the device that tensors on dev report: plain cpu whatever the index, meta for its first, and cuda with an
// index, that of the current GPU where it has none.
func resolve(dev device.Device) device.Device {
	switch index, _ := dev.Index(); {
	case dev.IsCPU():
		return device.CPU
	case dev.IsCUDA() && !dev.HasIndex():
		return device.CUDA(cuda.Current())
	case dev.IsMeta() && index == 0:
		return device.Meta
	}
	return dev
}
