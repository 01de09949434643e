//go:build !nocuda

package nvml

import (
	"reflect"
	"strings"
	"testing"
)

// answers is what a call returned, but for its Return, and that Return.
func answers(values ...any) []any { return values }

func TestCalls(t *testing.T) {
	api := load(t)
	dev := stubDevice
	for name, tc := range map[string]struct{ got, want []any }{
		"driver":       {two(api.DriverVersion()), answers("470.256.02", Success)},
		"nvml":         {two(api.NVMLVersion()), answers("11.470.256.02", Success)},
		"cuda":         {two(api.CUDADriverVersion()), answers(int32(11040), Success)},
		"process":      {two(api.ProcessName(1572)), answers("/usr/lib/xorg/Xorg", Success)},
		"gone":         {two(api.ProcessName(1)), answers("", ErrNotFound)},
		"count":        {two(api.Count()), answers(uint32(2), Success)},
		"by index":     {two(api.DeviceByIndex(1)), answers(dev, Success)},
		"bad index":    {two(api.DeviceByIndex(7)), answers(Device(0), ErrInvalidArgument)},
		"by bus":       {two(api.DeviceByPCIBusID("0000:02:00.0")), answers(dev, Success)},
		"endless name": {two(api.Name(dev)), answers(strings.Repeat("x", 96), Success)},
		"UUID":         {two(api.UUID(dev)), answers("GPU-1", Success)},
		"serial":       {two(api.Serial(dev)), answers("", ErrNotSupported)},
		"minor":        {two(api.MinorNumber(dev)), answers(uint32(3), Success)},
		"bad device":   {two(api.MinorNumber(1)), answers(uint32(0), ErrInvalidArgument)},
		"memory":       {two(api.Memory(dev)), answers(Memory{100, 55, 40, 5, true}, Success)},
		"bar1":         {two(api.BAR1(dev)), answers(BAR1{256, 250, 6}, Success)},
		"utilization":  {two(api.Utilization(dev)), answers(Utilization{97, 12}, Success)},
		"pci":          {two(api.PCI(dev)), answers(PCI{"00000000:02:00.0", 0, 2, 0, 0x1c8d10de, 5}, Success)},
		"temperature":  {two(api.Temperature(dev)), answers(int32(-3), Success)},
		"slowdown":     {two(api.TemperatureThreshold(dev, ThresholdSlowdown)), answers(uint32(93), Success)},
		"power":        {two(api.Power(dev)), answers(uint32(0), ErrGPULost)},
		"fan":          {two(api.FanSpeed(dev, 1)), answers(uint32(31), Success)},
		"state":        {two(api.PerformanceState(dev)), answers(PState(8), Success)},
		"clock":        {two(api.Clock(dev, ClockMemory)), answers(uint32(405), Success)},
		"max clock":    {two(api.MaxClock(dev, ClockSM)), answers(uint32(1455), Success)},
		"reasons":      {two(api.ClockReasons(dev)), answers(uint64(1<<40), Success)},
		"persistence":  {two(api.PersistenceMode(dev)), answers(true, Success)},
		"compute mode": {two(api.ComputeMode(dev)), answers(ComputeExclusiveProcess, Success)},
		"ecc":          {two(api.ECCErrors(dev, ECCUncorrected, ECCVolatile)), answers(uint64(9), Success)},
		"throughput":   {two(api.LinkThroughput(dev, PCIeReceived)), answers(uint32(77), Success)},
		"mig":          {two(api.MIGDevice(dev, 2)), answers(Device(0xE2), Success)},
		"instance":     {two(api.GPUInstance(0xE2)), answers(uint32(11), Success)},
		"attributes":   {two(api.Attributes(0xE2)), answers(Attributes{Multiprocessors: 14, Copy: 1, Decoders: 2, Encoders: 3, JPEG: 4, OpticalFlow: 5}, Success)},
		"VBIOS":        {two(api.VBIOS(dev)), answers("86.07.39.00.1C", Success)},
		"usual limit":  {two(api.PowerDefault(dev)), answers(uint32(75000), Success)},
		"set clock":    {two(api.ApplicationsClock(dev, ClockGraphics)), answers(uint32(1354), Success)},
		"best link":    {two(api.MaxGeneration(dev)), answers(uint32(3), Success)},
		"errors at":    {two(api.ECCErrorsAt(dev, ECCUncorrected, ECCAggregate, ECCDRAM)), answers(uint64(4), Success)},
		"pages":        {two(api.RetiredPages(dev, RetiredSingleBit)), answers(3, Success)},
		"no pages":     {two(api.RetiredPages(dev, RetiredDoubleBit)), answers(0, Success)},
		"rows":         {two(api.RemappedRows(dev)), answers(RemappedRows{1, 2, true, false}, Success)},
		"absent field": {two(Ask(api.LinkWidth, dev)), answers(uint32(0), ErrFunctionNotFound)},
		"asked":        {two(Ask(api.Index, dev)), answers(uint32(1), Success)},
		"asked for":    {two(AskFor(api.Clock, dev, ClockMemory)), answers(uint32(405), Success)},
	} {
		if !reflect.DeepEqual(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if major, minor, r := api.ComputeCapability(dev); major != 6 || minor != 1 || r != Success {
		t.Errorf("capability: got %d.%d, %v", major, minor, r)
	}
	if now, next, r := api.ECCMode(dev); now || !next || r != Success {
		t.Errorf("ECC mode: got %v, %v, %v", now, next, r)
	}
	if percent, period, r := api.Encoder(dev); percent != 21 || period != 167000 || r != Success {
		t.Errorf("encoder: got %d%% of %d us, %v", percent, period, r)
	}
	if least, most, r := api.PowerRange(dev); least != 52500 || most != 75000 || r != Success {
		t.Errorf("power range: got %d to %d, %v", least, most, r)
	}
	if got := api.ErrorString(ErrGPULost); got != ErrGPULost.Text() {
		t.Errorf("error string: got %q", got)
	}
	if got := api.ErrorString(ErrUnknown); got != "" {
		t.Errorf("error string of none: got %q", got)
	}
	if r := api.Shutdown(); r != Success {
		t.Errorf("shutdown: got %v", r)
	}
}

func two[A, B any](a A, b B) []any { return []any{a, b} }

// TestProcesses asks while more processes start.
func TestProcesses(t *testing.T) {
	api := load(t)
	got, r := api.ComputeProcesses(stubDevice)
	if r != Success || len(got) != 40 {
		t.Fatalf("got %d processes, %v", len(got), r)
	}
	if want := (Process{40, 1024 * 39, NoInstance, 39}); got[39] != want {
		t.Errorf("got %v, want %v", got[39], want)
	}
	if got, r := api.GraphicsProcesses(stubDevice); len(got) != 0 || r != Success {
		t.Errorf("none: got %v, %v", got, r)
	}
}

// TestOldLibrary has only the first versions of the calls.
func TestOldLibrary(t *testing.T) {
	api := load(t, "-DOLD")
	dev := stubDevice
	if got, r := api.Memory(dev); got != (Memory{Total: 100, Free: 60, Used: 40}) || r != Success {
		t.Errorf("memory: got %+v, %v", got, r)
	}
	if got, r := api.PCI(dev); got.BusID != "00000000:02:00.0" || r != Success {
		t.Errorf("PCI: got %+v, %v", got, r)
	}
	if got, r := api.Temperature(dev); got != 42 || r != Success {
		t.Errorf("temperature: got %d, %v", got, r)
	}
	if got, r := api.FanSpeed(dev, 0); got != 30 || r != Success {
		t.Errorf("fan: got %d, %v", got, r)
	}
	if _, r := api.FanSpeed(dev, 1); r != ErrInvalidArgument {
		t.Errorf("second fan: got %v", r)
	}
	if got, r := api.ClockReasons(dev); got != 1<<40 || r != Success {
		t.Errorf("clock reasons: got %d, %v", got, r)
	}
	want := []Process{{7, 70, NoInstance, NoInstance}, {8, UnknownMemory, NoInstance, NoInstance}}
	if got, r := api.ComputeProcesses(dev); !reflect.DeepEqual(got, want) || r != Success {
		t.Errorf("processes: got %v, %v", got, r)
	}
}

// TestHalfNewLibrary exports a version that it does not know for its driver.
func TestHalfNewLibrary(t *testing.T) {
	if got, r := load(t, "-DHALF").Memory(stubDevice); got != (Memory{Total: 100, Free: 60, Used: 40}) || r != Success {
		t.Errorf("got %+v, %v", got, r)
	}
}
