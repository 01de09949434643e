package sim

import (
	"encoding/hex"
	"fmt"
	"strings"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// device is a visible device. It outlives its contexts, and so does what poisoned it.
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

// Lose takes a device off the bus: what runs on it ends, and every call on it fails from now on. No kernel can do so, so tests of
// the packages above have it from here.
func (d *Driver) Lose(h driver.Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.devices[h].lose()
}

func (dev *device) lose() {
	dev.failed = &failure{driver.ErrUnknown, fmt.Errorf("the GPU at %s has been lost", dev.gpu.Bus)}
}

// device is begin for a call about a device.
func (d *Driver) device(h driver.Device) (*device, driver.Result) {
	if r := d.begin(); r != driver.Success {
		return nil, r
	}
	if h < 0 || int(h) >= len(d.devices) {
		return nil, driver.ErrInvalidDevice
	}
	return d.devices[h], driver.Success
}

func (d *Driver) deviceGetCount() (int32, driver.Result) {
	r := d.begin()
	defer d.mu.Unlock()
	return int32(len(d.devices)), r
}

func (d *Driver) deviceGet(ordinal int32) (driver.Device, driver.Result) {
	_, r := d.device(driver.Device(ordinal))
	defer d.mu.Unlock()
	return driver.Device(ordinal), r
}

// tell makes a function that answers from a device.
func tell[T any](d *Driver, get func(*device) T) func(driver.Device) (T, driver.Result) {
	return func(h driver.Device) (value T, r driver.Result) {
		dev, r := d.device(h)
		defer d.mu.Unlock()
		if r == driver.Success {
			value = get(dev)
		}
		return value, r
	}
}

func (dev *device) name() string { return dev.gpu.Name + " (simulated)" }

func (dev *device) uuid() (id driver.UUID) {
	_, digits, _ := strings.Cut(dev.gpu.UUID, "-") // after GPU or MIG
	digits = strings.ReplaceAll(digits, "-", "")
	hex.Decode(id[:], []byte(digits)) // the description's reader has checked the form
	return id
}

func (dev *device) memory() uint64 { return dev.gpu.Memory }

// bus has the domain in four digits, as in CUDA.
func (dev *device) bus() string { return dev.gpu.Bus[4:] }

func (d *Driver) deviceCanAccessPeer(h, peer driver.Device) (int32, driver.Result) {
	dev, r := d.device(h)
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
	dev, r := d.device(h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	value, known := dev.attributes()[a]
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
)

var maxBlock = driver.Dim{X: 1024, Y: 1024, Z: 64}

func (dev *device) attributes() map[driver.Attribute]int {
	g := dev.gpu
	return map[driver.Attribute]int{
		driver.MaxSharedPerBlock: sharedPerBlock, driver.WarpSize: warpSize, driver.RegistersPerSM: registersPerSM,
		driver.ClockKHz: int(g.Clock / 1000), driver.MemoryClockKHz: int(g.MemoryClock / 1000),
		driver.MemoryBusWidth: g.MemoryBusWidth, driver.L2CacheBytes: int(g.L2),
		driver.MultiprocessorCount: g.Multiprocessors, driver.MaxThreadsPerSM: g.ThreadsPerSM,
		driver.CapabilityMajor: g.Major, driver.CapabilityMinor: g.Minor,
		driver.MaxSharedPerSM: int(g.SharedPerSM), driver.MaxSharedOptIn: int(g.SharedPerBlock),
		driver.Integrated: 0, driver.ComputeMode: 0, driver.MultiGPUBoard: 0,
	}
}
