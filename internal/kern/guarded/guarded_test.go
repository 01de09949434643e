//go:build unix

package guarded

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

// touch reports whether memory may be read.
func touch(p unsafe.Pointer) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	runtime.KeepAlive(*(*byte)(p))
	return true
}

func TestNeighboursFault(t *testing.T) {
	for _, n := range []int{1, 3, 1024, 5000} {
		for _, atEnd := range []bool{false, true} {
			s := Copy(t, make([]float32, n), atEnd)
			first := unsafe.Pointer(unsafe.SliceData(s))
			last := unsafe.Add(first, 4*n-1)
			if !touch(first) || !touch(last) {
				t.Errorf("%d elements, atEnd %v: they cannot be read", n, atEnd)
			}
			if !atEnd && touch(unsafe.Add(first, -1)) {
				t.Errorf("%d elements: the byte before them can be read", n)
			}
			if atEnd && touch(unsafe.Add(last, 1)) {
				t.Errorf("%d elements: the byte behind them can be read", n)
			}
		}
	}
}
