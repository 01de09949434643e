// Package sim is NVML without GPUs: it fills nvml.API, symbol for symbol, with a machine that a hardware description tells
// of, as a driver of that machine's generation would. What other programs do on the machine's simulated GPUs, it shows
// beside what the description says.
package sim

import (
	"cmp"
	"slices"
	"sync"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/tenants"
)

// Library is a simulated NVML.
type Library struct {
	API *nvml.API

	machine *hardware.Machine
	gpus    []*gpu // by their places on the bus, as NVML counts
	parts   []*gpu // their MIG devices
	table   *tenants.Table

	mu     sync.Mutex // guards starts
	starts int        // Inits without a Shutdown
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

// New returns a library for the machine. The table's programs are shown beside the description's; it may be nil.
func New(m *hardware.Machine, table *tenants.Table) *Library {
	l := &Library{machine: m, table: table}
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

// enter makes the check of every call that wants a started library.
func (l *Library) enter() nvml.Return {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.starts == 0 {
		return nvml.ErrUninitialized
	}
	return nvml.Success
}

// gpu is enter for a call about a device.
func (l *Library) gpu(dev nvml.Device) (*gpu, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return nil, r
	}
	for _, all := range [][]*gpu{l.gpus, l.parts} {
		if i := slices.IndexFunc(all, func(g *gpu) bool { return g.handle() == dev }); i >= 0 {
			return all[i], present(all[i])
		}
	}
	return nil, nvml.ErrInvalidArgument
}

func present(g *gpu) nvml.Return {
	if g.lost || g.parent != nil && g.parent.lost {
		return nvml.ErrGPULost
	}
	return nvml.Success
}

// init counts, as NVML does: each start wants a shutdown.
func (l *Library) init() nvml.Return {
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
	r := l.enter()
	if r != nvml.Success {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts--
	return r
}
