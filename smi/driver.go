package smi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cresset/internal/driver"
	"cresset/internal/driver/open"
)

// driverSource is CUDA's driver, which knows the visible GPUs and their memory.
type driverSource struct{ api *driver.API }

func openDriver() (source, error) {
	api, err := startDriver()
	if err != nil {
		return nil, err
	}
	return &driverSource{api}, nil
}

func startDriver() (*driver.API, error) {
	api, err := open.Driver(nil)
	if err == nil {
		err = api.Start()
	}
	if err == nil {
		return api, nil
	}
	var missing *driver.LibraryError
	switch {
	case errors.As(err, &missing):
		return nil, &Error{ErrNoLibrary, err}
	case errors.Is(err, driver.ErrNoDevice):
		return nil, &Error{ErrNoGPU, err}
	case errors.Is(err, driver.ErrSystemDriverMismatch):
		return nil, &Error{ErrMismatch, err}
	}
	return nil, &Error{nil, err}
}

func (s *driverSource) close() {}

// read asks for every visible GPU; where one does not answer, the error of the first comes with the others. Free memory is told within a context, which itself takes some; it is given up again.
func (s *driverSource) read(bool) (*Inventory, error) {
	version, r := s.api.DriverGetVersion()
	if r != driver.Success {
		return nil, &Error{nil, r}
	}
	inventory := &Inventory{
		Time: time.Now(), Source: Driver, Simulated: s.api.Simulated,
		CUDA: fmt.Sprintf("%d.%d", version/1000, version%1000/10),
	}
	n, r := s.api.DeviceGetCount()
	if r != driver.Success {
		return nil, &Error{nil, r}
	}
	var failed error
	for i := range n {
		g, r := s.gpu(i)
		if r != driver.Success {
			failed = cmp.Or[error](failed, &Error{nil, fmt.Errorf("cuda:%d: %w", i, r)})
			inventory.Missing = append(inventory.Missing, Missing{int(i), r.Text()})
			continue
		}
		inventory.GPUs = append(inventory.GPUs, g)
	}
	if n == 0 {
		return nil, &Error{ErrNoGPU, nil}
	}
	byBus(inventory.GPUs)
	return inventory, failed
}

// byBus orders and numbers GPUs by their place on the PCI bus.
func byBus(gpus []GPU) {
	slices.SortFunc(gpus, func(a, b GPU) int { return cmp.Compare(a.BusID, b.BusID) })
	for i := range gpus {
		gpus[i].Index = i
	}
}

// gpu describes the GPU with a CUDA ordinal, up to the first call that fails.
func (s *driverSource) gpu(ordinal int32) (g GPU, r driver.Result) {
	dev, r := s.api.DeviceGet(ordinal)
	if r != driver.Success {
		return g, r
	}
	if g.Name, r = s.api.DeviceGetName(dev); r != driver.Success {
		return g, r
	}
	if g.UUID, r = s.uuid(dev); r != driver.Success {
		return g, r
	}
	bus, r := s.api.DeviceGetPCIBusID(dev)
	if r != driver.Success {
		return g, r
	}
	g.BusID = longBus(bus)
	g.Capability, g.ComputeMode = s.capability(dev), s.computeMode(dev)
	g.Memory, r = s.memory(dev)
	return g, r
}

func (s *driverSource) uuid(dev driver.Device) (string, driver.Result) {
	id, r := s.api.DeviceGetUUID(dev)
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), r
}

// longBus writes a place on the bus with a domain of eight digits, as NVML does.
func longBus(bus string) string {
	if domain, rest, ok := strings.Cut(bus, ":"); ok && len(domain) < 8 {
		return strings.Repeat("0", 8-len(domain)) + domain + ":" + strings.ToUpper(rest)
	}
	return strings.ToUpper(bus)
}

func (s *driverSource) capability(dev driver.Device) string {
	major, r := s.api.DeviceGetAttribute(driver.CapabilityMajor, dev)
	minor, q := s.api.DeviceGetAttribute(driver.CapabilityMinor, dev)
	if r != driver.Success || q != driver.Success {
		return ""
	}
	return fmt.Sprintf("%d.%d", major, minor)
}

func (s *driverSource) computeMode(dev driver.Device) string {
	mode, r := s.api.DeviceGetAttribute(driver.ComputeMode, dev)
	if r != driver.Success {
		return ""
	}
	return computeMode(int(mode))
}

var computeModes = []string{Default, ExclusiveThread, Prohibited, ExclusiveProcess}

// computeMode names a mode by its number, which is the same in CUDA and in NVML.
func computeMode(n int) string {
	if n < 0 || n >= len(computeModes) {
		return ""
	}
	return computeModes[n]
}

func (s *driverSource) memory(dev driver.Device) (m Memory, r driver.Result) {
	ctx, r := s.api.DevicePrimaryCtxRetain(dev)
	if r != driver.Success {
		return m, r
	}
	defer s.api.DevicePrimaryCtxRelease(dev)
	m.Free, m.Total, r = s.api.MemGetInfo(ctx)
	m.Used = m.Total - m.Free
	return m, r
}
