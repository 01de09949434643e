package dl

import (
	"runtime"
	"unsafe"
)

// Memory is memory for C to read and write by its address: it neither moves nor is it freed before Free.
type Memory struct {
	Bytes  []byte
	pinner runtime.Pinner
}

// NewMemory returns n zeroed bytes or a few more, aligned for every C type.
func NewMemory(n int) *Memory {
	const alignment = 16
	m := &Memory{Bytes: make([]byte, max(1, (n+alignment-1)/alignment)*alignment)}
	m.pinner.Pin(unsafe.SliceData(m.Bytes))
	return m
}

// Address returns where the byte at offset is. It holds until Free.
func (m *Memory) Address(offset int) uintptr {
	return uintptr(unsafe.Pointer(&m.Bytes[offset])) // pinned, so sound as an integer
}

// Free lets the collector have the memory.
func (m *Memory) Free() { m.pinner.Unpin() }

// AddressOf returns where memory begins, for a C function that has done with it before the caller lets the memory go, which must not be on the stack.
func AddressOf(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }

// maxText is past the length of any text that a library returns.
const maxText = 4096

// Text returns the string at an address that a C function has returned; 0 is "".
func Text(address uintptr) string {
	if address == 0 {
		return ""
	}
	// The address is C's, which Go's collector neither moves nor frees.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	n := 0
	for n < maxText && *(*byte)(unsafe.Add(p, n)) != 0 { // C's strings end with a zero
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
