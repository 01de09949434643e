package mem

import (
	"syscall"
	"unsafe"
)

const (
	hugePage  = 2 << 20
	leastHuge = 4 << 20 // bytes that are worth large pages
)

// wantHuge asks for large pages behind memory that nobody has touched: a loop over a large tensor spends much of its time
// on the first touch of each page and on finding pages. The system may refuse, which changes nothing.
func wantHuge(data unsafe.Pointer, n int) {
	if n < leastHuge {
		return
	}
	first := int(-uintptr(data) % hugePage)
	// The part is inside the memory and starts where a large page may.
	part := unsafe.Slice((*byte)(unsafe.Add(data, first)), (n-first)/hugePage*hugePage)
	_ = syscall.Madvise(part, syscall.MADV_HUGEPAGE)
}
