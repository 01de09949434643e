package mem

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrOutOfMemory is what every [*Error] is.
var ErrOutOfMemory = errors.New("out of memory")

// Error is the refusal of a block that the machine cannot hold.
type Error struct {
	Bytes int   // asked for
	Limit int64 // what the machine could still have given, in bytes; 0 if that was not the reason
}

// Error returns PyTorch's text.
func (e *Error) Error() string {
	return fmt.Sprintf("[enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: "+
		"you tried to allocate %d bytes. Error code 12 (Cannot allocate memory)", e.Bytes)
}

// Is reports whether target is [ErrOutOfMemory].
func (e *Error) Is(target error) bool { return target == ErrOutOfMemory }

// DoubleFree is the panic of freeing a block that is free already.
type DoubleFree struct {
	Bytes int // size of the block
}

// Error describes the block.
func (e DoubleFree) Error() string {
	return fmt.Sprintf("mem: a block of %d bytes was freed twice", e.Bytes)
}

var faultHook atomic.Pointer[func(bytes int) error]

// SetFault makes every allocation ask f first and fail with the error that it returns, if any; nil ends that. It is for tests of
// what happens when memory runs out, and stands here since those of tensor cannot reach into this package otherwise.
func SetFault(f func(bytes int) error) {
	if f == nil {
		faultHook.Store(nil)
		return
	}
	faultHook.Store(&f)
}
