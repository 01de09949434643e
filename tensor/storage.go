package tensor

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// storage is the memory under one or more tensors.
type storage struct {
	backend backend.Backend
	buf     backend.Buffer
	owner   atomic.Pointer[Scope] // frees the memory when it closes; nil where the collector does; released where it is freed
	device  device.Device
	shared  atomic.Bool  // seen by the caller as a slice
	version uint32       // in-place changes
	holds   int32        // gradients under way in one Backward that look at the memory
	saves   atomic.Int32 // how often nodes have saved it, or Autocast keeps it
	links   *links       // nil for most
	history history      // of the tensors over it that were not detached
}

// links is what few storages have.
type links struct {
	pinned backend.Pinned    // what the buffer looks at, where a GPU can copy from it by itself
	users  *users            // who has saved it, where it is a copy of replicas
	frozen map[*Tensor]*node // leaves over it that do not require gradients for now

	visiting *visiting // nil where the memory stays
	part     bool      // of a parameter
	replaced int       // how often SetData has put other data under a tensor over it
}

// linked returns the storage's links, which it gets where it has none.
func (s *storage) linked() *links {
	if s.links == nil {
		s.links = new(links)
	}
	return s.links
}

// pinned returns what the buffer looks at where a GPU can copy from it by itself, else nil.
func (s *storage) pinned() backend.Pinned {
	if s.links == nil {
		return nil
	}
	return s.links.pinned
}

// users returns who has saved the storage where it is a copy of replicas, else nil.
func (s *storage) users() *users {
	if s.links == nil {
		return nil
	}
	return s.links.users
}

// A tensor and its storage are one allocation, with a few elements on the host as well. Only a tensor that tracks gradients
// stays apart, for whoever has the storage keeps all that was made with it: a Detach would keep the graph. Fields are named, not
// embedded: the compiler would write a method of each of these types for each of a tensor's.

// whole is a tensor with its storage.
type whole struct {
	tensor  Tensor
	storage storage
}

// small is a storage with its memory: a few elements on the host.
type small[W mem.Words] struct {
	storage storage
	room    mem.Tiny[W]
}

// tiny is a tensor with its storage and its memory.
type tiny[W mem.Words] struct {
	tensor Tensor
	small  small[W]
}

// newWhole returns an uninitialised tensor on any device.
func newWhole(name string, dev device.Device, bytes int, tracked bool, in *Scope) *Tensor {
	if tracked {
		return &Tensor{storage: newStorage(name, dev, bytes, in)}
	}
	w := new(whole)
	w.storage.init(name, dev, bytes, in)
	w.tensor.storage = &w.storage
	return &w.tensor
}

// newTiny returns an uninitialised tensor of a few elements on the host.
func newTiny[W mem.Words](name string, bytes int, tracked bool) *Tensor {
	var x *Tensor
	var s *small[W]
	if tracked {
		x, s = new(Tensor), new(small[W])
	} else {
		t := new(tiny[W])
		x, s = &t.tensor, &t.small
	}
	buf, err := s.room.Alloc(bytes)
	checkDone(name, err)
	s.storage.backend, s.storage.buf = host, buf
	s.storage.poison()
	x.storage = &s.storage
	return x
}

// newStorage returns a storage with memory of the device, for what a scope computes, which may be nil.
func newStorage(name string, dev device.Device, bytes int, in *Scope) *storage {
	s := new(storage)
	s.init(name, dev, bytes, in)
	return s
}

// init gives a new storage memory of the device.
func (s *storage) init(name string, dev device.Device, bytes int, in *Scope) {
	b := in.backendOf(name, dev)
	buf, err := b.Alloc(bytes)
	checkDone(name, err)
	s.backend, s.buf, s.device = b, buf, dev
	s.poison()
}

// bytesOf returns how much memory n elements take, and panics where that cannot be.
func bytesOf(name string, dt dtype.DType, l *layout.Layout) int {
	if l.Rank() > layout.MaxRank {
		check(name, ErrShape, errTooManyAxes)
	}
	size, n := dt.Size(), l.Size()
	if size == 0 {
		fail(name, ErrDType, fmt.Sprintf("DType(%d) is not the dtype of a tensor", dt))
	}
	high, bytes := bits.Mul(uint(n), uint(size)) // quicker than a division
	if n < 0 || high != 0 || bytes > uint(maxBytes) {
		fail(name, ErrMemory, "Storage size calculation overflowed with sizes="+l.Shape().List())
	}
	return int(bytes)
}

const maxBytes = int(^uint(0) >> 1)

// free gives back memory that is released and that no kernel uses.
func (s *storage) free() {
	if !s.shared.Load() && !recordingNow.Load().keeps(s) {
		s.poison()
		s.backend.Free(s.buf)
		if h := s.pinned(); h != nil {
			h.Free()
		}
	}
	s.buf = nil
}

// poison overwrites memory that is new or about to be freed with NaN, or -1 in integers, under the build tag poison: what reads
// it before it was written, or after it was freed, fails a test.
func (s *storage) poison() {
	if poisons && !s.device.IsMeta() && s.pinned() == nil { // a GPU may still read pinned memory
		_ = s.backend.CopyIn(s.buf, 0, bytes.Repeat([]byte{0xff}, s.buf.Size())) // a GPU that is lost says so to whoever computes
	}
}

// newTensor returns an uninitialised tensor.
func newTensor(name string, dev device.Device, dt dtype.DType, shape Shape) *Tensor {
	return newResult(name, dev, dt, layout.Fresh(shape...), nil)
}

// newResult returns an uninitialised tensor for what is computed from x and others, some of which may be nil. It belongs to
// the most recently opened scope among theirs. The layout may be that of another tensor.
func newResult(name string, dev device.Device, dt dtype.DType, l *layout.Layout, x *Tensor, others ...*Tensor) *Tensor {
	bytes := bytesOf(name, dt, l)
	var out *Tensor
	in := x.latest(others)
	switch tracked := x.tracks(others); {
	case !dev.IsCPU() || bytes > mem.TinyBytes:
		out = newWhole(name, dev, bytes, tracked, in)
	case bytes > mem.LeastBytes:
		out = newTiny[[mem.TinyBytes / 8]uint64](name, bytes, tracked)
	default:
		out = newTiny[[mem.LeastBytes / 8]uint64](name, bytes, tracked)
	}
	out.layout, out.dtype, out.history, out.scope = l, dt, &out.storage.history, in
	if placement.on.Load() {
		placement.made(out.storage, name)
	}
	if t := recordingNow.Load(); t != nil {
		t.made(out.storage)
	}
	return out.inherit()
}

// tracks reports whether x or one of the others, all of which may be nil, tracks gradients.
func (x *Tensor) tracks(others []*Tensor) bool {
	return x != nil && x.node != nil || tracked(others...)
}

// tensor returns a tensor over the storage.
func (s *storage) tensor(l *layout.Layout, dt dtype.DType) *Tensor {
	return &Tensor{layout: l, storage: s, dtype: dt, history: &s.history, rebased: s.history.rebased}
}

// Release gives the tensor's memory back at once; it, its views and everything else over the same storage must not be
// used any more. It is for loops that cannot wait for the garbage collector; Scope is the comfortable way.
func (x *Tensor) Release() {
	s := x.storage
	switch owner := s.owner.Swap(released); owner {
	case released:
	case nil:
		s.free()
	default:
		owner.remove(s)
		owner.retire(s)
	}
}

// discard frees memory that nobody else has seen.
func (s *storage) discard() {
	owner := s.owner.Swap(released)
	if owner == released {
		return
	}
	if owner != nil {
		owner.remove(s)
	}
	s.free()
}

// alive panics where the tensor's memory was given back.
func (x *Tensor) alive() {
	if x == nil {
		fail("use", ErrValue, "expected a Tensor, but got None")
	}
	if x.storage.owner.Load() == released {
		refuseReleased()
	}
}

func refuseReleased() {
	failHint("use", ErrReleased, "this tensor's memory was released: by Release, by its scope's Close, or by a Loader that advanced",
		"Keep of its scope takes a tensor out before that closes; what a Loader gave is in the batch's Scope")
}

var errTooManyAxes = errors.New("tensors with more than 16 dimensions are not supported")
