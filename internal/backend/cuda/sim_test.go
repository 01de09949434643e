package cuda

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// simulated returns a machine of two simulated GPUs and its driver. compile may be nil.
func simulated(t testing.TB, compile sim.Compiler) (*machine, *sim.Driver) {
	t.Helper()
	m, err := hardware.Preset("a100", 2)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{Compile: compile, LookupEnv: func(string) (string, bool) { return "", false }})
	return &machine{open: func() (*driver.API, error) { return d.API, nil }}, d
}

// program copies four numbers to a device, adds them to themselves there, passes them to another, and returns them.
func program(m *machine) (sum []byte, err error) {
	a, err := m.at(0)
	if err != nil {
		return nil, err
	}
	b, err := m.at(1)
	if err != nil {
		return nil, err
	}
	c := backend.NewCall(op.Add, dtype.Float32)
	defer c.Release()
	l := layout.Contiguous(layout.Shape{2, 2})
	for _, v := range []*backend.View{c.AddOut(), c.AddIn(), c.AddIn()} {
		b, err := a.Alloc(16)
		if err != nil {
			return nil, err
		}
		defer a.Free(b)
		*v = backend.View{Buf: b, Layout: &l, DType: dtype.Float32}
	}
	for _, v := range c.In() {
		if err := a.CopyIn(v.Buf, 0, numbers4); err != nil {
			return nil, err
		}
	}
	if err := a.Run(c); err != nil {
		return nil, err
	}
	y, err := b.Alloc(16)
	if err != nil {
		return nil, err
	}
	defer b.Free(y)
	if err := b.CopyFrom(y, 0, c.Out()[0].Buf, 0, 16, a); err != nil {
		return nil, err
	}
	sum = make([]byte, 16)
	return sum, b.CopyOut(sum, y, 0)
}

// numbers4 is 1, 2, 3 and 4 in float32.
var numbers4 = func() (b []byte) {
	for _, bits := range []uint32{0x3f800000, 0x40000000, 0x40400000, 0x40800000} {
		b = binary.LittleEndian.AppendUint32(b, bits)
	}
	return b
}()

// twice is 2, 4, 6 and 8.
var twice = func() (b []byte) {
	for _, bits := range []uint32{0x40000000, 0x40800000, 0x40c00000, 0x41000000} {
		b = binary.LittleEndian.AppendUint32(b, bits)
	}
	return b
}()

// TestEveryCallMayFail has each call of the driver fail in turn: that is an error, and the next run is as if nothing had been.
func TestEveryCallMayFail(t *testing.T) {
	for _, symbol := range []string{
		"cuMemAlloc*", "cuMemcpy*", "cuLaunchKernel", "cuModuleLoadData*", "cuModuleGetFunction", "cuStreamCreate*",
		"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize", "cuMemHostAlloc", "cuCtxEnablePeerAccess",
		"cuDevicePrimaryCtxRetain",
	} {
		failures := 0
		for skip := range 20 {
			m, d := simulated(t, nil)
			dltest.Watch(dl.Table{Struct: d.API, Key: "cu"}).Fail(symbol, skip, driver.ErrInvalidValue)
			_, err := program(m)
			if err == nil {
				break
			}
			failures++
			var e *Error
			if !errors.As(err, &e) || e.Result != driver.ErrInvalidValue {
				t.Errorf("%s, call %d: got %v", symbol, skip, err)
			}
			if sum, err := program(m); err != nil || string(sum) != string(twice) {
				t.Errorf("%s, call %d: the run after it gives %v, %v", symbol, skip, sum, err)
			}
		}
		if failures == 0 {
			t.Errorf("%s never failed", symbol)
		}
	}
}

func TestFailuresOfKernelsComeOutLater(t *testing.T) {
	m, _ := simulated(t, func(name, text string) (*sim.Code, error) {
		code, err := sim.CompilePTX(name, text)
		for _, k := range code.Kernels {
			k.Run = func(*sim.Launch) (sim.Work, error) { return sim.Work{}, driver.ErrIllegalAddress }
		}
		return code, err
	})
	_, err := program(m)
	if err == nil || !strings.HasPrefix(err.Error(), "CUDA error: an illegal memory access was encountered\n") {
		t.Fatalf("got %v", err)
	}
	if _, again := program(m); again == nil || again.Error() != err.Error() {
		t.Errorf("afterwards: %v\nfirst: %v", again, err)
	}
}

func TestLostDevice(t *testing.T) {
	m, d := simulated(t, nil)
	if _, err := program(m); err != nil {
		t.Fatal(err)
	}
	d.Lose(0)
	_, err := program(m)
	var e *Error
	if !errors.As(err, &e) || e.Device != 0 || !strings.HasPrefix(err.Error(), "CUDA error: unknown error\n") || !strings.Contains(e.Hint(), "lost") {
		t.Fatalf("got %v", err)
	}
	lost, _ := m.at(0)
	if err := lost.Sync(); err != e {
		t.Errorf("Sync of the lost device: %v, want the first error", err)
	}
	other, err := m.at(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Sync(); err != nil {
		t.Errorf("the other device: %v", err)
	}
}
