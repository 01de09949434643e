package tensor

import (
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

// within calls f on a thread on which a GPU is current for libraries.
func within(gpu device.Device, f func() error) error {
	return backendOf("within", gpu).(backend.Lender).Within(f)
}
