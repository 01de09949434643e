// Package smi is an inventory of the GPUs in the machine: what they are, what they do, who holds their memory, and which of
// them to use. It asks NVML, the library behind nvidia-smi, and where there is none, the driver. Neither it nor its users
// need cgo.
//
// GPUs are numbered here as nvidia-smi numbers them: by their place on the PCI bus, whatever CUDA_VISIBLE_DEVICES says.
// Logical tells which of them are cuda:0, cuda:1 and so on.
package smi

import (
	"cmp"
	"slices"
	"time"
)

// Source says who described the GPUs.
type Source string

// Sources of an inventory.
const (
	NVML   Source = "nvml"   // all GPUs, with everything that they report
	Driver Source = "driver" // the visible GPUs, with their memory only
)

// Inventory is the state of the machine's GPUs at one time.
type Inventory struct {
	Time      time.Time `json:"time"`
	Driver    string    `json:"driver_version,omitempty"` // such as 580.126.09; "" where the source does not tell
	CUDA      string    `json:"cuda_version,omitempty"`   // the newest that the driver supports, such as 13.0
	Source    Source    `json:"source"`
	Simulated bool      `json:"simulated,omitempty"`
	GPUs      []GPU     `json:"gpus"`
	Missing   []Missing `json:"missing,omitempty"` // GPUs that do not answer

	// ReservedUnknown is why nobody can say who has reserved GPUs; nil where that is known.
	ReservedUnknown error `json:"-"`
}

// Missing is a GPU that does not answer: it has fallen off the bus, for instance.
type Missing struct {
	Index  int    `json:"index"`
	Reason string `json:"reason"` // in NVML's words, such as GPU is lost
}

// GPU describes a GPU. What it does not report is nil or empty, never zero.
type GPU struct {
	Index      int    `json:"index"` // from 0, by place on the PCI bus
	Name       string `json:"name"`
	UUID       string `json:"uuid"`
	BusID      string `json:"bus_id"` // such as 00000000:01:00.0
	Serial     string `json:"serial,omitempty"`
	Capability string `json:"compute_capability,omitempty"` // such as 6.1

	Memory      Memory   `json:"memory"`
	BAR1        *Memory  `json:"bar1,omitempty"`               // the window through which the bus sees the memory
	Utilization *int     `json:"utilization,omitempty"`        // percent of the last moments in which a kernel ran
	MemoryBusy  *int     `json:"memory_utilization,omitempty"` // percent in which memory was read or written
	Temperature *int     `json:"temperature,omitempty"`        // degrees Celsius
	Power       *float64 `json:"power,omitempty"`              // watts
	PowerLimit  *float64 `json:"power_limit,omitempty"`        // watts
	Fan         *int     `json:"fan,omitempty"`                // percent of the fastest
	PState      *int     `json:"pstate,omitempty"`             // 0 is the fastest, 15 the slowest
	Clock       *int     `json:"clock,omitempty"`              // MHz, of the multiprocessors
	MemoryClock *int     `json:"memory_clock,omitempty"`       // MHz

	ECC         *bool      `json:"ecc,omitempty"`        // whether memory errors are corrected
	ECCErrors   *uint64    `json:"ecc_errors,omitempty"` // uncorrected since the driver was loaded
	ComputeMode string     `json:"compute_mode,omitempty"`
	Persistence *bool      `json:"persistence,omitempty"`
	Display     *bool      `json:"display_active,omitempty"`
	MIG         *bool      `json:"mig,omitempty"` // nil where the GPU cannot be partitioned
	Instances   []Instance `json:"instances,omitempty"`
	Processes   []Process  `json:"processes,omitempty"` // in NVML's order
	Details     *Details   `json:"details,omitempty"`   // where they were asked for

	ReservedBy *Holder `json:"reserved_by,omitempty"` // nil where nobody has reserved it; see Reserve
}

// Instance is a part of a GPU that is partitioned by MIG. CUDA programs name it by its UUID, and can use only one.
type Instance struct {
	Index           int    `json:"index"` // among the GPU's instances
	Name            string `json:"name"`  // such as 1g.5gb
	UUID            string `json:"uuid"`  // MIG-...
	GPUInstance     int    `json:"gpu_instance"`
	ComputeInstance int    `json:"compute_instance"`

	Memory          *Memory  `json:"memory,omitempty"`
	BAR1            *Memory  `json:"bar1,omitempty"`
	Multiprocessors *int     `json:"multiprocessors,omitempty"`
	Engines         *Engines `json:"engines,omitempty"`
}

// Engines counts what the compute instances of a GPU instance share.
type Engines struct {
	Copy        int `json:"copy"`
	Encoders    int `json:"encoders"`
	Decoders    int `json:"decoders"`
	OpticalFlow int `json:"optical_flow"`
	JPEG        int `json:"jpeg"`
}

// Memory is a GPU's memory in bytes.
type Memory struct {
	Total    uint64  `json:"total"`
	Used     uint64  `json:"used"` // without Reserved where that is told
	Free     uint64  `json:"free"`
	Reserved *uint64 `json:"reserved,omitempty"` // held by driver and firmware; told from driver 510 on
}

// Process is a program that holds memory of a GPU. In a container its number can be the host's, or another container's.
type Process struct {
	PID    int     `json:"pid"`
	Type   string  `json:"type"` // C computes, G draws, C+G does both
	Name   string  `json:"name,omitempty"`
	Memory *uint64 `json:"memory,omitempty"` // bytes; Windows does not tell

	GPUInstance     *int `json:"gpu_instance,omitempty"` // of MIG; nil outside
	ComputeInstance *int `json:"compute_instance,omitempty"`
}

// Compute modes.
const (
	Default          = "Default"
	ExclusiveThread  = "Exclusive_Thread"
	Prohibited       = "Prohibited" // no program may compute
	ExclusiveProcess = "Exclusive_Process"
)

// GPUs returns the GPUs in the machine, by index. Without any it returns an *Error; where one does not answer, an *Error
// together with the others.
func GPUs() ([]GPU, error) {
	inventory, err := Take()
	if inventory == nil {
		return nil, err
	}
	return inventory.GPUs, err
}

// ByFreeMemory returns the GPUs with the most free memory first; where two have the same, the lower index comes first.
func ByFreeMemory(gpus []GPU) []GPU {
	return slices.SortedStableFunc(slices.Values(gpus), func(a, b GPU) int {
		return cmp.Or(cmp.Compare(b.Memory.Free, a.Memory.Free), cmp.Compare(a.Index, b.Index))
	})
}
