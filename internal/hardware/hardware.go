// Package hardware describes machines with GPUs as data, for the simulated driver and the simulated NVML. A description is a
// JSON file; the presets are such files.
package hardware

import "fmt"

// Machine is a computer with NVIDIA's driver.
type Machine struct {
	Source string // where the description comes from: a file, a preset or CRESSET_SIM's value
	Driver string // such as "470.256.02"
	CUDA   int32  // newest version that the driver supports: 1000·major + 10·minor
	GPUs   []GPU  // in no particular order
	Peers  [][]bool

	Library  string // version of the driver's libraries, which an update may leave behind; "" is Driver
	Unloaded bool   // the kernel does not have the driver
	WDDM     bool   // Windows' memory manager keeps what a process holds to itself
}

// GPU is one GPU. Rates are per second.
type GPU struct {
	Name            string
	Major, Minor    int // compute capability
	Multiprocessors int
	ThreadsPerSM    int    // most resident threads of a multiprocessor
	SharedPerSM     uint64 // bytes
	SharedPerBlock  uint64 // bytes, with opting in
	L2              uint64 // bytes
	Memory          uint64 // bytes
	MemoryBusWidth  int    // bits
	Clock           uint64 // Hz
	MemoryClock     uint64 // Hz
	Bandwidth       uint64 // bytes, of its memory
	Peak            uint64 // lane-instructions
	Link            uint64 // bytes, to the host
	PeerLink        uint64 // bytes, to a peer; 0 where it has no link of its own
	Power           int    // limit in watts; 0 where it does not tell

	UUID string // GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
	Bus  string // 00000000:01:00.0

	Used      uint64 // bytes that other processes hold
	Processes []Process
	Management
	Draw        int // watts; 0 where it does not tell
	Temperature int // degrees Celsius
	Fan         int // percent; -1 without a fan
	Utilization int // percent
}

// Process is a program of another user of the GPU.
type Process struct {
	PID    int
	Type   string // C computes, G draws, C+G does both
	Name   string
	Memory uint64 // bytes
}

// CanAccess reports whether GPU i can read and write the memory of GPU j.
func (m *Machine) CanAccess(i, j int) bool { return i != j && len(m.Peers) > 0 && m.Peers[i][j] }

// PeerRate returns the bytes per second between two GPUs: of their own link where they are peers that have one, and else of
// the slower link to the host.
func (m *Machine) PeerRate(i, j int) uint64 {
	a, b := &m.GPUs[i], &m.GPUs[j]
	if m.CanAccess(i, j) && a.PeerLink > 0 && b.PeerLink > 0 {
		return min(a.PeerLink, b.PeerLink)
	}
	return min(a.Link, b.Link)
}

// Address returns the parts of the GPU's place on the PCI bus.
func (g *GPU) Address() (domain, bus, device int) {
	fmt.Sscanf(g.Bus, "%x:%x:%x", &domain, &bus, &device)
	return domain, bus, device
}
