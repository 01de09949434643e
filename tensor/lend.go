package tensor

import (
	"runtime"
	"slices"

	"cresset/device"
	"cresset/internal/backend"
)

// lend has a library read contiguous tensors of one GPU, and write others there. It returns what reports whether that work is done.
func lend(reads, writes []*Tensor, f func(stream uintptr, at []uintptr) error) (done func() (bool, error), err error) {
	var memory []backend.Piece
	var gpu backend.Lender
	for i, x := range slices.Concat(reads, writes) {
		defer x.hold().leave()
		size := x.dtype.Size()
		memory = append(memory, backend.Piece{Buf: x.storage.buf, Offset: x.layout.Offset * size, Bytes: x.layout.Size() * size})
		gpu = x.storage.backend.(backend.Lender)
		if i >= len(reads) {
			x.storage.version++
		}
	}
	e, err := gpu.Lend(memory, f)
	if err != nil {
		return nil, err
	}
	return e.Passed, nil
}

// holdOnGPU returns where a contiguous tensor lies on its GPU, for a library that knows no streams and may use that memory until release. It comes with what reports
// whether the GPU has done what was issued to it before.
func holdOnGPU(x *Tensor, writes bool) (at uintptr, ready func() (bool, error), release func(), err error) {
	scope := x.hold()
	reads, written := []*Tensor{x}, []*Tensor(nil)
	if writes {
		reads, written = written, reads
	}
	ready, err = lend(reads, written, func(_ uintptr, all []uintptr) error {
		at = all[0]
		return nil
	})
	if err != nil {
		scope.leave()
		return 0, nil, nil, err
	}
	return at, ready, func() {
		scope.leave()
		runtime.KeepAlive(x) // the pool takes memory back whose block is unreachable
	}, nil
}

// within calls f on a thread on which a GPU is current for libraries.
func within(gpu device.Device, f func() error) error {
	return backendOf("within", gpu).(backend.Lender).Within(f)
}
