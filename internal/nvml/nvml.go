// Package nvml is NVIDIA's management library as a struct of Go functions. Load fills it from libnvidia-ml; nvml/sim fills
// the same struct, symbol for symbol, with a simulated machine.
//
// Each value stands alone: a GPU, a driver or a system that does not tell one answers a Return whose Absent is true, and
// everything else still works.
package nvml

import "math"

// Device is the handle of a GPU or of a MIG device.
type Device uintptr

// Memory is a GPU's memory in bytes.
type Memory struct {
	Total, Free uint64
	Used        uint64 // by programs; and by the driver too where Reserved is not told
	Reserved    uint64 // by the driver
	Reserves    bool   // whether Reserved is told, as from driver 510 on
}

// BAR1 is the window through which the bus sees a GPU's memory, in bytes.
type BAR1 struct{ Total, Free, Used uint64 }

// Utilization is percent of the last sample period, of a sixth to one second.
type Utilization struct {
	GPU    int // time in which a kernel ran
	Memory int // time in which memory was read or written
}

// Attributes counts what a MIG device has: multiprocessors of its own, and engines that it may share.
type Attributes struct {
	Multiprocessors, Copy, Decoders, Encoders, JPEG, OpticalFlow int
}

// PCI is a GPU's place on the bus and what it says of itself there.
type PCI struct {
	BusID               string // 00000000:01:00.0
	Domain, Bus, Device uint32
	DeviceID, Subsystem uint32 // device in the high half, vendor in the low one
}

// NoInstance stands for a process that is in no MIG instance.
const NoInstance = math.MaxUint32

// UnknownMemory stands for the memory of a process that the driver does not know, as on Windows under WDDM.
const UnknownMemory = math.MaxUint64

// Process is a program that uses a GPU.
type Process struct {
	PID             uint32
	Memory          uint64 // bytes or UnknownMemory
	GPUInstance     uint32 // or NoInstance
	ComputeInstance uint32 // or NoInstance
}

// PState is a performance state: 0 is the fastest, 15 the slowest.
type PState uint32

// UnknownPState is the state of a GPU that does not know it.
const UnknownPState PState = 32

// ComputeMode says who may compute on a GPU.
type ComputeMode uint32

// Compute modes.
const (
	ComputeDefault          ComputeMode = 0
	ComputeExclusiveThread  ComputeMode = 1
	ComputeProhibited       ComputeMode = 2
	ComputeExclusiveProcess ComputeMode = 3
)

// Threshold names a temperature.
type Threshold uint32

// Thresholds.
const (
	ThresholdShutdown  Threshold = 0
	ThresholdSlowdown  Threshold = 1
	ThresholdMemory    Threshold = 2 // most for the memory
	ThresholdOperating Threshold = 3 // most for the GPU
)

// Clock names a clock.
type Clock uint32

// Clocks.
const (
	ClockGraphics Clock = 0
	ClockSM       Clock = 1
	ClockMemory   Clock = 2
	ClockVideo    Clock = 3
)

// ECCError is a kind of memory error.
type ECCError uint32

// Kinds of memory errors.
const (
	ECCCorrected   ECCError = 0
	ECCUncorrected ECCError = 1
)

// ECCCounter is a span of time in which errors are counted.
type ECCCounter uint32

// Spans of time.
const (
	ECCVolatile  ECCCounter = 0 // since the driver was loaded
	ECCAggregate ECCCounter = 1 // ever
)

// ECCPlace is where memory errors are counted.
type ECCPlace uint32

// Places.
const (
	ECCL1            ECCPlace = 0
	ECCL2            ECCPlace = 1
	ECCDRAM          ECCPlace = 2
	ECCRegisters     ECCPlace = 3
	ECCTexture       ECCPlace = 4
	ECCTextureShared ECCPlace = 5
	ECCConvergence   ECCPlace = 6
	ECCSRAM          ECCPlace = 7
)

// Retirement is why a page of memory is no longer used.
type Retirement uint32

// Reasons.
const (
	RetiredSingleBit Retirement = 0 // several errors that were corrected
	RetiredDoubleBit Retirement = 1 // one that was not
)

// RemappedRows counts rows of memory for which others stand in.
type RemappedRows struct {
	Corrected, Uncorrected int  // errors that were the reason
	Pending                bool // whether a reset is wanted
	Failed                 bool // whether a row could not be remapped
}

// Throughput is a direction on the PCI bus.
type Throughput uint32

// Directions.
const (
	PCIeSent     Throughput = 0
	PCIeReceived Throughput = 1
)
