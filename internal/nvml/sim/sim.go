// Package sim is NVML without GPUs: it fills nvml.API, symbol for symbol, with a
// machine that a hardware description tells of, as a driver of that machine's
// generation would. What other programs do on the machine's simulated GPUs, it
// shows beside what the description says.
package sim

import (
	"cmp"
	"slices"
	"sync"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/tenants"
)

// Library is a simulated NVML. Its methods are for tests; the rest of the program
// uses API.
type Library struct {
	API *nvml.API

	machine *hardware.Machine
	gpus    []*gpu // by their places on the bus, as NVML counts
	parts   []*gpu // their MIG devices
	table   *tenants.Table

	mu     sync.Mutex // guards the fields below and the GPUs' lost
	starts int        // Inits without a Shutdown
	faults []*Fault
	calls  map[string]int
}

// gpu is a GPU with its handle, which is not far from a small integer.
type gpu struct {
	*hardware.GPU
	index    int // NVML's
	physical int // the description's
	lost     bool

	slot   int                // of a MIG device among its GPU's, from 1
	part   *hardware.Instance // of a MIG device
	parent *gpu               // of a MIG device
}

const firstHandle = 0x1000 // far from small integers, which are mistakes

// New returns a library for the machine. The table's programs are shown beside
// the description's; it may be nil.
func New(m *hardware.Machine, table *tenants.Table) *Library {
	l := &Library{machine: m, table: table, calls: map[string]int{}}
	for i := range m.GPUs {
		l.gpus = append(l.gpus, &gpu{GPU: &m.GPUs[i], physical: i, lost: m.GPUs[i].Lost})
	}
	slices.SortFunc(l.gpus, func(a, b *gpu) int { return cmp.Compare(a.Bus, b.Bus) })
	for i, g := range l.gpus {
		g.index = i
		for at := range g.Instances {
			part := &gpu{GPU: g.Part(g.Instances[at]), index: i, slot: at + 1, part: &g.Instances[at], parent: g}
			l.parts = append(l.parts, part)
		}
	}
	l.API = l.functions()
	l.API.Drop(younger(m.Generation())...)
	return l
}

func (g *gpu) handle() nvml.Device { return nvml.Device(firstHandle + 0x10*g.index + g.slot) }

// begin counts a call and lets a fault strike it.
func (l *Library) begin(symbol string) nvml.Return {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[symbol]++
	return l.fault(symbol)
}

// enter is begin for a call that wants a started library.
func (l *Library) enter(symbol string) nvml.Return {
	r := l.begin(symbol)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.starts == 0 {
		return nvml.ErrUninitialized
	}
	return r
}

// gpu is enter for a call about a device.
func (l *Library) gpu(symbol string, dev nvml.Device) (*gpu, nvml.Return) {
	if r := l.enter(symbol); r != nvml.Success {
		return nil, r
	}
	for _, all := range [][]*gpu{l.gpus, l.parts} {
		if i := slices.IndexFunc(all, func(g *gpu) bool { return g.handle() == dev }); i >= 0 {
			return all[i], l.present(all[i])
		}
	}
	return nil, nvml.ErrInvalidArgument
}

func (l *Library) present(g *gpu) nvml.Return {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.lost || g.parent != nil && g.parent.lost {
		return nvml.ErrGPULost
	}
	return nvml.Success
}

// init counts, as NVML does: each start wants a shutdown.
func (l *Library) init() nvml.Return {
	if r := l.begin("nvmlInit_v2"); r != nvml.Success {
		return r
	}
	switch {
	case l.machine.Unloaded:
		return nvml.ErrDriverNotLoaded
	case l.machine.Mismatched():
		return nvml.ErrVersionMismatch
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts++
	return nvml.Success
}

func (l *Library) shutdown() nvml.Return {
	r := l.enter("nvmlShutdown")
	if r != nvml.Success {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts--
	return r
}
