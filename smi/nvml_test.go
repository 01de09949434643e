package smi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/nvml/sim"
	"cresset/internal/tenants"
)

// simulate gives the test a machine of its own.
func simulate(t *testing.T, file string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gpus.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(hardware.Variable, path)
	t.Setenv(tenants.Variable, "off")
}

// library is an NVML with so many GPUs that tell their names and their memory and nothing else.
func library(gpus uint32) *nvml.API {
	return &nvml.API{
		Init:          func() nvml.Return { return nvml.Success },
		Shutdown:      func() nvml.Return { return nvml.Success },
		DriverVersion: func() (string, nvml.Return) { return "470.256.02", nvml.Success },
		Count:         func() (uint32, nvml.Return) { return gpus, nvml.Success },
		DeviceByIndex: func(i uint32) (nvml.Device, nvml.Return) { return nvml.Device(i), nvml.Success },
		Name:          func(nvml.Device) (string, nvml.Return) { return "Tesla T4", nvml.Success },
		UUID:          func(nvml.Device) (string, nvml.Return) { return "", nvml.ErrNotSupported },
		PCI:           func(nvml.Device) (nvml.PCI, nvml.Return) { return nvml.PCI{}, nvml.ErrUnknown },
		Memory: func(nvml.Device) (nvml.Memory, nvml.Return) {
			return nvml.Memory{Total: 16, Free: 10, Used: 6}, nvml.Success
		},
	}
}

// TestAbsent: what is not reported is absent and not zero, whether NVML lacks the function or the GPU the value.
func TestAbsent(t *testing.T) {
	want := GPU{Name: "Tesla T4", Memory: Memory{Total: 16, Used: 6, Free: 10}}
	refusing := library(1)
	refusing.Serial = func(nvml.Device) (string, nvml.Return) { return "x", nvml.ErrNotSupported }
	refusing.Utilization = func(nvml.Device) (nvml.Utilization, nvml.Return) { return nvml.Utilization{}, nvml.ErrNotSupported }
	refusing.Power = func(nvml.Device) (uint32, nvml.Return) { return 0, nvml.ErrUnknown }
	refusing.FanSpeed = func(nvml.Device, uint32) (uint32, nvml.Return) { return 0, nvml.ErrNotSupported }
	refusing.PerformanceState = func(nvml.Device) (nvml.PState, nvml.Return) { return nvml.UnknownPState, nvml.Success }
	refusing.ECCMode = func(nvml.Device) (bool, bool, nvml.Return) { return false, false, nvml.ErrNotSupported }
	refusing.ComputeProcesses = func(nvml.Device) ([]nvml.Process, nvml.Return) { return nil, nvml.ErrNoPermission }
	for name, api := range map[string]*nvml.API{"lacking": library(1), "refusing": refusing} {
		inventory, err := (&nvmlSource{api}).read(false)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(inventory.GPUs, []GPU{want}) || inventory.Driver != "470.256.02" || inventory.CUDA != "" {
			t.Errorf("%s: got %+v", name, inventory)
		}
	}
}

func TestProcesses(t *testing.T) {
	api := library(1)
	api.ComputeProcesses = func(nvml.Device) ([]nvml.Process, nvml.Return) {
		return []nvml.Process{
			{PID: 1, Memory: 100, GPUInstance: nvml.NoInstance, ComputeInstance: nvml.NoInstance},
			{PID: 2, Memory: nvml.UnknownMemory, GPUInstance: 3, ComputeInstance: 0},
			{PID: 2, Memory: 5, GPUInstance: 4, ComputeInstance: 0},
		}, nvml.Success
	}
	api.GraphicsProcesses = func(nvml.Device) ([]nvml.Process, nvml.Return) {
		return []nvml.Process{
			{PID: 1, Memory: 100, GPUInstance: nvml.NoInstance, ComputeInstance: nvml.NoInstance},
			{PID: 8, Memory: 0, GPUInstance: nvml.NoInstance, ComputeInstance: nvml.NoInstance},
		}, nvml.Success
	}
	api.ProcessName = func(pid uint32) (string, nvml.Return) {
		if pid == 8 {
			return "", nvml.ErrNotFound // ended between the two calls
		}
		return "python", nvml.Success
	}
	inventory, err := (&nvmlSource{api}).read(false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Process{
		{PID: 1, Type: "C+G", Name: "python", Memory: ptr[uint64](100)},
		{PID: 2, Type: "C", Name: "python", GPUInstance: ptr(3), ComputeInstance: ptr(0)},
		{PID: 2, Type: "C", Name: "python", Memory: ptr[uint64](5), GPUInstance: ptr(4), ComputeInstance: ptr(0)},
		{PID: 8, Type: "G", Memory: ptr[uint64](0)},
	}
	if !reflect.DeepEqual(inventory.GPUs[0].Processes, want) {
		t.Errorf("got %+v", inventory.GPUs[0].Processes)
	}
}

func TestFailures(t *testing.T) {
	lost := library(2)
	lost.Memory = func(dev nvml.Device) (nvml.Memory, nvml.Return) {
		if dev == 1 {
			return nvml.Memory{}, nvml.ErrGPULost
		}
		return nvml.Memory{}, nvml.Success
	}
	forbidden := library(1)
	forbidden.DeviceByIndex = func(uint32) (nvml.Device, nvml.Return) { return 0, nvml.ErrNoPermission }
	broken := library(1)
	broken.Count = func() (uint32, nvml.Return) { return 0, nvml.ErrUnknown }
	for _, tc := range []struct {
		name  string
		api   *nvml.API
		want  error
		words string
	}{
		{"lost", lost, ErrLost, "GPU 1: nvmlDeviceGetMemoryInfo"},
		{"forbidden", forbidden, ErrNoPermission, "GPU 0"},
		{"none", library(0), ErrNoGPU, "found no GPU"},
		{"broken", broken, nvml.ErrUnknown, "list GPUs: nvmlDeviceGetCount"},
	} {
		_, err := (&nvmlSource{tc.api}).read(false)
		var typed *Error
		if !errors.As(err, &typed) || !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: got %v", tc.name, err)
		}
	}
}

// TestEveryCallCanFail: whichever call fails, there is an inventory or a typed error, and what is told besides is whole.
func TestEveryCallCanFail(t *testing.T) {
	m, err := hardware.Preset("a100", 2)
	if err != nil {
		t.Fatal(err)
	}
	needed := []string{"nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetName", "nvmlDeviceGetMemoryInfo_v2"}
	v := reflect.ValueOf(nvml.API{})
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("nvml")
		symbol, _, _ := strings.Cut(strings.TrimSuffix(tag, ",optional"), "|")
		if !ok || symbol == "nvmlInit_v2" {
			continue
		}
		l := sim.New(m, nil)
		if err := l.API.Start(); err != nil {
			t.Fatal(err)
		}
		dltest.Watch(dl.Table{Struct: l.API, Key: "nvml"}).Break(symbol, nvml.ErrUnknown)
		inventory, err := (&nvmlSource{l.API}).read(true)
		var typed *Error
		switch {
		case slices.Contains(needed, symbol):
			if !errors.As(err, &typed) || !errors.Is(err, nvml.ErrUnknown) {
				t.Errorf("%s: got %v", symbol, err)
			}
		case err != nil || len(inventory.GPUs) != 2 || inventory.GPUs[1].Memory.Total != 40960<<20 || inventory.GPUs[1].Details == nil:
			t.Errorf("%s: got %+v, %v", symbol, inventory, err)
		}
	}
}

func TestStartFails(t *testing.T) {
	simulate(t, `{"library": "610.43", "gpus": [{"preset": "t4"}]}`)
	_, err := Take()
	var versions *MismatchError
	if !errors.Is(err, ErrMismatch) || !errors.As(err, &versions) || versions.Library != "610.43" {
		t.Errorf("another version: got %v", err)
	}
	simulate(t, `{"loaded": false, "gpus": [{"preset": "t4"}]}`)
	if _, err := Take(); !errors.Is(err, ErrNoDriver) {
		t.Errorf("no driver: got %v", err)
	}
}

// TestDetails: what a GPU does not report is absent, and what it does is there.
func TestDetails(t *testing.T) {
	simulate(t, `{"driver": "470.256.02", "gpus": [{"preset": "a100", "eccCorrected": 7}, {"preset": "gtx1050", "power": 0, "draw": 0}]}`)
	inventory, err := TakeDetails()
	if err != nil {
		t.Fatal(err)
	}
	a100, note := inventory.GPUs[0].Details, inventory.GPUs[1].Details
	if a100.Architecture != "Ampere" || *a100.Link.Generation != 4 || *a100.Limits.Slowdown != 89 || *a100.Power.Default != 400 || a100.Power.Min != nil ||
		*a100.MaxClocks.SM != 1410 || a100.Remapped == nil || a100.Retired != nil {
		t.Errorf("got %+v", a100)
	}
	if i := slices.IndexFunc(a100.Counts, func(c ErrorCount) bool { return c.Place == "dram" }); i < 0 || *a100.Counts[i].Corrected != 7 {
		t.Errorf("errors: got %+v", a100.Counts)
	}
	if note.Brand != "GeForce" || note.Power.Default != nil || note.Counts != nil || note.Limits.Slowdown != nil || note.Remapped != nil {
		t.Errorf("got %+v", note)
	}
	if quick, err := Take(); err != nil || quick.GPUs[0].Details != nil {
		t.Errorf("Take: got %+v, %v", quick, err)
	}
}

// TestOthersOfLost: one GPU that is lost does not hide the others.
func TestOthersOfLost(t *testing.T) {
	api := library(3)
	api.Name = func(dev nvml.Device) (string, nvml.Return) {
		if dev == 1 {
			return "", nvml.ErrGPULost
		}
		return "Tesla T4", nvml.Success
	}
	inventory, err := (&nvmlSource{api}).read(false)
	if !errors.Is(err, ErrLost) || inventory == nil {
		t.Fatalf("got %v, %v", inventory, err)
	}
	if g := inventory.GPUs; len(g) != 2 || g[0].Index != 0 || g[1].Index != 2 {
		t.Errorf("got %+v", g)
	}
	if want := []Missing{{1, "GPU is lost"}}; !slices.Equal(inventory.Missing, want) {
		t.Errorf("missing: got %+v, want %+v", inventory.Missing, want)
	}
	simulate(t, `{"gpus": [{"preset": "t4"}, {"preset": "t4", "lost": true}]}`)
	if gpus, err := GPUs(); !errors.Is(err, ErrLost) || len(gpus) != 1 {
		t.Errorf("GPUs: got %+v, %v", gpus, err)
	}
}

// TestWatchRecovers has a GPU that is lost for a moment.
func TestWatchRecovers(t *testing.T) {
	opened, closed, looks := 0, 0, 0
	api := library(1)
	api.Shutdown = func() nvml.Return { closed++; return nvml.Success }
	api.Memory = func(nvml.Device) (nvml.Memory, nvml.Return) {
		if looks == 2 {
			return nvml.Memory{}, nvml.ErrGPULost
		}
		return nvml.Memory{}, nvml.Success
	}
	open := func() (source, error) { opened++; return &nvmlSource{api}, nil }
	var failed []int
	for _, err := range watch(context.Background(), time.Microsecond, open, false) {
		if err != nil {
			failed = append(failed, looks)
		}
		if looks++; looks == 5 {
			break
		}
	}
	if !slices.Equal(failed, []int{2}) || opened != 2 || closed != 2 {
		t.Errorf("failed at %v, opened %d times, closed %d times", failed, opened, closed)
	}
}

func TestWatchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looks := 0
	for range watch(ctx, time.Hour, func() (source, error) { return &nvmlSource{library(1)}, nil }, false) {
		looks++
		cancel()
	}
	if looks != 1 {
		t.Errorf("%d looks", looks)
	}
}

// TestWatchHoldsItsMemory refreshes 10,000 times.
func TestWatchHoldsItsMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	looks, start := 0, uint64(0)
	for range watch(context.Background(), time.Nanosecond, func() (source, error) { return &nvmlSource{library(8)}, nil }, false) {
		switch looks++; looks {
		case 100:
			start = heap()
		case 10_000:
			if end := heap(); end > start+1<<20 {
				t.Errorf("from %d to %d bytes", start, end)
			}
			return
		}
	}
}

// TestInstances has a GPU with three slots for instances, the second empty.
func TestInstances(t *testing.T) {
	api := library(1)
	api.MIGMode = func(nvml.Device) (bool, bool, nvml.Return) { return true, true, nvml.Success }
	api.MaxMIGDevices = func(nvml.Device) (uint32, nvml.Return) { return 3, nvml.Success }
	api.MIGDevice = func(_ nvml.Device, i uint32) (nvml.Device, nvml.Return) {
		if i == 1 {
			return 0, nvml.ErrNotFound
		}
		return nvml.Device(100 + i), nvml.Success
	}
	api.Name = func(nvml.Device) (string, nvml.Return) { return "NVIDIA A100-SXM4-40GB MIG 1g.5gb", nvml.Success }
	api.UUID = func(dev nvml.Device) (string, nvml.Return) { return fmt.Sprintf("MIG-%d", dev), nvml.Success }
	api.GPUInstance = func(dev nvml.Device) (uint32, nvml.Return) { return uint32(dev) - 93, nvml.Success }
	inventory, err := (&nvmlSource{api}).read(false)
	if err != nil {
		t.Fatal(err)
	}
	m := &Memory{Total: 16, Used: 6, Free: 10}
	want := []Instance{
		{Index: 0, Name: "1g.5gb", UUID: "MIG-100", GPUInstance: 7, Memory: m}, {Index: 2, Name: "1g.5gb", UUID: "MIG-102", GPUInstance: 9, Memory: m},
	}
	if got := inventory.GPUs[0].Instances; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestTakeSimulated(t *testing.T) {
	simulate(t, `{"driver": "535.183.01", "cuda": "12.2", "gpus": [{"preset": "gtx1070", "used": "1GiB",
		"processes": [{"pid": 7, "type": "C+G", "name": "blender", "memory": "1GiB"}]}]}`)
	inventory, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	g := inventory.GPUs[0]
	if inventory.Source != NVML || !inventory.Simulated || inventory.Driver != "535.183.01" || inventory.CUDA != "12.2" || len(inventory.GPUs) != 1 {
		t.Errorf("got %+v", inventory)
	}
	if g.Name != "NVIDIA GeForce GTX 1070" || g.Memory.Used != gibibyte || g.Fan == nil || *g.Fan != 0 || g.ECC != nil {
		t.Errorf("got %+v", g)
	}
	if want := []Process{{PID: 7, Type: "C+G", Name: "blender", Memory: ptr[uint64](gibibyte)}}; !reflect.DeepEqual(g.Processes, want) {
		t.Errorf("got %+v", g.Processes)
	}
}

func TestDriverSource(t *testing.T) {
	simulate(t, `{"gpus": [{"preset": "t4", "bus": "00000000:0B:00.0", "used": "1GiB"}, {"preset": "a100", "bus": "00000000:0A:00.0"}]}`)
	s, err := openDriver()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	inventory, err := s.read(false)
	if err != nil {
		t.Fatal(err)
	}
	g := inventory.GPUs[1]
	if inventory.Source != Driver || inventory.GPUs[0].BusID != "00000000:0A:00.0" || g.BusID != "00000000:0B:00.0" || g.Index != 1 {
		t.Errorf("got %+v", inventory)
	}
	if g.Memory.Used < gibibyte || g.Memory.Used+g.Memory.Free != g.Memory.Total || g.Capability != "7.5" || g.Utilization != nil {
		t.Errorf("got %+v", g)
	}
}

// BenchmarkTake opens a simulated NVML, as a command does at its start.
func BenchmarkTake(b *testing.B) {
	b.Setenv(tenants.Variable, "off")
	b.Setenv(hardware.Variable, "8")
	for b.Loop() {
		if _, err := Take(); err != nil {
			b.Fatal(err)
		}
	}
}
