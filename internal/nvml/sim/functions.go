package sim

import (
	"fmt"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

// tell makes a function that answers from a GPU.
func tell[T any](l *Library, get func(*gpu) (T, nvml.Return)) func(nvml.Device) (T, nvml.Return) {
	return func(dev nvml.Device) (value T, r nvml.Return) {
		g, r := l.gpu(dev)
		if r != nvml.Success {
			return value, r
		}
		return get(g)
	}
}

// tellOf is tell for functions with an argument.
func tellOf[A, T any](l *Library, get func(*gpu, A) (T, nvml.Return)) func(nvml.Device, A) (T, nvml.Return) {
	return func(dev nvml.Device, a A) (T, nvml.Return) {
		return tell(l, func(g *gpu) (T, nvml.Return) { return get(g, a) })(dev)
	}
}

// tellPair is tell for functions with two results.
func tellPair[T any](l *Library, get func(*gpu) (a, b T, r nvml.Return)) func(nvml.Device) (T, T, nvml.Return) {
	return func(dev nvml.Device) (a, b T, r nvml.Return) {
		g, r := l.gpu(dev)
		if r == nvml.Success {
			a, b, r = get(g)
		}
		return a, b, r
	}
}

// modes is tell for a setting with what it will be after a reset, which is the same.
func (l *Library) modes(get func(*gpu) hardware.Setting) func(nvml.Device) (current, pending bool, r nvml.Return) {
	return tellPair(l, func(g *gpu) (current, pending bool, r nvml.Return) {
		on, r := set(get(g))
		return on, on, r
	})
}

func (l *Library) functions() *nvml.API {
	a := &nvml.API{
		Library:   "simulated by " + l.machine.Source,
		Simulated: true,

		Init:        l.init,
		Shutdown:    l.shutdown,
		ErrorString: nvml.Return.Text,

		DriverVersion:     l.driverVersion,
		NVMLVersion:       l.nvmlVersion,
		CUDADriverVersion: l.cudaVersion,
		ProcessName:       l.processName,

		Count:            l.count,
		DeviceByIndex:    l.byIndex,
		DeviceByPCIBusID: l.byBus,
	}
	l.addIdentity(a)
	l.addLoad(a)
	l.addState(a)
	l.addLinks(a)
	l.addMIG(a)
	return a
}

func (l *Library) addIdentity(a *nvml.API) {
	a.Name = tell(l, func(g *gpu) (string, nvml.Return) { return g.Name, nvml.Success })
	a.UUID = tell(l, func(g *gpu) (string, nvml.Return) { return g.UUID, nvml.Success })
	a.Serial = tell(l, func(g *gpu) (string, nvml.Return) {
		if g.Serial == "" {
			return "", nvml.ErrNotSupported
		}
		return g.Serial, nvml.Success
	})
	index := func(g *gpu) (uint32, nvml.Return) { return uint32(g.index), nvml.Success }
	a.Index = tell(l, index)
	a.MinorNumber = tell(l, index)
	a.Brand = tell(l, brand)
	a.Architecture = tell(l, architecture)
	a.PCI = tell(l, pci)
	a.VBIOS = tell(l, func(*gpu) (string, nvml.Return) { return "", nvml.ErrNotSupported })
	a.ComputeCapability = tellPair(l, func(g *gpu) (major, minor int32, r nvml.Return) {
		return int32(g.Major), int32(g.Minor), nvml.Success
	})
}

func (l *Library) addLoad(a *nvml.API) {
	a.Memory = tell(l, l.memory)
	a.BAR1 = tell(l, func(g *gpu) (nvml.BAR1, nvml.Return) {
		if g.BAR1 == 0 {
			return nvml.BAR1{}, nvml.ErrNotSupported
		}
		used := min(1<<20, g.BAR1) // what an idle GPU shows
		if g.part != nil {
			used = 0
		}
		return nvml.BAR1{Total: g.BAR1, Used: used, Free: g.BAR1 - used}, nvml.Success
	})
	a.Utilization = tell(l, l.utilization)
	a.Encoder = tellPair(l, unused)
	a.Decoder = tellPair(l, unused)
	a.Power = tell(l, l.power)
	limit := func(g *gpu) (uint32, nvml.Return) { return told(1000 * g.GPU.Power) }
	a.PowerLimit = tell(l, limit)
	a.PowerRequested = tell(l, limit)
	a.PowerDefault = tell(l, limit)
	a.PowerRange = tellPair(l, func(*gpu) (uint32, uint32, nvml.Return) {
		return 0, 0, nvml.ErrNotSupported // a description has one limit
	})
	a.PerformanceState = tell(l, l.performance)
	a.Clock = tellOf(l, l.clock)
	a.MaxClock = tellOf(l, maxClock)
	a.ApplicationsClock = tellOf(l, maxClock)
	a.ClockReasons = tell(l, l.clockReasons)
	a.ComputeProcesses = tell(l, func(g *gpu) ([]nvml.Process, nvml.Return) { return l.processes(g, "C") })
	a.GraphicsProcesses = tell(l, func(g *gpu) ([]nvml.Process, nvml.Return) { return l.processes(g, "G") })
}

func (l *Library) addState(a *nvml.API) {
	a.Temperature = tell(l, func(g *gpu) (int32, nvml.Return) { return int32(g.GPU.Temperature), nvml.Success })
	a.TemperatureThreshold = tellOf(l, threshold)
	a.Fans = tell(l, func(g *gpu) (uint32, nvml.Return) { return uint32(fans(g)), nvml.Success })
	a.FanSpeed = tellOf(l, fanSpeed)
	a.PersistenceMode = tell(l, func(g *gpu) (bool, nvml.Return) { return set(g.Persistence) })
	a.ComputeMode = tell(l, computeMode)
	a.DisplayActive = tell(l, func(g *gpu) (bool, nvml.Return) { return set(g.Display) })
	l.addErrors(a)
}

func threshold(g *gpu, t nvml.Threshold) (uint32, nvml.Return) {
	switch t {
	case nvml.ThresholdShutdown:
		return told(g.Shutdown)
	case nvml.ThresholdSlowdown:
		return told(g.Slowdown)
	case nvml.ThresholdMemory, nvml.ThresholdOperating:
		return 0, nvml.ErrNotSupported
	}
	return 0, nvml.ErrInvalidArgument
}

func fans(g *gpu) int {
	if g.Fan < 0 {
		return 0
	}
	return max(1, g.GPU.Fans)
}

func fanSpeed(g *gpu, fan uint32) (uint32, nvml.Return) {
	switch n := fans(g); {
	case n == 0:
		return 0, nvml.ErrNotSupported
	case uint64(fan) >= uint64(n):
		return 0, nvml.ErrInvalidArgument
	}
	return uint32(g.Fan), nvml.Success
}

func (l *Library) addLinks(a *nvml.API) {
	a.LinkGeneration = tell(l, func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkGeneration) })
	a.LinkWidth = tell(l, func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkWidth) })
	a.MaxGeneration = tell(l, func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkGeneration) })
	a.MaxWidth = tell(l, func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkWidth) })
	a.LinkThroughput = tellOf(l, func(*gpu, nvml.Throughput) (uint32, nvml.Return) { return 0, nvml.Success })
}

func (l *Library) count() (uint32, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return 0, r
	}
	return uint32(len(l.gpus)), nvml.Success
}

func (l *Library) driverVersion() (string, nvml.Return) {
	if r := l.enter(); r != nvml.Success {
		return "", r
	}
	return l.machine.Driver, nvml.Success
}

// nvmlVersion works before Init: CUDA's major version before the library's own.
func (l *Library) nvmlVersion() (string, nvml.Return) {
	return fmt.Sprintf("%d.%s", l.machine.CUDA/1000, l.machine.Libraries()), nvml.Success
}

// cudaVersion works before Init.
func (l *Library) cudaVersion() (int32, nvml.Return) {
	return l.machine.CUDA, nvml.Success
}
