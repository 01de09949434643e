package cuda

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"cresset/internal/backend"
)

func TestMetaCountsMemoryThatIsNotThere(t *testing.T) {
	m, giveBack, err := NewMeta()
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	const tebibyte = 1 << 40
	b, err := m.Alloc(tebibyte + 1)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Memory(); s.Allocated != tebibyte+minBlock || s.Reserved != tebibyte+largeUnit {
		t.Errorf("got %+v", s)
	}
	if err := m.CopyOut(make([]byte, 1), b, 0); !errors.Is(err, backend.ErrNoData) {
		t.Errorf("copying out: %v", err)
	}
	if err := errors.Join(m.CopyIn(b, 0, []byte{1}), m.CopyFrom(b, 0, nil, 0, 1, nil), m.Sync()); err != nil {
		t.Error(err)
	}
	m.Free(b)
	if n := m.Settle(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
	if b, _ = m.Alloc(minBlock); b == nil || m.Settle() != minBlock {
		t.Error("memory in use was taken back")
	}
	runtime.KeepAlive(b)
	if n := m.Settle(); n != 0 {
		t.Errorf("%d bytes that were dropped are held", n)
	}
}

func TestMetaDevicesAreLentOnce(t *testing.T) {
	everybodys, err := OpenMeta(0)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := OpenMeta(0); again != everybodys {
		t.Error("there are two devices of everybody's")
	}
	a, giveA, _ := NewMeta()
	b, giveB, _ := NewMeta()
	if a.Index() == b.Index() || a.Index() == 0 {
		t.Errorf("opened %d and %d", a.Index(), b.Index())
	}
	if found, _ := OpenMeta(a.Index()); found != a {
		t.Error("an open device is not found")
	}
	giveA()
	giveB()
	if _, err := OpenMeta(a.Index()); !errors.Is(err, errNoMeta) {
		t.Errorf("a device that was given back: %v", err)
	}
}

// TestMetaGivenBackIsForgotten wants the collector to have the device, whose allocator watched it.
func TestMetaGivenBackIsForgotten(t *testing.T) {
	gone := make(chan struct{})
	func() {
		m, giveBack, err := NewMeta()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Alloc(1); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(m.Device, func(gone chan struct{}) { close(gone) }, gone)
		giveBack()
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(time.Millisecond):
		}
	}
	t.Error("the device is still held")
}
