package cuda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// addCall is x + y of float32 matrices on a device.
func addCall(t testing.TB, d *Device, l layout.Layout) *backend.Call {
	t.Helper()
	c := backend.NewCall(op.Add, dtype.Float32)
	for _, v := range []*backend.View{c.AddOut(), c.AddIn(), c.AddIn()} {
		b, err := d.Alloc(4 * l.Span())
		if err != nil {
			t.Fatal(err)
		}
		*v = backend.View{Buf: b, Layout: &l, DType: dtype.Float32}
	}
	return c
}

func TestRunWithoutKernelNamesTheOp(t *testing.T) {
	d := newFakeDriver().device(t)
	err := d.Run(backend.NewCall(op.Conv, dtype.Int64))
	var missing *backend.MissingKernelError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "convolution") {
		t.Errorf("got %v", err)
	}
}

func TestCopies(t *testing.T) {
	f := newFakeDriver()
	d := f.device(t)
	b, err := d.Alloc(1 << 21)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 1000, stagedBytes, stagedBytes + 1} {
		src := bytes.Repeat([]byte{byte(n), 7}, n/2+1)[:n]
		if err := d.CopyIn(b, 0, src); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		if err := d.CopyOut(got, b, 0); err != nil || !bytes.Equal(got, src) {
			t.Errorf("%d bytes came back changed, error %v", n, err)
		}
	}
	var outside *RangeError
	for _, at := range []int{-1, 1 << 21} {
		if err := d.CopyIn(b, at, []byte{1}); !errors.As(err, &outside) {
			t.Errorf("a copy to %d: %v", at, err)
		}
		if err := d.CopyOut(make([]byte, 1), b, at); !errors.As(err, &outside) {
			t.Errorf("a copy from %d: %v", at, err)
		}
	}
}

func TestPeersMeetOnce(t *testing.T) {
	f := newFakeDriver()
	m := f.machine()
	a, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.at(1)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := a.Alloc(100)
	y, _ := b.Alloc(100)
	for range 3 {
		if err := b.CopyFrom(y, 0, x, 0, 100, a); err != nil {
			t.Fatal(err)
		}
	}
	if f.peers != 1 {
		t.Errorf("peer access was enabled %d times, want 1", f.peers)
	}
}

func TestStickyErrorsEndADevice(t *testing.T) {
	f := newFakeDriver()
	d := f.device(t)
	c := addCall(t, d, layout.Contiguous(layout.Shape{2, 2}))
	f.result = driver.ErrInvalidValue
	if err := d.Run(c); err == nil {
		t.Fatal("no error")
	}
	f.result = driver.Success
	if err := d.Run(c); err != nil {
		t.Fatalf("an invalid argument ended the device: %v", err)
	}
	f.waited = driver.ErrIllegalAddress
	first := d.Sync()
	want := "CUDA error: an illegal memory access was encountered\n" +
		"CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n" +
		"For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n" +
		"Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
	if first == nil || first.Error() != want {
		t.Errorf("got %v, want %s", first, want)
	}
	var e *Error
	if !errors.As(first, &e) || !strings.Contains(e.Hint(), "add") {
		t.Errorf("the hint %q does not name the op", e.Hint())
	}
	f.waited = driver.ErrLaunchFailed
	_, alloc := d.Alloc(4)
	for _, err := range []error{d.Run(c), d.Sync(), alloc, d.CopyOut(make([]byte, 4), c.Out()[0].Buf, 0)} {
		if err != first {
			t.Errorf("got %v, want the first error", err)
		}
	}
}

func TestFaultsOfKernels(t *testing.T) {
	tests := []struct {
		code   kernels.FaultCode
		text   string
		sticky bool
	}{
		{kernels.DivisorFault, "ZeroDivisionError", false},
		{kernels.IndexFault, "CUDA error: device-side assert triggered", true},
		{kernels.TargetFault, "CUDA error: device-side assert triggered", true},
	}
	for _, tt := range tests {
		f := newFakeDriver()
		d := f.device(t)
		f.flag[0] = 1
		binary.LittleEndian.PutUint32(f.fault[:], uint32(tt.code))
		binary.LittleEndian.PutUint32(f.fault[4:], uint32(op.Embedding))
		binary.LittleEndian.PutUint64(f.fault[8:], 12)
		err := d.Sync()
		if err == nil || !strings.HasPrefix(err.Error(), tt.text) {
			t.Errorf("code %d: got %v", tt.code, err)
		}
		if again := d.Sync(); (again != nil) != tt.sticky {
			t.Errorf("code %d: the next call returns %v", tt.code, again)
		}
		var e *Error
		if errors.As(err, &e) && !strings.Contains(e.Hint(), "embedding") {
			t.Errorf("code %d: the hint %q does not name the op", tt.code, e.Hint())
		}
	}
}

func TestManyAxesAreSplitOverLaunches(t *testing.T) {
	f := newFakeDriver()
	d := f.device(t)
	shape, strides := layout.Shape{}, []int{}
	for i := range 10 { // gaps keep the axes apart
		shape, strides = append(shape, 2), append(strides, 3<<(2*(9-i)))
	}
	c := addCall(t, d, layout.Of(shape, strides, 0))
	before := *c.In()[0].Buf.(*Buffer)
	if err := d.Run(c); err != nil || f.launches != 4 {
		t.Errorf("%d launches, error %v, want 4", f.launches, err)
	}
	if *c.In()[0].Buf.(*Buffer) != before {
		t.Error("the operand changed")
	}
}

// BenchmarkRun times the host's side of an op: a result, a launch, and the memory back.
func BenchmarkRun(b *testing.B) {
	d := newFakeDriver().device(b)
	c := addCall(b, d, layout.Contiguous(layout.Shape{2, 2}))
	b.ReportAllocs()
	for b.Loop() {
		out, err := d.Alloc(16)
		if err != nil {
			b.Fatal(err)
		}
		c.Out()[0].Buf = out
		if err := d.Run(c); err != nil {
			b.Fatal(err)
		}
		d.Free(out)
	}
}
