package cuda

import (
	"fmt"
	"strings"

	"cresset/internal/driver"
)

// Properties describes a GPU.
type Properties struct {
	Name            string // ends in "(simulated)" where the GPU is simulated
	UUID            string
	BusID           string
	Major, Minor    int   // compute capability
	TotalMemory     int64 // bytes
	Multiprocessors int
	MaxThreadsPerSM int
	WarpSize        int
	RegistersPerSM  int
	L2CacheBytes    int64
	ClockKHz        int
	MemoryClockKHz  int   // of memory that moves data twice a clock
	MemoryBusWidth  int   // bits
	SharedPerBlock  int64 // bytes
	SharedOptIn     int64 // bytes of a block, for kernels that ask for it
	SharedPerSM     int64 // bytes
	PTX             int   // the newest version that the driver reads: 84 for 8.4
	IsIntegrated    bool
	IsMultiGPUBoard bool
	Simulated       bool
}

// String returns PyTorch's repr.
func (p Properties) String() string {
	return fmt.Sprintf("_CudaDeviceProperties(name='%s', major=%d, minor=%d, total_memory=%dMB, multi_processor_count=%d, uuid=%s, L2_cache_size=%dMB)",
		p.Name, p.Major, p.Minor, p.TotalMemory>>20, p.Multiprocessors, p.UUID, p.L2CacheBytes>>20)
}

// readProperties asks the driver about a device.
func readProperties(api *driver.API, dev driver.Device) (Properties, error) {
	q := query{api: api, dev: dev}
	p := Properties{
		Major:           q.attribute(driver.CapabilityMajor),
		Minor:           q.attribute(driver.CapabilityMinor),
		Multiprocessors: q.attribute(driver.MultiprocessorCount),
		MaxThreadsPerSM: q.attribute(driver.MaxThreadsPerSM),
		WarpSize:        q.attribute(driver.WarpSize),
		RegistersPerSM:  q.attribute(driver.RegistersPerSM),
		L2CacheBytes:    int64(q.attribute(driver.L2CacheBytes)),
		ClockKHz:        q.attribute(driver.ClockKHz),
		MemoryClockKHz:  q.attribute(driver.MemoryClockKHz),
		MemoryBusWidth:  q.attribute(driver.MemoryBusWidth),
		SharedPerBlock:  int64(q.attribute(driver.MaxSharedPerBlock)),
		SharedOptIn:     int64(q.attribute(driver.MaxSharedOptIn)),
		SharedPerSM:     int64(q.attribute(driver.MaxSharedPerSM)),
		IsIntegrated:    q.attribute(driver.Integrated) != 0,
		IsMultiGPUBoard: q.attribute(driver.MultiGPUBoard) != 0,
		Simulated:       api.Simulated,
	}
	version, r := api.DriverGetVersion()
	q.note(r, "cuDriverGetVersion")
	p.PTX = driver.NewestPTX(version)
	name, r := api.DeviceGetName(dev)
	q.note(r, "cuDeviceGetName")
	total, r := api.DeviceTotalMem(dev)
	q.note(r, "cuDeviceTotalMem_v2")
	uuid, r := api.DeviceGetUUID(dev)
	q.note(r, "cuDeviceGetUuid_v2")
	p.BusID, r = api.DeviceGetPCIBusID(dev)
	q.note(r, "cuDeviceGetPCIBusId")
	p.Name, p.TotalMemory, p.UUID = name, int64(total), uuidText(uuid)
	if p.Simulated {
		p.Name = strings.TrimSuffix(name, simulatedSuffix) + simulatedSuffix
	}

	return p, q.err
}

const simulatedSuffix = " (simulated)"

// query asks several questions and keeps the first failure.
type query struct {
	api *driver.API
	dev driver.Device
	err error
}

func (q *query) note(r driver.Result, symbol string) {
	if q.err == nil {
		q.err = r.Err(symbol)
	}
}

func (q *query) attribute(a driver.Attribute) int {
	v, r := q.api.DeviceGetAttribute(a, q.dev)
	q.note(r, "cuDeviceGetAttribute")
	return int(v)
}

func uuidText(u driver.UUID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
