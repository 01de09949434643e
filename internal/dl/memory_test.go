package dl

import (
	"runtime"
	"testing"
)

func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 8, 17, 1 << 20} {
		m := NewMemory(n)
		if len(m.Bytes) < max(n, 1) || m.Address(0)%8 != 0 || m.Address(len(m.Bytes)-1) != m.Address(0)+uintptr(len(m.Bytes)-1) {
			t.Errorf("%d bytes: got %d at %#x", n, len(m.Bytes), m.Address(0))
		}
		m.Free()
	}
}

func TestText(t *testing.T) {
	m := NewMemory(8)
	defer m.Free()
	copy(m.Bytes, "text\x00rest")
	if got := Text(m.Address(0)); got != "text" {
		t.Errorf("got %q", got)
	}
	if got := Text(0); got != "" {
		t.Errorf("no text: got %q", got)
	}
	runtime.KeepAlive(m)
}
