package sim

import (
	"time"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

// recent is how old what is known of other programs may be: one round of queries looks once.
const recent = 50 * time.Millisecond

// load is what programs do on a GPU now, those of the description included.
type load struct {
	memory   uint64 // bytes
	percent  int
	tenanted int // percent, of the programs that really run
}

func (l *Library) load(g *gpu) load {
	now := load{memory: g.Used}
	for _, t := range l.table.Others(recent) {
		for _, u := range t.GPUs {
			if u.UUID == g.UUID {
				now.memory += u.Memory
				now.tenanted = min(100, now.tenanted+u.Utilization)
			}
		}
	}
	for _, p := range l.partsOf(g) {
		part := l.load(p)
		now.memory += part.memory
		now.tenanted = min(100, now.tenanted+part.tenanted)
	}
	now.memory = min(now.memory, g.Memory-g.Reserved)
	now.percent = min(100, g.Utilization+now.tenanted)
	return now
}

func (l *Library) memory(g *gpu) (nvml.Memory, nvml.Return) {
	used := l.load(g).memory
	m := nvml.Memory{Total: g.Memory, Used: used, Free: g.Memory - g.Reserved - used}
	if l.machine.Generation() >= reservedFrom {
		m.Reserved, m.Reserves = g.Reserved, true
		return m, nvml.Success
	}
	m.Used += g.Reserved // which an older driver counts as used
	return m, nvml.Success
}

// utilization is not told of a GPU in MIG mode, as on hardware.
func (l *Library) utilization(g *gpu) (nvml.Utilization, nvml.Return) {
	if g.MIG == hardware.On {
		return nvml.Utilization{}, nvml.ErrNotSupported
	}
	return nvml.Utilization{GPU: l.load(g).percent, Memory: g.MemoryUtilization}, nvml.Success
}

// power rises from the description's draw to the limit with what really runs.
func (l *Library) power(g *gpu) (uint32, nvml.Return) {
	if g.Draw == 0 {
		return 0, nvml.ErrNotSupported
	}
	more := max(0, g.Power-g.Draw) * l.load(g).tenanted * 10 // percent of watts in milliwatts
	return uint32(1000*g.Draw + more), nvml.Success
}

// unused is the load of engines that no simulated program uses.
func unused(g *gpu) (percent, microseconds uint32, r nvml.Return) {
	if g.MIG == hardware.On {
		return 0, 0, nvml.ErrNotSupported
	}
	return 0, 167_000, nvml.Success
}

const idleState = 8

// performance follows the load where the description does not fix it.
func (l *Library) performance(g *gpu) (nvml.PState, nvml.Return) {
	if n, fixed := g.Performance.Number(); fixed {
		return nvml.PState(n), nvml.Success
	}
	if l.load(g).percent > 0 {
		return 0, nvml.Success
	}
	return idleState, nvml.Success
}

// Clocks of an idle GPU in MHz, which differ little from one to the other.
const (
	idleClock       = 210
	idleMemoryClock = 405
)

func (l *Library) clock(g *gpu, c nvml.Clock) (uint32, nvml.Return) {
	most, r := maxClock(g, c)
	state, _ := l.performance(g)
	switch {
	case r != nvml.Success || state < idleState:
		return most, r
	case c == nvml.ClockMemory:
		return min(most, idleMemoryClock), r
	}
	return min(most, idleClock), r
}

func maxClock(g *gpu, c nvml.Clock) (uint32, nvml.Return) {
	hertz := g.GPU.Clock
	switch {
	case c == nvml.ClockMemory:
		hertz = g.MemoryClock
	case c > nvml.ClockVideo:
		return 0, nvml.ErrInvalidArgument
	}
	if hertz == 0 {
		return 0, nvml.ErrNotSupported
	}
	return uint32(hertz / 1e6), nvml.Success
}

// clockReasons has the bit of an idle GPU, or none.
func (l *Library) clockReasons(g *gpu) (uint64, nvml.Return) {
	const idle = 1
	if state, _ := l.performance(g); state >= idleState {
		return idle, nvml.Success
	}
	return 0, nvml.Success
}
