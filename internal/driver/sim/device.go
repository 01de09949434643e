package sim

import (
	"encoding/hex"
	"strings"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// device is a visible device. It outlives its contexts, and so does what
// poisoned it.
type device struct {
	physical int // index into the machine's GPUs
	gpu      *hardware.GPU
	retained int
	primary  *context // nil where it is not retained
	taken    uint64   // bytes of memory allocated
	meter    meter
	failed   *failure // what every call answers from now on; nil while sound
}

// failure is an error that ended some work, and what is known about it.
type failure struct {
	result driver.Result
	why    error
}

// device is begin for a call about a device.
func (d *Driver) device(symbol string, h driver.Device) (*device, driver.Result) {
	if r := d.begin(symbol); r != driver.Success {
		return nil, r
	}
	if h < 0 || int(h) >= len(d.devices) {
		return nil, driver.ErrInvalidDevice
	}
	if f := d.fault(symbol, false); f != nil {
		return nil, f.Result
	}
	return d.devices[h], driver.Success
}

func (d *Driver) deviceGetCount() (int32, driver.Result) {
	r := d.begin("cuDeviceGetCount")
	defer d.mu.Unlock()
	return int32(len(d.devices)), r
}

func (d *Driver) deviceGet(ordinal int32) (driver.Device, driver.Result) {
	_, r := d.device("cuDeviceGet", driver.Device(ordinal))
	defer d.mu.Unlock()
	return driver.Device(ordinal), r
}

func (d *Driver) deviceGetName(h driver.Device) (string, driver.Result) {
	dev, r := d.device("cuDeviceGetName", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return "", r
	}
	return dev.gpu.Name + " (simulated)", r
}

func (d *Driver) deviceGetUUID(h driver.Device) (id driver.UUID, r driver.Result) {
	dev, r := d.device("cuDeviceGetUuid_v2", h)
	defer d.mu.Unlock()
	if r == driver.Success {
		_, digits, _ := strings.Cut(dev.gpu.UUID, "-") // after GPU or MIG
		digits = strings.ReplaceAll(digits, "-", "")
		hex.Decode(id[:], []byte(digits)) // the description's reader has checked the form
	}
	return id, r
}

func (d *Driver) deviceTotalMem(h driver.Device) (uint64, driver.Result) {
	dev, r := d.device("cuDeviceTotalMem_v2", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	return dev.gpu.Memory, r
}

// deviceGetPCIBusID gives the domain in four digits, as CUDA does.
func (d *Driver) deviceGetPCIBusID(h driver.Device) (string, driver.Result) {
	dev, r := d.device("cuDeviceGetPCIBusId", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return "", r
	}
	return dev.gpu.Bus[4:], r
}

func (d *Driver) deviceCanAccessPeer(h, peer driver.Device) (int32, driver.Result) {
	dev, r := d.device("cuDeviceCanAccessPeer", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	if peer < 0 || int(peer) >= len(d.devices) {
		return 0, driver.ErrInvalidDevice
	}
	if d.machine.CanAccess(dev.physical, d.devices[peer].physical) {
		return 1, r
	}
	return 0, r
}

func (d *Driver) deviceGetAttribute(a driver.Attribute, h driver.Device) (int32, driver.Result) {
	dev, r := d.device("cuDeviceGetAttribute", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	value, known := dev.attribute(a)
	if !known {
		return 0, driver.ErrInvalidValue
	}
	return int32(value), r
}

// Limits that every GPU since Pascal has.
const (
	maxThreadsPerBlock = 1024
	maxGridX           = 1<<31 - 1
	maxGridYZ          = 65535
	warpSize           = 32
	registersPerSM     = 65536
	sharedPerBlock     = 48 << 10 // without opting in
	sharedReserved     = 1 << 10  // of each block, on sm_80 and later
)

var maxBlock = driver.Dim{X: 1024, Y: 1024, Z: 64}

func (dev *device) attribute(a driver.Attribute) (value int, known bool) {
	g := dev.gpu
	domain, bus, slot := g.Address()
	switch a {
	case driver.MaxThreadsPerBlock:
		return maxThreadsPerBlock, true
	case driver.MaxBlockX:
		return int(maxBlock.X), true
	case driver.MaxBlockY:
		return int(maxBlock.Y), true
	case driver.MaxBlockZ:
		return int(maxBlock.Z), true
	case driver.MaxGridX:
		return maxGridX, true
	case driver.MaxGridY, driver.MaxGridZ:
		return maxGridYZ, true
	case driver.MaxSharedPerBlock:
		return sharedPerBlock, true
	case driver.WarpSize:
		return warpSize, true
	case driver.MaxRegistersPerBlock, driver.RegistersPerSM:
		return registersPerSM, true
	case driver.ClockKHz:
		return int(g.Clock / 1000), true
	case driver.MemoryClockKHz:
		return int(g.MemoryClock / 1000), true
	case driver.MultiprocessorCount:
		return g.Multiprocessors, true
	case driver.Integrated, driver.ComputeMode, driver.MultiGPUBoard, driver.MemoryPools:
		return 0, true
	case driver.CanMapHostMemory, driver.UnifiedAddressing:
		return 1, true
	case driver.PCIDomain:
		return domain, true
	case driver.PCIBus:
		return bus, true
	case driver.PCIDevice:
		return slot, true
	case driver.MemoryBusWidth:
		return g.MemoryBusWidth, true
	case driver.L2CacheBytes:
		return int(g.L2), true
	case driver.MaxThreadsPerSM:
		return g.ThreadsPerSM, true
	case driver.AsyncEngines:
		return 2, true
	case driver.CapabilityMajor:
		return g.Major, true
	case driver.CapabilityMinor:
		return g.Minor, true
	case driver.SharedPerSM:
		return int(g.SharedPerSM), true
	case driver.MaxSharedPerBlockOptin:
		return int(g.SharedPerBlock), true
	case driver.MaxBlocksPerSM:
		return dev.blocksPerSM(), true
	}
	return 0, false
}

// blocksPerSM is 16 on sm_75 and sm_86, and 32 on the others that are described.
func (dev *device) blocksPerSM() int {
	if dev.gpu.Major == 7 && dev.gpu.Minor == 5 || dev.gpu.Major == 8 && dev.gpu.Minor == 6 {
		return 16
	}
	return 32
}
