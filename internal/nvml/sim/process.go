package sim

import (
	"strings"

	"cresset/internal/nvml"
)

// processes returns a GPU's processes of a kind: C computes, G draws. What runs on simulated GPUs computes.
func (l *Library) processes(g *gpu, kind string) (all []nvml.Process, r nvml.Return) {
	add := func(in *gpu, pid int, memory uint64) {
		if l.machine.WDDM {
			memory = nvml.UnknownMemory
		}
		p := nvml.Process{PID: uint32(pid), Memory: memory, GPUInstance: nvml.NoInstance, ComputeInstance: nvml.NoInstance}
		if in.part != nil {
			p.GPUInstance, p.ComputeInstance = uint32(in.part.GPUInstance), uint32(in.part.ComputeInstance)
		}
		all = append(all, p)
	}
	for _, p := range g.Processes {
		if strings.Contains(p.Type, kind) {
			add(g, p.PID, p.Memory)
		}
	}
	if kind == "C" {
		for _, t := range l.table.Others(recent) {
			for _, u := range t.GPUs {
				for _, in := range append(l.partsOf(g), g) {
					if u.UUID == in.UUID {
						add(in, t.PID, u.Memory)
					}
				}
			}
		}
	}
	return all, nvml.Success
}

func (l *Library) processName(pid uint32) (string, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return "", r
	}
	for _, g := range l.gpus {
		for _, p := range g.Processes {
			if p.PID == int(pid) {
				return p.Name, nvml.Success
			}
		}
	}
	for _, t := range l.table.Others(recent) {
		if t.PID == int(pid) {
			return t.Name, nvml.Success
		}
	}
	return "", nvml.ErrNotFound
}
