package sim

import (
	"fmt"
	"slices"
	"strings"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

func (l *Library) byIndex(index uint32) (nvml.Device, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return 0, r
	}
	if uint64(index) >= uint64(len(l.gpus)) {
		return 0, nvml.ErrInvalidArgument
	}
	return found(l.gpus[index])
}

// byBus takes the domain with any number of digits, as NVML does.
func (l *Library) byBus(id string) (nvml.Device, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return 0, r
	}
	var domain, bus, slot int
	if _, err := fmt.Sscanf(id, "%x:%x:%x", &domain, &bus, &slot); err != nil {
		return 0, nvml.ErrInvalidArgument
	}
	return l.find(func(g *gpu) bool {
		d, b, s := g.Address()
		return d == domain && b == bus && s == slot
	})
}

func (l *Library) find(is func(*gpu) bool) (nvml.Device, nvml.Return) {
	i := slices.IndexFunc(l.gpus, is)
	if i < 0 {
		return 0, nvml.ErrNotFound
	}
	return found(l.gpus[i])
}

func found(g *gpu) (nvml.Device, nvml.Return) {
	if r := present(g); r != nvml.Success {
		return 0, r
	}
	return g.handle(), nvml.Success
}

func pci(g *gpu) (nvml.PCI, nvml.Return) {
	domain, bus, device := g.Address()
	const vendor = 0x10DE // NVIDIA
	return nvml.PCI{
		BusID: g.Bus, Domain: uint32(domain), Bus: uint32(bus), Device: uint32(device), DeviceID: vendor,
	}, nvml.Success
}

// brand has the numbers of nvmlBrandType_t, of which the name tells.
func brand(g *gpu) (uint32, nvml.Return) {
	switch {
	case strings.Contains(g.Name, "GeForce"):
		return 5, nvml.Success
	case strings.HasPrefix(g.Name, "Tesla"):
		return 2, nvml.Success
	}
	return 14, nvml.Success
}

// architecture has the numbers of nvmlDeviceArchitecture_t.
func architecture(g *gpu) (uint32, nvml.Return) {
	switch {
	case g.Major == 7 && g.Minor == 5: // Turing
		return 6, nvml.Success
	case g.Major == 8 && g.Minor == 9: // Ada
		return 8, nvml.Success
	}
	number, known := map[int]uint32{3: 2, 5: 3, 6: 4, 7: 5, 8: 7, 9: 9, 10: 10, 12: 10}[g.Major]
	if !known {
		number = 0xFFFFFFFF
	}
	return number, nvml.Success
}

func computeMode(g *gpu) (nvml.ComputeMode, nvml.Return) {
	switch g.ComputeMode {
	case "Exclusive_Process":
		return nvml.ComputeExclusiveProcess, nvml.Success
	case "Prohibited":
		return nvml.ComputeProhibited, nvml.Success
	}
	return nvml.ComputeDefault, nvml.Success
}

// told returns a value that a GPU may not tell.
func told[T int | uint64](value T) (uint32, nvml.Return) {
	if value == 0 {
		return 0, nvml.ErrNotSupported
	}
	return uint32(value), nvml.Success
}

func set(s hardware.Setting) (bool, nvml.Return) {
	if s == hardware.Absent {
		return false, nvml.ErrNotSupported
	}
	return s == hardware.On, nvml.Success
}
