package sim

import (
	"fmt"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

// tell makes a function that answers from a GPU.
func tell[T any](l *Library, symbol string, get func(*gpu) (T, nvml.Return)) func(nvml.Device) (T, nvml.Return) {
	return func(dev nvml.Device) (value T, r nvml.Return) {
		g, r := l.gpu(symbol, dev)
		if r != nvml.Success {
			return value, r
		}
		return get(g)
	}
}

// tellOf is tell for functions with an argument.
func tellOf[A, T any](l *Library, symbol string, get func(*gpu, A) (T, nvml.Return)) func(nvml.Device, A) (T, nvml.Return) {
	return func(dev nvml.Device, a A) (value T, r nvml.Return) {
		g, r := l.gpu(symbol, dev)
		if r != nvml.Success {
			return value, r
		}
		return get(g, a)
	}
}

// tellPair is tell for functions with two results.
func tellPair(l *Library, symbol string, get func(*gpu) (a, b uint32, r nvml.Return)) func(nvml.Device) (uint32, uint32, nvml.Return) {
	return func(dev nvml.Device) (uint32, uint32, nvml.Return) {
		g, r := l.gpu(symbol, dev)
		if r != nvml.Success {
			return 0, 0, r
		}
		return get(g)
	}
}

// modes is tell for a setting with what it will be after a reset, which is the same.
func (l *Library) modes(symbol string, get func(*gpu) hardware.Setting) func(nvml.Device) (current, pending bool, r nvml.Return) {
	ask := tell(l, symbol, func(g *gpu) (bool, nvml.Return) { return set(get(g)) })
	return func(dev nvml.Device) (bool, bool, nvml.Return) {
		on, r := ask(dev)
		return on, on, r
	}
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
	a.Name = tell(l, "nvmlDeviceGetName", func(g *gpu) (string, nvml.Return) { return g.Name, nvml.Success })
	a.UUID = tell(l, "nvmlDeviceGetUUID", func(g *gpu) (string, nvml.Return) { return g.UUID, nvml.Success })
	a.Serial = tell(l, "nvmlDeviceGetSerial", func(g *gpu) (string, nvml.Return) {
		if g.Serial == "" {
			return "", nvml.ErrNotSupported
		}
		return g.Serial, nvml.Success
	})
	index := func(g *gpu) (uint32, nvml.Return) { return uint32(g.index), nvml.Success }
	a.Index = tell(l, "nvmlDeviceGetIndex", index)
	a.MinorNumber = tell(l, "nvmlDeviceGetMinorNumber", index)
	a.Brand = tell(l, "nvmlDeviceGetBrand", brand)
	a.Architecture = tell(l, "nvmlDeviceGetArchitecture", architecture)
	a.PCI = tell(l, "nvmlDeviceGetPciInfo_v3", pci)
	a.VBIOS = tell(l, "nvmlDeviceGetVbiosVersion", func(*gpu) (string, nvml.Return) { return "", nvml.ErrNotSupported })
	a.ComputeCapability = func(dev nvml.Device) (major, minor int32, r nvml.Return) {
		g, r := l.gpu("nvmlDeviceGetCudaComputeCapability", dev)
		if r != nvml.Success {
			return 0, 0, r
		}
		return int32(g.Major), int32(g.Minor), r
	}
}

func (l *Library) addLoad(a *nvml.API) {
	a.Memory = tell(l, "nvmlDeviceGetMemoryInfo_v2", l.memory)
	a.BAR1 = tell(l, "nvmlDeviceGetBAR1MemoryInfo", func(g *gpu) (nvml.BAR1, nvml.Return) {
		if g.BAR1 == 0 {
			return nvml.BAR1{}, nvml.ErrNotSupported
		}
		used := min(1<<20, g.BAR1) // what an idle GPU shows
		if g.part != nil {
			used = 0
		}
		return nvml.BAR1{Total: g.BAR1, Used: used, Free: g.BAR1 - used}, nvml.Success
	})
	a.Utilization = tell(l, "nvmlDeviceGetUtilizationRates", l.utilization)
	a.Encoder = tellPair(l, "nvmlDeviceGetEncoderUtilization", unused)
	a.Decoder = tellPair(l, "nvmlDeviceGetDecoderUtilization", unused)
	a.Power = tell(l, "nvmlDeviceGetPowerUsage", l.power)
	limit := func(g *gpu) (uint32, nvml.Return) { return told(1000 * g.GPU.Power) }
	a.PowerLimit = tell(l, "nvmlDeviceGetEnforcedPowerLimit", limit)
	a.PowerRequested = tell(l, "nvmlDeviceGetPowerManagementLimit", limit)
	a.PowerDefault = tell(l, "nvmlDeviceGetPowerManagementDefaultLimit", limit)
	a.PowerRange = tellPair(l, "nvmlDeviceGetPowerManagementLimitConstraints", func(*gpu) (uint32, uint32, nvml.Return) {
		return 0, 0, nvml.ErrNotSupported // a description has one limit
	})
	a.PerformanceState = tell(l, "nvmlDeviceGetPerformanceState", l.performance)
	a.Clock = tellOf(l, "nvmlDeviceGetClockInfo", l.clock)
	a.MaxClock = tellOf(l, "nvmlDeviceGetMaxClockInfo", maxClock)
	a.ApplicationsClock = tellOf(l, "nvmlDeviceGetApplicationsClock", maxClock)
	a.ClockReasons = tell(l, "nvmlDeviceGetCurrentClocksEventReasons", l.clockReasons)
	a.ComputeProcesses = tell(l, "nvmlDeviceGetComputeRunningProcesses_v3", func(g *gpu) ([]nvml.Process, nvml.Return) { return l.processes(g, "C") })
	a.GraphicsProcesses = tell(l, "nvmlDeviceGetGraphicsRunningProcesses_v3", func(g *gpu) ([]nvml.Process, nvml.Return) { return l.processes(g, "G") })
}

func (l *Library) addState(a *nvml.API) {
	a.Temperature = tell(l, "nvmlDeviceGetTemperatureV", func(g *gpu) (int32, nvml.Return) { return int32(g.GPU.Temperature), nvml.Success })
	a.TemperatureThreshold = tellOf(l, "nvmlDeviceGetTemperatureThreshold", threshold)
	a.Fans = tell(l, "nvmlDeviceGetNumFans", func(g *gpu) (uint32, nvml.Return) { return uint32(fans(g)), nvml.Success })
	a.FanSpeed = tellOf(l, "nvmlDeviceGetFanSpeed_v2", fanSpeed)
	a.PersistenceMode = tell(l, "nvmlDeviceGetPersistenceMode", func(g *gpu) (bool, nvml.Return) { return set(g.Persistence) })
	a.ComputeMode = tell(l, "nvmlDeviceGetComputeMode", computeMode)
	a.DisplayActive = tell(l, "nvmlDeviceGetDisplayActive", func(g *gpu) (bool, nvml.Return) { return set(g.Display) })
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
	a.LinkGeneration = tell(l, "nvmlDeviceGetCurrPcieLinkGeneration", func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkGeneration) })
	a.LinkWidth = tell(l, "nvmlDeviceGetCurrPcieLinkWidth", func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkWidth) })
	a.MaxGeneration = tell(l, "nvmlDeviceGetMaxPcieLinkGeneration", func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkGeneration) })
	a.MaxWidth = tell(l, "nvmlDeviceGetMaxPcieLinkWidth", func(g *gpu) (uint32, nvml.Return) { return told(g.GPU.LinkWidth) })
	a.LinkThroughput = tellOf(l, "nvmlDeviceGetPcieThroughput", func(*gpu, nvml.Throughput) (uint32, nvml.Return) { return 0, nvml.Success })
}

func (l *Library) count() (uint32, nvml.Return) {
	if r := l.enter("nvmlDeviceGetCount_v2"); r != nvml.Success {
		return 0, r
	}
	return uint32(len(l.gpus)), nvml.Success
}

func (l *Library) driverVersion() (string, nvml.Return) {
	if r := l.enter("nvmlSystemGetDriverVersion"); r != nvml.Success {
		return "", r
	}
	return l.machine.Driver, nvml.Success
}

// nvmlVersion works before Init: CUDA's major version before the library's own.
func (l *Library) nvmlVersion() (string, nvml.Return) {
	if r := l.begin("nvmlSystemGetNVMLVersion"); r != nvml.Success {
		return "", r
	}
	return fmt.Sprintf("%d.%s", l.machine.CUDA/1000, l.machine.Libraries()), nvml.Success
}

// cudaVersion works before Init.
func (l *Library) cudaVersion() (int32, nvml.Return) {
	if r := l.begin("nvmlSystemGetCudaDriverVersion_v2"); r != nvml.Success {
		return 0, r
	}
	return l.machine.CUDA, nvml.Success
}
