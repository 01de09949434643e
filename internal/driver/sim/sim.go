// Package sim is a driver without GPUs: it fills driver.API, symbol for symbol, with a machine that a hardware description
// tells of. It keeps CUDA's rules of contexts, streams, events and errors, executes PTX, and measures time by a model
// instead of a clock.
//
// Device memory costs host memory only where it is written. What hardware cannot say about a failure, API.Explain does.
package sim

import (
	"os"
	"sync"

	"cresset/internal/driver"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// Options changes what a simulated driver finds around it. The zero value is the process itself.
type Options struct {
	LookupEnv func(name string) (value string, set bool) // os.LookupEnv
	Compile   Compiler                                   // the PTX interpreter's
	// Registers returns how many a thread of a kernel has on a GPU of a capability, 80 for 8.0, or 0: then it has as many as its bounds allow.
	Registers func(kernel string, capability int) int
	Room      func() int64   // bytes that the host can still give; mem.Available
	Tenants   *tenants.Table // the other programs at the machine; nil where it has none
	// HostAddresses gives device memory the addresses that its bytes have in this process, so that a library of C can read and write there as if it knew GPUs. They
	// are used again, so that a use after free is not always found.
	HostAddresses bool
}

// Driver is a simulated driver with its devices.
type Driver struct {
	API *driver.API

	machine *hardware.Machine
	env     func(string) (string, bool)
	compile Compiler
	known   func(kernel string, capability int) int // registers
	room    room
	space   space
	mapped  bool // HostAddresses

	mu        sync.Mutex // guards the fields below and what they lead to
	ready     bool       // cuInit has been called
	blocking  bool       // CUDA_LAUNCH_BLOCKING
	devices   []*device  // the visible ones
	share     share
	handle    uintptr // last one given out
	contexts  map[driver.Context]*context
	streams   map[driver.Stream]*stream
	events    map[driver.Event]*event
	modules   map[driver.Module]*module
	functions map[driver.Function]*function
	graphs    map[driver.Graph]*graph
	nodes     map[driver.GraphNode]*graphNode
	execs     map[driver.GraphExec]*graphExec
}

// New returns a driver of the machine. Each has its own devices, as if it were the driver of another process; those with one
// Tenants folder see what the others hold.
func New(m *hardware.Machine, o Options) *Driver {
	d := &Driver{
		machine:   m,
		env:       o.LookupEnv,
		compile:   o.Compile,
		known:     o.Registers,
		room:      room{available: o.Room},
		mapped:    o.HostAddresses,
		share:     share{table: o.Tenants},
		contexts:  map[driver.Context]*context{},
		streams:   map[driver.Stream]*stream{},
		events:    map[driver.Event]*event{},
		modules:   map[driver.Module]*module{},
		functions: map[driver.Function]*function{},
		graphs:    map[driver.Graph]*graph{},
		nodes:     map[driver.GraphNode]*graphNode{},
		execs:     map[driver.GraphExec]*graphExec{},
	}
	if d.env == nil {
		d.env = os.LookupEnv
	}
	if d.compile == nil {
		d.compile = CompilePTX
	}
	d.API = d.table()
	if m.CUDA < 11040 {
		d.API.GraphInstantiate = nil
	}
	if m.CUDA < 11080 {
		d.API.LaunchKernelEx, d.API.OccupancyMaxActiveClusters = nil, nil
	}
	if m.CUDA < 12040 {
		d.API.TensorMapEncodeTiled = nil
	}
	return d
}

func (d *Driver) table() *driver.API {
	return &driver.API{
		Library:   "simulated by " + d.machine.Source,
		Release:   d.machine.Driver,
		Simulated: true,
		Explain:   d.explain,

		GetErrorName:     func(driver.Result) (string, driver.Result) { return "", driver.ErrInvalidValue },
		GetErrorString:   func(driver.Result) (string, driver.Result) { return "", driver.ErrInvalidValue },
		Init:             d.init,
		DriverGetVersion: d.driverGetVersion,

		DeviceGetCount:          d.deviceGetCount,
		DeviceGet:               d.deviceGet,
		DeviceGetName:           tell(d, (*device).name),
		DeviceGetUUID:           tell(d, (*device).uuid),
		DeviceTotalMem:          tell(d, (*device).memory),
		DeviceGetAttribute:      d.deviceGetAttribute,
		DeviceGetPCIBusID:       tell(d, (*device).bus),
		DeviceCanAccessPeer:     d.deviceCanAccessPeer,
		DevicePrimaryCtxRetain:  d.primaryRetain,
		DevicePrimaryCtxRelease: d.primaryRelease,

		CtxSynchronize:      d.ctxSynchronize,
		CtxEnablePeerAccess: d.ctxEnablePeerAccess,

		StreamCreate:      d.streamCreate,
		StreamSynchronize: d.streamSynchronize,
		StreamQuery:       d.streamQuery,
		StreamWaitEvent:   d.streamWaitEvent,

		EventCreate:      d.eventCreate,
		EventRecord:      d.eventRecord,
		EventQuery:       d.eventQuery,
		EventSynchronize: d.eventSynchronize,
		EventElapsedTime: d.eventElapsedTime,

		MemGetInfo:              d.memGetInfo,
		MemAlloc:                d.memAlloc,
		MemFree:                 d.memFree,
		MemHostAlloc:            d.memHostAlloc,
		MemHostGetDevicePointer: d.memHostGetDevicePointer,

		MemcpyHtoDAsync: d.copyIn,
		MemcpyDtoHAsync: d.copyOut,
		MemcpyDtoDAsync: d.copyWithin,
		MemcpyPeerAsync: d.copyPeer,
		MemsetD8Async:   d.setBytes,

		ModuleLoadData:    d.moduleLoadData,
		ModuleGetFunction: d.moduleGetFunction,
		FuncSetAttribute:  d.funcSetAttribute,

		OccupancyMaxActiveBlocks:   d.occupancyMaxActiveBlocks,
		OccupancyMaxActiveClusters: d.occupancyMaxActiveClusters,

		LaunchKernel: func(ctx driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
			return d.launchKernel(ctx, f, &driver.Launch{Grid: grid, Block: block, Shared: shared}, s, params)
		},
		LaunchKernelEx: d.launchKernel,

		GraphCreate:                  d.graphCreate,
		GraphDestroy:                 d.graphDestroy,
		GraphInstantiate:             d.graphInstantiate,
		GraphUpload:                  d.graphUpload,
		GraphLaunch:                  d.graphLaunch,
		GraphExecDestroy:             d.graphExecDestroy,
		GraphAddKernelNode:           d.graphAddKernelNode,
		GraphAddCopyNode:             d.graphAddCopyNode,
		GraphAddMemsetNode:           d.graphAddMemsetNode,
		GraphKernelNodeSetCluster:    d.graphKernelNodeSetCluster,
		GraphExecKernelNodeSetParams: d.graphExecKernelNodeSetParams,

		TensorMapEncodeTiled: d.tensorMapEncodeTiled,
	}
}

// begin locks the driver and makes the check of every call. The caller unlocks.
func (d *Driver) begin() driver.Result {
	d.mu.Lock()
	if !d.ready {
		return driver.ErrNotInitialized
	}
	return driver.Success
}

// enter is begin for a call in a context. A poisoned device answers every call with what poisoned it.
func (d *Driver) enter(h driver.Context) (*context, driver.Result) {
	if r := d.begin(); r != driver.Success {
		return nil, r
	}
	c, ok := d.contexts[h]
	switch {
	case !ok:
		return nil, driver.ErrInvalidContext
	case c.destroyed:
		return nil, driver.ErrContextIsDestroyed
	case c.dev.failed != nil:
		return nil, c.dev.failed.result
	}
	return c, driver.Success
}

// in makes a call in a context, which ends at once where the context takes none. The driver is locked meanwhile.
func (d *Driver) in(h driver.Context, call func(*context) driver.Result) driver.Result {
	c, r := d.enter(h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return r
	}
	return call(c)
}

// answer is in for a call that returns something besides.
func answer[T any](d *Driver, h driver.Context, call func(*context) (T, driver.Result)) (value T, r driver.Result) {
	r = d.in(h, func(c *context) driver.Result {
		value, r = call(c)
		return r
	})
	return value, r
}

func (d *Driver) newHandle() uintptr {
	d.handle += 0x10 // far from small integers, which are mistakes
	return 0x1000 + d.handle
}

func (d *Driver) init(flags uint32) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if flags != 0 {
		return driver.ErrInvalidValue
	}
	switch {
	case d.machine.Unloaded:
		return driver.ErrNoDevice
	case d.machine.Mismatched():
		return driver.ErrSystemDriverMismatch
	}
	if !d.ready {
		blocking, _ := d.env("CUDA_LAUNCH_BLOCKING")
		d.blocking = blocking == "1"
		d.devices = d.visibleDevices()
	}
	if len(d.devices) == 0 {
		return driver.ErrNoDevice
	}
	d.ready = true
	return driver.Success
}

// driverGetVersion works before cuInit.
func (d *Driver) driverGetVersion() (int32, driver.Result) { return d.machine.CUDA, driver.Success }
