package tensor

import (
	"errors"
	"fmt"
	"sync/atomic"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// storage is the memory under one or more tensors.
type storage struct {
	backend  backend.Backend
	buf      backend.Buffer
	device   device.Device
	scope    *Scope     // frees the memory when it closes; nil where the collector does
	version  uint32     // in-place changes
	holds    int32      // gradients under way in one Backward that look at the memory
	pinned   *cuda.Host // what the buffer looks at, where a GPU can copy from it by itself
	released bool
	shared   atomic.Bool // seen by the caller as a slice
	history  history     // of the tensors over it that were not detached
}

// newStorage allocates room for n elements of the given shape.
func newStorage(name string, dev device.Device, dt dtype.DType, shape Shape, n int) *storage {
	b := backendOf(name, dev)
	if dt.Size() == 0 {
		fail(name, ErrDType, fmt.Sprintf("DType(%d) is not the dtype of a tensor", dt))
	}
	if n < 0 || n > maxBytes/dt.Size() {
		fail(name, ErrMemory, "Storage size calculation overflowed with sizes="+shape.List())
	}
	if bytes := n * dt.Size(); dev.IsCPU() && bytes <= mem.TinyBytes {
		s := &small{storage: storage{backend: b, device: dev}}
		block, err := s.room.Alloc(bytes)
		checkAlloc(name, err)
		s.buf = block
		return &s.storage
	}
	buf, err := b.Alloc(n * dt.Size())
	checkAlloc(name, err)
	return &storage{backend: b, buf: buf, device: dev}
}

// small is a storage with room for its memory: a result of a few elements on the host is one allocation.
type small struct {
	storage
	room mem.Tiny
}

func checkAlloc(name string, err error) {
	if err != nil {
		panic(&Error{Op: name, Kind: kindOf(err), Err: err, hint: hintOf(err)})
	}
}

const maxBytes = int(^uint(0) >> 1)

// release gives the memory back at once.
func (s *storage) release() {
	if s.released {
		return
	}
	s.released = true
	if !s.shared.Load() {
		s.backend.Free(s.buf)
		if s.pinned != nil {
			s.pinned.Free()
		}
	}
	s.buf = nil
}

// newTensor returns an uninitialised contiguous tensor.
func newTensor(name string, dev device.Device, dt dtype.DType, l layout.Layout) *Tensor {
	return newTensorOf(name, dev, dt, &l)
}

// newTensorOf is newTensor for a layout that another tensor may share.
func newTensorOf(name string, dev device.Device, dt dtype.DType, l *layout.Layout) *Tensor {
	if l.Rank() > layout.MaxRank {
		check(name, ErrShape, errTooManyAxes)
	}
	return newStorage(name, dev, dt, l.Shape, l.Size()).tensor(*l, dt)
}

// tensor returns a tensor over the storage.
func (s *storage) tensor(l layout.Layout, dt dtype.DType) *Tensor {
	return &Tensor{layout: l, storage: s, dtype: dt, history: &s.history, rebased: s.history.rebased}
}

// Release gives the tensor's memory back at once; it, its views and everything else over the same storage must not be
// used any more. It is for loops that cannot wait for the garbage collector; Scope is the comfortable way.
func (x *Tensor) Release() {
	if x.storage.scope != nil {
		x.storage.scope.disown(x.storage)
	}
	x.storage.release()
}

// alive panics where the tensor's memory was given back.
func (x *Tensor) alive() {
	if x == nil {
		fail("use", ErrValue, "expected a Tensor, but got None")
	}
	if x.storage.released {
		failHint("use", ErrReleased, "this tensor's memory was released: by Release, by its scope's Close, or by a Loader that advanced",
			"Keep the tensor in its scope, or Clone it before the scope closes")
	}
}

var errTooManyAxes = errors.New("tensors with more than 16 dimensions are not supported")
