package tensor

import (
	"errors"
	"fmt"
	"strings"

	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/backend/cpu"
	"cresset/internal/backend/cuda"
)

var host backend.Backend = cpu.Backend{}

// newHostStream returns a stream of random numbers for tensors on the CPU.
func newHostStream(seed uint64) backend.Generator { return cpu.NewGenerator(seed) }

// family is the backends of one type of device. What it lacks is nil.
type family struct {
	open    func(index int) (backend.Backend, error)
	current func() device.Device                    // what the type without an index names
	seed    func(seed uint64)                       // starts the default generators of all its devices
	pin     func(bytes int) (backend.Pinned, error) // returns memory that its devices copy from and to
	round   func(precision string)                  // says how its devices multiply float32
}

// backends names what computes for each type of device; a type that is missing cannot hold tensors. Nothing else in this package
// knows the backends: what only some can do are interfaces of package backend.
var backends = map[device.Type]family{
	device.TypeCPU:  {open: func(int) (backend.Backend, error) { return host, nil }, round: func(p string) { cpu.SetProductRounding(p == "medium") }},
	device.TypeCUDA: {open: cuda.Open, current: currentGPU, seed: cuda.SeedAll, pin: cuda.NewHost, round: func(p string) { cuda.SetProductRounding(p != "highest") }},
	device.TypeMeta: {open: cuda.OpenMeta},
}

func currentGPU() device.Device { return device.CUDA(cuda.Current()) }

// seedAll starts the default generators of all devices but the CPU.
func seedAll(seed uint64) {
	for _, f := range backends {
		if f.seed != nil {
			f.seed(seed)
		}
	}
}

// copiesFromPinned reports whether devices of dev's type copy from pinned memory and to it.
func copiesFromPinned(dev device.Device) bool { return backends[dev.Type()].pin != nil }

// pin returns pinned memory.
func pin(bytes int) (backend.Pinned, error) {
	for _, f := range backends {
		if f.pin != nil {
			return f.pin(bytes)
		}
	}
	return nil, errors.New("no device of this build copies from pinned memory")
}

// backendOf returns the device's backend and panics where there is none.
func backendOf(name string, dev device.Device) backend.Backend {
	if dev.IsCPU() {
		return host
	}
	f, ok := backends[dev.Type()]
	if !ok {
		failHint(name, ErrDevice, fmt.Sprintf("Could not run 'aten::empty.memory_format' with arguments from the '%s' backend.", strings.ToUpper(dev.Type().String())),
			fmt.Sprintf("%s cannot hold tensors here; use device.CPU or a GPU", dev))
	}
	index, _ := resolve(dev).Index()
	b, err := f.open(index)
	check(name, ErrDevice, err)
	return b
}

// resolve returns the device that tensors on dev report: plain cpu whatever the index, meta for its first, and cuda with an
// index, that of the current GPU where it has none.
func resolve(dev device.Device) device.Device {
	switch index, _ := dev.Index(); {
	case dev.IsCPU():
		return device.CPU
	case !dev.HasIndex() && backends[dev.Type()].current != nil:
		return backends[dev.Type()].current()
	case dev.IsMeta() && index == 0:
		return device.Meta
	}
	return dev
}
