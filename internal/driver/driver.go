// Package driver is NVIDIA's driver API as a struct of Go functions. Load fills it from libcuda; driver/sim fills the same
// struct, symbol for symbol, with a simulated machine. Nothing above can tell the two apart.
//
// A call that CUDA answers in the thread's current context takes that context as its first argument: the binding makes it
// current and issues the call on one OS thread, so a goroutine that moves between threads can do no harm.
package driver

// Device is a device's handle, which is its ordinal among the visible ones.
type Device int32

// Context is the handle of a device's primary context; 0 is none.
type Context uintptr

// Stream is the handle of a stream; 0 is the legacy default stream of the context of the call.
type Stream uintptr

// Event is the handle of an event.
type Event uintptr

// Module is the handle of loaded code.
type Module uintptr

// Function is the handle of a kernel of a module.
type Function uintptr

// Graph is the handle of work that can be made a GraphExec.
type Graph uintptr

// GraphNode is the handle of a piece of a graph's work; 0 is none.
type GraphNode uintptr

// GraphExec is the handle of a graph that can be launched.
type GraphExec uintptr

// Ptr is an address in device memory; 0 is none.
type Ptr uint64

// Dim counts blocks of a grid or threads of a block.
type Dim struct{ X, Y, Z uint32 }

// Count returns X · Y · Z.
func (d Dim) Count() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// UUID is a device's identifier.
type UUID [16]byte

// JIT says how a module is compiled and receives what the compiler wrote.
type JIT struct {
	Name string // of the module, for the reports of a simulated driver

	Info   string // filled: the compiler's remarks
	Errors string // filled: why it refused
}

// Flags of streams, events and host memory.
const (
	StreamNonBlocking uint32 = 1 // no order with the legacy default stream

	EventDisableTiming uint32 = 2

	HostPortable uint32 = 1 // pinned for every context
	HostMapped   uint32 = 2 // readable by kernels
)

// Attribute names a property of a device, with the numbers of CUdevice_attribute.
type Attribute int32

// Attributes of devices.
const (
	MaxSharedPerBlock   Attribute = 8
	WarpSize            Attribute = 10
	ClockKHz            Attribute = 13
	MultiprocessorCount Attribute = 16
	Integrated          Attribute = 18
	ComputeMode         Attribute = 20
	MemoryClockKHz      Attribute = 36
	MemoryBusWidth      Attribute = 37 // bits
	L2CacheBytes        Attribute = 38
	MaxThreadsPerSM     Attribute = 39
	CapabilityMajor     Attribute = 75
	CapabilityMinor     Attribute = 76
	RegistersPerSM      Attribute = 82
	MaxSharedPerSM      Attribute = 81
	MultiGPUBoard       Attribute = 84
	MaxSharedOptIn      Attribute = 97 // bytes of a block, for kernels that ask for it
)

// FuncAttribute names a property of a kernel, with the numbers of CUfunction_attribute.
type FuncAttribute int32

// Attributes of kernels.
const (
	FuncMaxDynamicShared   FuncAttribute = 8  // bytes that a launch may ask for
	FuncNonPortableCluster FuncAttribute = 14 // 1 for clusters of more than 8 blocks
)
