// Package cpu is the backend that computes on the host: a table from (op, dtype) to kernels over host memory.
package cpu

import (
	"runtime"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern/vec"
	"cresset/internal/mem"
	"cresset/internal/op"
)

// Backend is the host as a device. Its calls compute before they return.
type Backend struct{}

var _ backend.Backend = Backend{}

// Alloc returns host memory, not zeroed.
func (Backend) Alloc(bytes int) (backend.Buffer, error) {
	b, err := mem.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Free gives host memory back for reuse.
func (Backend) Free(b backend.Buffer) { b.(*mem.Block).Free() }

// CopyIn copies src into dst from byte offset on.
func (Backend) CopyIn(dst backend.Buffer, offset int, src []byte) error {
	copy(dst.(*mem.Block).Bytes()[offset:], src)
	runtime.KeepAlive(dst) // the pool takes memory back whose block is unreachable
	return nil
}

// CopyOut copies from src at byte offset into dst.
func (Backend) CopyOut(dst []byte, src backend.Buffer, offset int) error {
	copy(dst, src.(*mem.Block).Bytes()[offset:])
	runtime.KeepAlive(src)
	return nil
}

// CopyFrom copies from a buffer of another backend.
func (Backend) CopyFrom(dst backend.Buffer, dstOffset int, src backend.Buffer, srcOffset, bytes int, from backend.Backend) error {
	b := dst.(*mem.Block)
	err := from.CopyOut(b.Bytes()[dstOffset:dstOffset+bytes], src, srcOffset)
	runtime.KeepAlive(b)
	return err
}

// Run computes c.
func (b Backend) Run(c *backend.Call) error {
	if err := vec.Err(); err != nil {
		return err
	}
	kernel := kernels[c.Op][c.DType]
	if kernel == nil {
		return &backend.MissingKernelError{Op: c.Op, DType: c.DType}
	}
	if err := kernel(c); err != nil || c.Then == op.Invalid && c.Epilogue == nil {
		return err
	}
	return c.Follow(b)
}

// Has reports whether there is a kernel for the op on that dtype.
func (Backend) Has(o op.Op, dt dtype.DType) bool { return kernels[o][dt] != nil }

// Sync returns at once: nothing is outstanding on the host.
func (Backend) Sync() error { return nil }

// Memory returns what tensors hold on the host.
func (Backend) Memory() backend.MemoryStats {
	s := mem.ReadStats()
	return backend.MemoryStats{Allocated: s.Allocated, Peak: s.Peak, Reserved: s.Reserved}
}
