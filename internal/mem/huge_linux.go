package mem

import (
	"syscall"
	"unsafe"
)

const (
	hugePage  = 2 << 20
	leastHuge = 1 << 20 // bytes that are worth large pages
)

// wantHuge asks for large pages behind memory that nobody has touched: a loop over a large tensor spends much of its time
// on the first touch of each page and on finding pages. The system may refuse, which changes nothing. The pages at the ends hold what Go
// allocates beside it too: weights of some MiB, which a model has many of, share large pages.
func wantHuge(data unsafe.Pointer, n int) {
	if n < leastHuge {
		return
	}
	first := uintptr(data) &^ (hugePage - 1)
	end := (uintptr(data) + uintptr(n) + hugePage - 1) &^ (hugePage - 1)
	// Advice about memory changes nothing in it, whoever it belongs to.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, first, end-first, syscall.MADV_HUGEPAGE)
}
