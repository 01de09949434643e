package cuda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/driver"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
)

// TestBusyDevice: a GPU that another program has for itself is told of, and can be used once it is free.
func TestBusyDevice(t *testing.T) {
	m, d := simulated(t, nil)
	dltest.Watch(dl.Table{Struct: d.API, Key: "cu"}).Fail("cuDevicePrimaryCtxRetain", 0, driver.ErrDeviceUnavailable)
	_, err := program(m)
	var e *Error
	if !errors.As(err, &e) || e.Result != driver.ErrDeviceUnavailable || !strings.Contains(e.Hint(), "another program has it for itself") {
		t.Fatalf("got %v", err)
	}
	if sum, err := program(m); err != nil || string(sum) != string(twice) {
		t.Errorf("once it is free: got %v, %v", sum, err)
	}
}

// TestMemoryOutsideTheAllocator: a driver that finds no memory for code, a launch, one with attributes, an event or pinned memory is asked again when cached
// segments were given back; if that does not help, the error is one of memory.
func TestMemoryOutsideTheAllocator(t *testing.T) {
	adds := func(m *machine) error {
		sum, err := program(m)
		if err == nil && string(sum) != string(twice) {
			t.Errorf("got %v", sum)
		}
		return err
	}
	early := func(m *machine) error { // as kernels for 9.0 start
		d, err := m.at(0)
		if err != nil {
			return err
		}
		one := [3]uint32{1, 1, 1}
		return launch(d, kernel("add_f32"), kernels.Grid{Blocks: one, Threads: one, Programmatic: true}, &kernels.Elementwise{})
	}
	for symbol, run := range map[string]func(*machine) error{
		"cuModuleLoadData*": adds, "cuModuleGetFunction": adds, "cuLaunchKernel": adds, "cuLaunchKernelEx": early, "cuEventCreate": adds, "cuMemHostAlloc": adds,
	} {
		for _, forever := range []bool{false, true} {
			m, s := simulated(t, nil)
			d, err := m.at(0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.at(1); err != nil {
				t.Fatal(err)
			}
			b, err := d.Alloc(1 << 30)
			if err != nil {
				t.Fatal(err)
			}
			d.Free(b)
			spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
			if forever {
				spy.Break(symbol, driver.ErrOutOfMemory)
			} else {
				spy.Fail(symbol, 0, driver.ErrOutOfMemory)
			}
			err = run(m)
			if reserved := d.Stats().ReservedBytes[All].Current; reserved >= 1<<30 {
				t.Errorf("%s: %d bytes are still reserved", symbol, reserved)
			}
			switch {
			case !forever && err != nil:
				t.Errorf("%s: got %v", symbol, err)
			case forever && !errors.Is(err, mem.ErrOutOfMemory):
				t.Errorf("%s, for good: got %v", symbol, err)
			}
		}
	}
}

// TestTooManyPeers: where the hardware has no place for one more peer, the driver stages the copy.
func TestTooManyPeers(t *testing.T) {
	m, d := simulated(t, nil)
	dltest.Watch(dl.Table{Struct: d.API, Key: "cu"}).Break("cuCtxEnablePeerAccess", driver.ErrTooManyPeers)
	if sum, err := program(m); err != nil || string(sum) != string(twice) {
		t.Errorf("got %v, %v", sum, err)
	}
}

// TestSilentDevice: a GPU that cannot be asked is no reason to do without the others.
func TestSilentDevice(t *testing.T) {
	f := newFakeDriver()
	f.api.DeviceGetName = func(d driver.Device) (string, driver.Result) {
		if d == 0 {
			return "", driver.ErrUnknown
		}
		return "Fake GPU", driver.Success
	}
	m := f.machine()
	if devices, err := m.start(); err != nil || len(devices) != 2 {
		t.Fatalf("got %d devices, %v", len(devices), err)
	}
	var silent *SilentError
	if _, err := m.at(0); !errors.As(err, &silent) || silent.Device != 0 || !errors.Is(err, driver.ErrUnknown) || !errors.Is(err, backend.ErrDevice) {
		t.Errorf("the silent one: got %v", err)
	}
	if d, err := m.at(1); err != nil || d.Silent() != nil || d.Properties().Name != "Fake GPU (simulated)" {
		t.Errorf("the other: got %v", err)
	}
	f = newFakeDriver()
	f.api.DeviceGetName = func(driver.Device) (string, driver.Result) { return "", driver.ErrUnknown }
	if _, err := f.machine().start(); !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("where all are silent: got %v", err)
	}
}

// TestResultsThatEndADevice: which results leave nothing to be done, as the driver documents them.
func TestResultsThatEndADevice(t *testing.T) {
	for r, want := range map[driver.Result]bool{
		driver.ErrContained: true, driver.ErrTensorMemoryLeak: true, driver.ErrMPSClientTerminated: true, driver.ErrExternalDevice: true,
		driver.ErrJITCompilerNotFound: false, driver.ErrJITDisabled: false, driver.ErrTooManyPeers: false, driver.ErrOutOfMemory: false,
	} {
		f := newFakeDriver()
		d := f.device(t)
		f.waited = r
		err := d.Sync()
		var e *Error
		if !errors.As(err, &e) || e.Result != r {
			t.Errorf("%v: got %v", r, err)
		}
		if got := d.Failed() != nil; got != want {
			t.Errorf("%v ends the device: %t", r, got)
		}
		if help := map[driver.Result]string{
			driver.ErrJITCompilerNotFound: "ptxjitcompiler", driver.ErrJITDisabled: "CUDA_DISABLE_PTX_JIT",
		}[r]; !strings.Contains(e.Hint(), help) {
			t.Errorf("%v: the hint is %q", r, e.Hint())
		}
	}
}

// TestUnknownResults: what this program does not know is told in the driver's words.
func TestUnknownResults(t *testing.T) {
	f := newFakeDriver()
	f.api.GetErrorName = func(driver.Result) (string, driver.Result) { return "CUDA_ERROR_NEW", driver.Success }
	f.api.GetErrorString = func(driver.Result) (string, driver.Result) { return "something new", driver.Success }
	d := f.device(t)
	f.waited = 4242
	err := d.Sync()
	var e *Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Error(), "CUDA error: something new\n") || !strings.HasPrefix(e.Hint(), "CUDA_ERROR_NEW on cuda:0") {
		t.Errorf("got %v", err)
	}
}

// TestFaultWords: the word lies in the device's memory, and is copied to the host only where the flag says that there is a fault.
func TestFaultWords(t *testing.T) {
	m, s := simulated(t, nil)
	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	divide := func(divisor byte) error {
		l := layout.Contiguous(layout.Shape{4})
		c := backend.NewCall(op.FloorDivide, dtype.Uint8)
		defer c.Release()
		for _, v := range []*backend.View{c.AddOut(), c.AddIn(), c.AddIn()} {
			b, err := d.Alloc(4)
			if err != nil {
				t.Fatal(err)
			}
			*v = backend.View{Buf: b, Layout: &l, DType: dtype.Uint8}
			if err := d.CopyIn(b, 0, []byte{8, 8, divisor, 8}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Run(c); err != nil {
			t.Fatal(err)
		}
		return d.Sync()
	}
	for _, tc := range []struct {
		divisor byte
		want    string
		copies  int
	}{{2, "<nil>", 0}, {0, "ZeroDivisionError", 1}, {2, "<nil>", 1}, {0, "ZeroDivisionError", 2}} {
		if got := fmt.Sprint(divide(tc.divisor)); got != tc.want {
			t.Errorf("by %d: got %s", tc.divisor, got)
		}
		if got := spy.Calls("cuMemcpyDtoHAsync_v2"); got != tc.copies {
			t.Errorf("by %d: %d copies of the word, want %d", tc.divisor, got, tc.copies)
		}
	}
}
