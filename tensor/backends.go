package tensor

import (
	"fmt"
	"strings"

	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/backend/cpu"
)

var host backend.Backend = cpu.Backend{}

// backends names what computes for each type of device; a type that is missing cannot hold tensors.
var backends = map[device.Type]func(index int) (backend.Backend, error){
	device.TypeCPU: func(int) (backend.Backend, error) { return host, nil },
}

// backendOf returns the device's backend and panics where there is none.
func backendOf(name string, dev device.Device) backend.Backend {
	if dev.IsCPU() {
		return host
	}
	open, ok := backends[dev.Type()]
	if !ok {
		failHint(name, ErrDevice, missing(dev), fmt.Sprintf("%s cannot hold tensors here; use device.CPU", dev))
	}
	index, _ := dev.Index()
	b, err := open(index)
	check(name, ErrDevice, err)
	return b
}

// missing is PyTorch's text, of a build without the device.
func missing(dev device.Device) string {
	if dev.IsCUDA() {
		return "Torch not compiled with CUDA enabled"
	}
	return fmt.Sprintf("Could not run 'aten::empty.memory_format' with arguments from the '%s' backend.", strings.ToUpper(dev.Type().String()))
}

// resolve returns the device that tensors on dev report: plain cpu whatever the index, and cuda with an index.
func resolve(dev device.Device) device.Device {
	if dev.IsCPU() {
		return device.CPU
	}
	return dev
}
