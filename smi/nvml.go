package smi

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"cresset/internal/nvml"
	"cresset/internal/nvml/open"
)

// nvmlSource is NVML, started.
type nvmlSource struct{ api *nvml.API }

func openNVML() (source, error) {
	api, err := open.Library()
	if err == nil {
		err = api.Start()
	}
	if err == nil {
		return &nvmlSource{api}, nil
	}
	if _, missing := errors.AsType[*nvml.LibraryError](err); missing {
		return nil, &Error{ErrNoLibrary, err}
	}
	if _, lacks := errors.AsType[*nvml.SymbolError](err); lacks {
		return nil, &Error{ErrTooOld, err}
	}
	return nil, &Error{reason(err), withVersion(api, err)}
}

// withVersion adds the library's version to an error where that is another than the driver's. It can be asked for without a
// driver; CUDA's stands before it: 13.610.43.
func withVersion(api *nvml.API, err error) error {
	if !errors.Is(err, nvml.ErrVersionMismatch) || api.NVMLVersion == nil {
		return err
	}
	version, r := api.NVMLVersion()
	if _, own, ok := strings.Cut(version, "."); r == nvml.Success && ok {
		return &MismatchError{own, err}
	}
	return err
}

// reason returns the error of this package that says what one of NVML's does.
func reason(err error) error {
	for r, reason := range map[nvml.Return]error{
		nvml.ErrLibraryNotFound: ErrNoLibrary, nvml.ErrDriverNotLoaded: ErrNoDriver,
		nvml.ErrVersionMismatch: ErrMismatch, nvml.ErrGPULost: ErrLost, nvml.ErrGPUNotFound: ErrNoGPU, nvml.ErrNoPermission: ErrNoPermission,
	} {
		if errors.Is(err, r) {
			return reason
		}
	}
	return nil
}

func (s *nvmlSource) close() { s.api.Shutdown() }

// read describes every GPU that answers. Where one does not, the error of the first such GPU comes with the others.
func (s *nvmlSource) read(details bool) (*Inventory, error) {
	n, r := s.api.Count()
	if r != nvml.Success {
		return nil, &Error{reason(r), s.api.Err("nvmlDeviceGetCount", r)}
	}
	if n == 0 {
		return nil, &Error{ErrNoGPU, nil}
	}
	inventory := &Inventory{Time: time.Now(), Source: NVML, Simulated: s.api.Simulated, CUDA: s.cuda()}
	if version, r := s.api.DriverVersion(); r == nvml.Success {
		inventory.Driver = version
	}
	var failed error
	for i := range n {
		g, dev, err := s.gpu(i)
		if err != nil {
			failed = cmp.Or(failed, err)
			inventory.Missing = append(inventory.Missing, Missing{int(i), words(err)})
			continue
		}
		if details {
			g.Details = s.details(dev)
		}
		inventory.GPUs = append(inventory.GPUs, g)
	}
	return inventory, failed
}

// words returns what NVML says of a failure.
func words(err error) string {
	if call, ok := errors.AsType[*nvml.CallError](err); ok {
		return call.Text
	}
	return err.Error()
}

func (s *nvmlSource) cuda() string {
	if s.api.CUDADriverVersion == nil {
		return ""
	}
	version, r := s.api.CUDADriverVersion()
	if r != nvml.Success {
		return ""
	}
	return fmt.Sprintf("%d.%d", version/1000, version%1000/10)
}

// gpu describes a GPU. It fails where that is lost, or tells neither its name nor its memory; everything else may be absent.
func (s *nvmlSource) gpu(index uint32) (GPU, nvml.Device, error) {
	fail := func(symbol string, r nvml.Return) (GPU, nvml.Device, error) {
		return GPU{}, 0, &Error{reason(r), fmt.Errorf("GPU %d: %w", index, s.api.Err(symbol, r))}
	}
	dev, r := s.api.DeviceByIndex(index)
	if r != nvml.Success {
		return fail("nvmlDeviceGetHandleByIndex", r)
	}
	g := GPU{Index: int(index)}
	if g.Name, r = s.api.Name(dev); r != nvml.Success {
		return fail("nvmlDeviceGetName", r)
	}
	m, r := s.api.Memory(dev)
	if r != nvml.Success {
		return fail("nvmlDeviceGetMemoryInfo", r)
	}
	g.Memory = memory(m)
	g.BAR1 = s.bar1(dev)
	s.identity(&g, dev)
	s.load(&g, dev)
	s.modes(&g, dev)
	g.Instances = s.instances(dev)
	g.Processes = s.processes(dev)
	return g, dev, nil
}

func memory(m nvml.Memory) Memory {
	told := Memory{Total: m.Total, Used: m.Used, Free: m.Free}
	if m.Reserves {
		told.Reserved = &m.Reserved
	}
	return told
}

func (s *nvmlSource) memory(dev nvml.Device) *Memory { return tell(s.api.Memory, dev, memory) }

func (s *nvmlSource) bar1(dev nvml.Device) *Memory {
	return tell(s.api.BAR1, dev, func(b nvml.BAR1) Memory { return Memory{Total: b.Total, Used: b.Used, Free: b.Free} })
}

// tell asks for what a GPU may not report.
func tell[T, V any](field func(nvml.Device) (T, nvml.Return), dev nvml.Device, convert func(T) V) *V {
	value, r := nvml.Ask(field, dev)
	if r != nvml.Success {
		return nil
	}
	converted := convert(value)
	return &converted
}

// tellFor is tell for fields that take one more argument.
func tellFor[A, T, V any](field func(nvml.Device, A) (T, nvml.Return), dev nvml.Device, a A, convert func(T) V) *V {
	ask := func(dev nvml.Device) (T, nvml.Return) { return nvml.AskFor(field, dev, a) }
	return tell(ask, dev, convert)
}

func whole[N ~int32 | ~uint32](n N) int { return int(n) }
func fromMilli(n uint32) float64        { return float64(n) / 1000 }
func same[T any](value T) T             { return value }

func (s *nvmlSource) identity(g *GPU, dev nvml.Device) {
	g.UUID, _ = s.api.UUID(dev)
	if pci, r := s.api.PCI(dev); r == nvml.Success {
		g.BusID = pci.BusID
	}
	if serial := tell(s.api.Serial, dev, same[string]); serial != nil {
		g.Serial = *serial
	}
	if s.api.ComputeCapability != nil {
		if major, minor, r := s.api.ComputeCapability(dev); r == nvml.Success {
			g.Capability = fmt.Sprintf("%d.%d", major, minor)
		}
	}
}

func (s *nvmlSource) load(g *GPU, dev nvml.Device) {
	if u := tell(s.api.Utilization, dev, same[nvml.Utilization]); u != nil {
		g.Utilization, g.MemoryBusy = &u.GPU, &u.Memory
	}
	g.Temperature = tell(s.api.Temperature, dev, whole)
	g.Power = tell(s.api.Power, dev, fromMilli)
	g.PowerLimit = tell(s.api.PowerLimit, dev, fromMilli)
	g.Fan = tellFor(s.api.FanSpeed, dev, 0, whole)
	g.Clock = tellFor(s.api.Clock, dev, nvml.ClockSM, whole)
	g.MemoryClock = tellFor(s.api.Clock, dev, nvml.ClockMemory, whole)
	if g.PState = tell(s.api.PerformanceState, dev, whole); g.PState != nil && *g.PState == int(nvml.UnknownPState) {
		g.PState = nil
	}
}

func (s *nvmlSource) modes(g *GPU, dev nvml.Device) {
	g.Persistence = tell(s.api.PersistenceMode, dev, same[bool])
	g.Display = tell(s.api.DisplayActive, dev, same[bool])
	if n := tell(s.api.ComputeMode, dev, whole); n != nil {
		g.ComputeMode = computeMode(*n)
	}
	g.ECC, _ = modes(s.api.ECCMode, dev)
	g.MIG, _ = modes(s.api.MIGMode, dev)
	if s.api.ECCErrors != nil {
		if n, r := s.api.ECCErrors(dev, nvml.ECCUncorrected, nvml.ECCVolatile); r == nvml.Success {
			g.ECCErrors = &n
		}
	}
}

// modes asks for a mode that changes with the next reboot, as it is now and as it will be.
func modes(field func(nvml.Device) (now, next bool, r nvml.Return), dev nvml.Device) (now, next *bool) {
	if field == nil {
		return nil, nil
	}
	current, pending, r := field(dev)
	if r != nvml.Success {
		return nil, nil
	}
	return &current, &pending
}

// processes lists who computes and who draws on a GPU. Who does both is in both of NVML's lists, and once in ours. A process
// that has ended since has no name.
func (s *nvmlSource) processes(dev nvml.Device) []Process {
	var all []Process
	type place struct{ pid, gpuInstance, computeInstance uint32 }
	at := map[place]int{}
	for _, list := range []struct {
		kind  string
		field func(nvml.Device) ([]nvml.Process, nvml.Return)
	}{{"C", s.api.ComputeProcesses}, {"G", s.api.GraphicsProcesses}} {
		found, r := nvml.Ask(list.field, dev)
		if r != nvml.Success {
			continue
		}
		for _, p := range found {
			key := place{p.PID, p.GPUInstance, p.ComputeInstance}
			if i, ok := at[key]; ok {
				if all[i].Type != list.kind {
					all[i].Type = "C+G"
				}
				continue
			}
			at[key] = len(all)
			all = append(all, s.process(p, list.kind))
		}
	}
	return all
}

func (s *nvmlSource) process(p nvml.Process, kind string) Process {
	process := Process{PID: int(p.PID), Type: kind}
	if p.Memory != nvml.UnknownMemory {
		process.Memory = &p.Memory
	}
	if p.GPUInstance != nvml.NoInstance {
		g, c := int(p.GPUInstance), int(p.ComputeInstance)
		process.GPUInstance, process.ComputeInstance = &g, &c
	}
	if s.api.ProcessName != nil {
		if name, r := s.api.ProcessName(p.PID); r == nvml.Success {
			process.Name = name
		}
	}
	return process
}
