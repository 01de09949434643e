package sim

import (
	"slices"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

// slots is how many MIG devices a GPU can have.
const slots = 7

func (l *Library) addMIG(a *nvml.API) {
	a.MIGMode = l.modes(func(g *gpu) hardware.Setting { return g.MIG })
	a.MaxMIGDevices = tell(l, func(g *gpu) (uint32, nvml.Return) {
		if g.MIG == hardware.Absent {
			return 0, nvml.Success
		}
		return slots, nvml.Success
	})
	a.MIGDevice = tellOf(l, l.migDevice)
	a.GPUInstance = tell(l, ofPart(func(i *hardware.Instance) uint32 { return uint32(i.GPUInstance) }))
	a.ComputeInstance = tell(l, ofPart(func(i *hardware.Instance) uint32 { return uint32(i.ComputeInstance) }))
	a.Attributes = tell(l, ofPart(attributes))
}

// ofPart asks for what only MIG devices have.
func ofPart[T any](get func(*hardware.Instance) T) func(*gpu) (T, nvml.Return) {
	return func(g *gpu) (value T, r nvml.Return) {
		if g.part == nil {
			return value, nvml.ErrInvalidArgument
		}
		return get(g.part), nvml.Success
	}
}

func (l *Library) migDevice(g *gpu, index uint32) (nvml.Device, nvml.Return) {
	if g.MIG == hardware.Absent || g.part != nil {
		return 0, nvml.ErrNotSupported
	}
	i := slices.IndexFunc(l.parts, func(p *gpu) bool { return p.parent == g && uint32(p.slot) == index+1 })
	if i < 0 {
		return 0, nvml.ErrNotFound
	}
	return l.parts[i].handle(), nvml.Success
}

// attributes has the engines that NVIDIA's MIG user guide gives an A100's profiles.
func attributes(i *hardware.Instance) nvml.Attributes {
	n := i.Slices()
	a := nvml.Attributes{Multiprocessors: i.Multiprocessors, Copy: n, Decoders: n / 2}
	switch n {
	case 3:
		a.Decoders = 2
	case slots:
		a.Decoders, a.JPEG, a.OpticalFlow = 5, 1, 1
	}
	return a
}

// partsOf returns the MIG devices of a GPU.
func (l *Library) partsOf(g *gpu) (all []*gpu) {
	for _, p := range l.parts {
		if p.parent == g {
			all = append(all, p)
		}
	}
	return all
}
