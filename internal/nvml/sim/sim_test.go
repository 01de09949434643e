package sim

import (
	"reflect"
	"strings"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/tenants"
)

// start returns a started library of the machine that text describes.
func start(t *testing.T, text string) *Library {
	t.Helper()
	m, err := hardware.Read("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l := New(m, nil)
	if err := l.API.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

func preset(t *testing.T, name string, n int) *Library {
	t.Helper()
	m, err := hardware.Preset(name, n)
	if err != nil {
		t.Fatal(err)
	}
	l := New(m, nil)
	if err := l.API.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

func device(t *testing.T, l *Library, index uint32) nvml.Device {
	t.Helper()
	dev, r := l.API.DeviceByIndex(index)
	if r != nvml.Success {
		t.Fatal(r)
	}
	return dev
}

func two[A, B any](a A, b B) []any { return []any{a, b} }

// old is the machine of the first note.
const old = `{"driver": "418.67", "cuda": "10.1", "gpus": [
	{"preset": "gtx1050", "name": "GeForce GTX 1050", "used": "1670MiB", "power": 0, "draw": 0, "performance": "P0",
	 "processes": [{"pid": 1572, "type": "G", "name": "/usr/lib/xorg/Xorg", "memory": "601MiB"},
	               {"pid": 9, "type": "C+G", "name": "both", "memory": "1MiB"}]}]}`

func TestOldDriver(t *testing.T) {
	l := start(t, old)
	a, dev := l.API, device(t, l, 0)
	for name, tc := range map[string]struct{ got, want []any }{
		"driver":      {two(a.DriverVersion()), two("418.67", nvml.Success)},
		"nvml":        {two(a.NVMLVersion()), two("10.418.67", nvml.Success)},
		"cuda":        {two(a.CUDADriverVersion()), two(int32(10010), nvml.Success)},
		"name":        {two(a.Name(dev)), two("GeForce GTX 1050", nvml.Success)},
		"memory":      {two(a.Memory(dev)), two(nvml.Memory{Total: 4042 << 20, Used: 1670 << 20, Free: 2372 << 20}, nvml.Success)},
		"fan":         {two(a.FanSpeed(dev, 0)), two(uint32(0), nvml.ErrNotSupported)},
		"temperature": {two(a.Temperature(dev)), two(int32(42), nvml.Success)},
		"state":       {two(a.PerformanceState(dev)), two(nvml.PState(0), nvml.Success)},
		"power":       {two(a.Power(dev)), two(uint32(0), nvml.ErrNotSupported)},
		"limit":       {two(a.PowerLimit(dev)), two(uint32(0), nvml.ErrNotSupported)},
		"display":     {two(a.DisplayActive(dev)), two(false, nvml.Success)},
		"mode":        {two(a.ComputeMode(dev)), two(nvml.ComputeDefault, nvml.Success)},
		"utilization": {two(a.Utilization(dev)), two(nvml.Utilization{}, nvml.Success)},
		"process":     {two(a.ProcessName(1572)), two("/usr/lib/xorg/Xorg", nvml.Success)},
		"gone":        {two(a.ProcessName(1)), two("", nvml.ErrNotFound)},
		"fans":        {two(nvml.Ask(a.Fans, dev)), two(uint32(0), nvml.ErrFunctionNotFound)},
		"computing": {two(a.ComputeProcesses(dev)), two([]nvml.Process{
			{PID: 9, Memory: 1 << 20, GPUInstance: nvml.NoInstance, ComputeInstance: nvml.NoInstance}}, nvml.Success)},
	} {
		if !reflect.DeepEqual(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if _, _, r := a.ECCMode(dev); !r.Absent() {
		t.Errorf("ECC: got %v", r)
	}
	if drawing, _ := a.GraphicsProcesses(dev); len(drawing) != 2 {
		t.Errorf("drawing: got %v", drawing)
	}
	if a.MIGMode != nil || a.Architecture != nil {
		t.Error("the driver is too old to know MIG and architectures")
	}
}

func TestServer(t *testing.T) {
	l := start(t, `{"gpus": [{"preset": "a100", "reserved": "600MiB", "used": "1GiB", "eccUncorrected": 3, "serial": "1320021000001",
		"utilization": 90, "memoryUtilization": 40, "fan": 33, "fans": 2, "persistence": true, "computeMode": "Exclusive_Process"},
		{"preset": "a100"}], "peers": [[false, true], [true, false]]}`)
	a, dev, other := l.API, device(t, l, 0), device(t, l, 1)
	for name, tc := range map[string]struct{ got, want []any }{
		"memory": {two(a.Memory(dev)), two(nvml.Memory{
			Total: 40960 << 20, Used: 1 << 30, Free: (40960 - 600 - 1024) << 20, Reserved: 600 << 20, Reserves: true}, nvml.Success)},
		"serial":       {two(a.Serial(dev)), two("1320021000001", nvml.Success)},
		"no serial":    {two(a.Serial(other)), two("", nvml.ErrNotSupported)},
		"errors":       {two(a.ECCErrors(dev, nvml.ECCUncorrected, nvml.ECCVolatile)), two(uint64(3), nvml.Success)},
		"utilization":  {two(a.Utilization(dev)), two(nvml.Utilization{GPU: 90, Memory: 40}, nvml.Success)},
		"busy state":   {two(a.PerformanceState(dev)), two(nvml.PState(0), nvml.Success)},
		"idle state":   {two(a.PerformanceState(other)), two(nvml.PState(8), nvml.Success)},
		"busy clock":   {two(a.Clock(dev, nvml.ClockSM)), two(uint32(1410), nvml.Success)},
		"idle clock":   {two(a.Clock(other, nvml.ClockSM)), two(uint32(210), nvml.Success)},
		"idle":         {two(a.ClockReasons(other)), two(uint64(1), nvml.Success)},
		"fans":         {two(a.Fans(dev)), two(uint32(2), nvml.Success)},
		"fan":          {two(a.FanSpeed(dev, 1)), two(uint32(33), nvml.Success)},
		"third fan":    {two(a.FanSpeed(dev, 2)), two(uint32(0), nvml.ErrInvalidArgument)},
		"no fan":       {two(a.FanSpeed(other, 0)), two(uint32(0), nvml.ErrNotSupported)},
		"power":        {two(a.Power(dev)), two(uint32(45000), nvml.Success)},
		"limit":        {two(a.PowerLimit(dev)), two(uint32(400000), nvml.Success)},
		"persistence":  {two(a.PersistenceMode(dev)), two(true, nvml.Success)},
		"mode":         {two(a.ComputeMode(dev)), two(nvml.ComputeExclusiveProcess, nvml.Success)},
		"brand":        {two(a.Brand(dev)), two(uint32(14), nvml.Success)},
		"architecture": {two(a.Architecture(dev)), two(uint32(7), nvml.Success)},
		"bar1":         {two(a.BAR1(dev)), two(nvml.BAR1{Total: 64 << 30, Used: 1 << 20, Free: 64<<30 - 1<<20}, nvml.Success)},
		"slowdown":     {two(a.TemperatureThreshold(dev, nvml.ThresholdSlowdown)), two(uint32(89), nvml.Success)},
		"generation":   {two(a.LinkGeneration(dev)), two(uint32(4), nvml.Success)},
		"MIG devices":  {two(a.MIGDevice(dev, 0)), two(nvml.Device(0), nvml.ErrNotFound)},
	} {
		if !reflect.DeepEqual(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if now, next, r := a.MIGMode(dev); now || next || r != nvml.Success {
		t.Errorf("MIG mode: got %v, %v, %v", now, next, r)
	}
}

// TestFinding: NVML counts by places on the bus, however a file lists the GPUs.
func TestFinding(t *testing.T) {
	l := start(t, `{"gpus": [{"preset": "t4", "bus": "00000000:81:00.0"}, {"preset": "gtx1070", "bus": "00000000:04:00.0"}]}`)
	a, first := l.API, device(t, l, 0)
	if got, _ := a.Name(first); got != "NVIDIA GeForce GTX 1070" {
		t.Errorf("the first on the bus: got %s", got)
	}
	for name, tc := range map[string]struct{ got, want []any }{
		"short bus":     {two(a.DeviceByPCIBusID("0000:04:00.0")), two(first, nvml.Success)},
		"long bus":      {two(a.DeviceByPCIBusID("00000000:04:00.0")), two(first, nvml.Success)},
		"empty place":   {two(a.DeviceByPCIBusID("0000:05:00.0")), two(nvml.Device(0), nvml.ErrNotFound)},
		"no place":      {two(a.DeviceByPCIBusID("four")), two(nvml.Device(0), nvml.ErrInvalidArgument)},
		"past the last": {two(a.DeviceByIndex(2)), two(nvml.Device(0), nvml.ErrInvalidArgument)},
		"bad handle":    {two(a.Name(1)), two("", nvml.ErrInvalidArgument)},
	} {
		if !reflect.DeepEqual(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if p, _ := a.PCI(first); p.BusID != "00000000:04:00.0" || p.Bus != 4 {
		t.Errorf("PCI: got %+v", p)
	}
}

func TestStartFails(t *testing.T) {
	for text, want := range map[string]nvml.Return{
		`{"driver": "550.127.05", "cuda": "12.4", "loaded": false, "gpus": []}`:         nvml.ErrDriverNotLoaded,
		`{"driver": "550.127.05", "cuda": "12.4", "library": "550.163.01", "gpus": []}`: nvml.ErrVersionMismatch,
	} {
		m, err := hardware.Read("test.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		a := New(m, nil).API
		if err, ok := a.Start().(*nvml.InitError); !ok || err.Return != want {
			t.Errorf("got %v, want %v", err, want)
		}
		if _, r := a.Count(); r != nvml.ErrUninitialized {
			t.Errorf("count: got %v", r)
		}
	}
}

func TestShutdown(t *testing.T) {
	l := preset(t, "t4", 1)
	if r := l.API.Shutdown(); r != nvml.Success {
		t.Error(r)
	}
	if r := l.API.Shutdown(); r != nvml.ErrUninitialized {
		t.Errorf("again: got %v", r)
	}
}

func TestLostGPU(t *testing.T) {
	l := preset(t, "t4", 2)
	first, second := device(t, l, 0), device(t, l, 1)
	l.gpus[0].lost = true
	if _, r := l.API.Memory(first); r != nvml.ErrGPULost {
		t.Errorf("got %v", r)
	}
	if _, r := l.API.DeviceByIndex(0); r != nvml.ErrGPULost {
		t.Errorf("its handle: got %v", r)
	}
	if _, r := l.API.Memory(second); r != nvml.Success {
		t.Errorf("the other one: got %v", r)
	}
	if n, r := l.API.Count(); n != 2 || r != nvml.Success {
		t.Errorf("got %d, %v: a lost one keeps its number", n, r)
	}
	from := start(t, `{"gpus": [{"preset": "t4", "lost": true}]}`)
	if _, r := from.API.DeviceByIndex(0); r != nvml.ErrGPULost {
		t.Errorf("from a file: got %v", r)
	}
}

func TestWindows(t *testing.T) {
	l := start(t, `{"wddm": true, "gpus": [{"preset": "t4", "processes": [{"pid": 7, "name": "x", "memory": "1MiB"}]}]}`)
	if all, _ := l.API.ComputeProcesses(device(t, l, 0)); len(all) != 1 || all[0].Memory != nvml.UnknownMemory {
		t.Errorf("got %v", all)
	}
}

func TestTenants(t *testing.T) {
	folder := t.TempDir()
	m, err := hardware.Preset("a100", 2)
	if err != nil {
		t.Fatal(err)
	}
	l := New(m, tenants.Join(folder))
	if err := l.API.Start(); err != nil {
		t.Fatal(err)
	}
	err = tenants.Join(folder).Publish([]tenants.Usage{{UUID: m.GPUs[1].UUID, Memory: 3 << 30, Utilization: 50}, {UUID: "GPU-other", Memory: 1}})
	if err != nil {
		t.Fatal(err)
	}
	a, idle, busy := l.API, device(t, l, 0), device(t, l, 1)
	if mem, _ := a.Memory(busy); mem.Used != 3<<30 || mem.Free != 37<<30 {
		t.Errorf("memory: got %+v", mem)
	}
	if u, _ := a.Utilization(busy); u.GPU != 50 {
		t.Errorf("utilization: got %v", u)
	}
	if p, _ := a.Power(busy); p != (45+(400-45)/2)*1000+500 {
		t.Errorf("power: got %d", p)
	}
	all, _ := a.ComputeProcesses(busy)
	if len(all) != 1 || all[0].Memory != 3<<30 {
		t.Fatalf("processes: got %v", all)
	}
	if name, r := a.ProcessName(all[0].PID); !strings.HasSuffix(name, ".test") && !strings.HasSuffix(name, ".test.exe") || r != nvml.Success {
		t.Errorf("its name: got %q, %v", name, r)
	}
	if mem, _ := a.Memory(idle); mem.Used != 0 {
		t.Errorf("the other GPU: got %+v", mem)
	}
	if all, _ := a.ComputeProcesses(idle); len(all) > 0 {
		t.Errorf("processes of the other GPU: got %v", all)
	}
}

// BenchmarkRound is what a table of eight GPUs asks.
func BenchmarkRound(b *testing.B) {
	m, err := hardware.Preset("h100", 8)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		a := New(m, tenants.Join(b.TempDir())).API
		if err := a.Start(); err != nil {
			b.Fatal(err)
		}
		for i := range uint32(8) {
			dev, _ := a.DeviceByIndex(i)
			a.Memory(dev)
			a.Utilization(dev)
			a.Power(dev)
			a.ComputeProcesses(dev)
		}
	}
}
