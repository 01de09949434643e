package dltest

import "unsafe"

// Memory returns bytes at an address that a caller has passed to a library for which a test stands in.
func Memory(address uintptr, n int) []byte {
	// The caller keeps what is there alive, and pinned, until the call returns.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	return unsafe.Slice((*byte)(p), n)
}
