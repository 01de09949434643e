package nvml

import (
	"encoding/binary"
	"fmt"
	"strings"

	"cresset/internal/dl"
)

// The offsets below are those of nvml.h as C lays it out on 64-bit machines. A versioned struct starts with its size and, in
// the high byte, its version.
const (
	memoryV2Bytes    = 40
	memoryV2         = 2<<24 | memoryV2Bytes
	memoryBytes      = 24
	bar1Bytes        = 24
	utilizationBytes = 8
	attributesBytes  = 40
	pciBytes         = 68
	temperatureBytes = 12
	temperatureV1    = 1<<24 | temperatureBytes
	processV1Bytes   = 16
	processBytes     = 24
)

func u32(data []byte, offset int) uint32 { return binary.LittleEndian.Uint32(data[offset:]) }
func u64(data []byte, offset int) uint64 { return binary.LittleEndian.Uint64(data[offset:]) }

func memoryInfo(s symbol, dev Device) (Memory, Return) {
	if !strings.HasSuffix(s.name, "_v2") {
		data, r := into(memoryBytes, s.fn, uintptr(dev))
		return Memory{Total: u64(data, 0), Free: u64(data, 8), Used: u64(data, 16)}, r
	}
	m := dl.NewMemory(memoryV2Bytes)
	defer m.Free()
	binary.LittleEndian.PutUint32(m.Bytes, memoryV2)
	r := call(s.fn, uintptr(dev), m.Address(0))
	if r != Success {
		return Memory{}, r
	}
	return Memory{
		Total: u64(m.Bytes, 8), Reserved: u64(m.Bytes, 16), Free: u64(m.Bytes, 24), Used: u64(m.Bytes, 32),
		Reserves: true,
	}, r
}

func bar1(fn uintptr, dev Device) (BAR1, Return) {
	data, r := into(bar1Bytes, fn, uintptr(dev))
	return BAR1{Total: u64(data, 0), Free: u64(data, 8), Used: u64(data, 16)}, r
}

func utilization(fn uintptr, dev Device) (Utilization, Return) {
	data, r := into(utilizationBytes, fn, uintptr(dev))
	return Utilization{GPU: int(u32(data, 0)), Memory: int(u32(data, 4))}, r
}

func attributes(fn uintptr, dev Device) (Attributes, Return) {
	data, r := into(attributesBytes, fn, uintptr(dev))
	field := func(n int) int { return int(u32(data, 4*n)) }
	return Attributes{
		Multiprocessors: field(0), Copy: field(1), Decoders: field(2), Encoders: field(3), JPEG: field(4), OpticalFlow: field(5),
	}, r
}

// retiredPages asks for no addresses, which is answered with their number.
func retiredPages(fn uintptr, dev Device, why Retirement) (int, Return) {
	m := dl.NewMemory(8)
	defer m.Free()
	r := call(fn, uintptr(dev), uintptr(why), m.Address(0), 0)
	if r != Success && r != ErrInsufficientSize {
		return 0, r
	}
	return int(u32(m.Bytes, 0)), Success
}

func remappedRows(fn uintptr, dev Device) (RemappedRows, Return) {
	m := dl.NewMemory(16)
	defer m.Free()
	if r := call(fn, uintptr(dev), m.Address(0), m.Address(4), m.Address(8), m.Address(12)); r != Success {
		return RemappedRows{}, r
	}
	return RemappedRows{int(u32(m.Bytes, 0)), int(u32(m.Bytes, 4)), u32(m.Bytes, 8) == 1, u32(m.Bytes, 12) == 1}, Success
}

// pciInfo reads every version of the struct: they begin alike, and the last one adds the bus id with a domain of eight
// digits.
func pciInfo(s symbol, dev Device) (PCI, Return) {
	data, r := into(pciBytes, s.fn, uintptr(dev))
	if r != Success {
		return PCI{}, r
	}
	p := PCI{
		Domain: u32(data, 16), Bus: u32(data, 20), Device: u32(data, 24),
		DeviceID: u32(data, 28), Subsystem: u32(data, 32),
	}
	if strings.HasSuffix(s.name, "_v3") {
		p.BusID = goString(data[36:pciBytes])
	}
	if p.BusID == "" {
		p.BusID = fmt.Sprintf("%08X:%02X:%02X.0", p.Domain, p.Bus, p.Device)
	}
	return p, r
}

// temperature asks for the GPU's own sensor, which is number 0.
func temperature(s symbol, dev Device) (int32, Return) {
	if !strings.HasSuffix(s.name, "V") {
		return out[int32](s.fn, uintptr(dev), 0)
	}
	m := dl.NewMemory(temperatureBytes)
	defer m.Free()
	binary.LittleEndian.PutUint32(m.Bytes, temperatureV1)
	if r := call(s.fn, uintptr(dev), m.Address(0)); r != Success {
		return 0, r
	}
	return int32(u32(m.Bytes, 8)), Success
}

// fanSpeed asks for one fan where the library can tell them apart. An older one knows a single speed.
func fanSpeed(found []symbol) func(Device, uint32) (uint32, Return) {
	return func(dev Device, fan uint32) (percent uint32, r Return) {
		for _, s := range found {
			switch {
			case strings.HasSuffix(s.name, "_v2"):
				percent, r = out[uint32](s.fn, uintptr(dev), uintptr(fan))
			case fan == 0:
				percent, r = out[uint32](s.fn, uintptr(dev))
			default:
				r = ErrInvalidArgument
			}
			if !outdated(r) {
				break
			}
		}
		return percent, r
	}
}

// maxProcesses is past what any GPU runs.
const maxProcesses = 1 << 16

// processes asks for the number of processes and then for them, again where there are more meanwhile.
func processes(s symbol, dev Device) ([]Process, Return) {
	size := processBytes
	if !strings.HasSuffix(s.name, "_v2") && !strings.HasSuffix(s.name, "_v3") {
		size = processV1Bytes
	}
	for room := 0; ; {
		found, n, r := processList(s.fn, dev, size, room)
		if r != ErrInsufficientSize {
			return found, r
		}
		if room >= maxProcesses {
			return nil, r
		}
		room = min(max(n+8, 2*room), maxProcesses) // some more may start meanwhile
	}
}

// processList makes one call with memory for so many processes, and returns how many the library says there are.
func processList(fn uintptr, dev Device, size, room int) (found []Process, n int, r Return) {
	m := dl.NewMemory(16 + size*room)
	defer m.Free()
	binary.LittleEndian.PutUint32(m.Bytes, uint32(room))
	list := uintptr(0)
	if room > 0 {
		list = m.Address(16)
	}
	r = call(fn, uintptr(dev), m.Address(0), list)
	n = min(int(u32(m.Bytes, 0)), maxProcesses)
	if r != Success {
		return nil, n, r
	}
	for i := range min(n, room) {
		data := m.Bytes[16+size*i:]
		p := Process{PID: u32(data, 0), Memory: u64(data, 8), GPUInstance: NoInstance, ComputeInstance: NoInstance}
		if size == processBytes {
			p.GPUInstance, p.ComputeInstance = u32(data, 16), u32(data, 20)
		}
		found = append(found, p)
	}
	return found, n, r
}
