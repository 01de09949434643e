package tensor

import (
	"runtime"

	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
	"cresset/internal/op"
)

// PinMemory returns a copy of x in host memory that GPUs read by themselves, so that To with NonBlocking returns at once. It
// returns x itself where it lies in such memory, and panics where x is on a GPU or there is none.
func (x *Tensor) PinMemory() *Tensor {
	x.alive()
	switch {
	case x.IsPinned():
		return x
	case !x.storage.device.IsCPU():
		fail("pin_memory", ErrDevice, "cannot pin '"+x.legacyType()+"' only dense CPU tensors can be pinned", x)
	}
	out := x.pinnedTwin("pin_memory").copyFrom(x)
	record(out, op.Clone, copyGrad, nil, x)
	return out
}

// IsPinned reports whether x lies in host memory that GPUs read by themselves.
func (x *Tensor) IsPinned() bool { return x.storage.pinned() != nil }

// arrived returns x once the copies to its memory, where that is pinned, are done.
func (x *Tensor) arrived() *Tensor {
	if h := x.storage.pinned(); h != nil {
		checkDone("to", h.Wait(), x)
	}
	return x
}

// pinnedTwin returns an uninitialised tensor in pinned memory, with x's shape, dtype and order of axes.
func (x *Tensor) pinnedTwin(name string) *Tensor {
	l := layout.Of(x.layout.Shape(), x.layout.PreservedStrides(), 0)
	h, err := pin(l.Size() * x.dtype.Size())
	checkDone(name, err, x)
	block := mem.Wrap(h.Bytes())
	runtime.AddCleanup(block, backend.Pinned.Free, h) // nobody reads the memory without the block
	st := &storage{backend: host, buf: block, device: device.CPU, links: &links{pinned: h}}
	if placement.on.Load() {
		placement.made(st, name)
	}
	return st.tensor(&l, x.dtype).inherit(x)
}

// transferInBackground copies x between pinned memory and a GPU without waiting, or returns nil where it was not asked for or
// is not possible.
func (x *Tensor) transferInBackground(to target) *Tensor {
	if !to.nonBlocking || to.dtype != x.dtype || x.layout.Size() == 0 {
		return nil
	}
	defer x.hold().leave()
	dev := resolve(to.device)
	strides := x.layout.PreservedStrides()
	dense := layout.Of(x.layout.Shape(), strides, 0)
	if !sameOrder(x.layout, &dense) {
		return nil
	}
	at := x.layout.Offset * x.dtype.Size()
	moving := backend.Transfer{To: dev, Bytes: dense.Size() * x.dtype.Size(), Pinned: true, NonBlocking: true, Background: true}
	var out *Tensor
	var w *watch
	switch {
	case x.IsPinned() && copiesFromPinned(dev):
		there := x.scope.backendOf("to", dev)
		w = watchCopy(x, there, moving)
		buf, err := there.(backend.Copier).Fetch(x.storage.pinned(), at, moving.Bytes)
		checkDone("to", err, x)
		out = (&storage{backend: there, buf: buf, device: dev}).tensor(&dense, x.dtype).inherit(x)
	case copiesFromPinned(x.storage.device) && dev.IsCPU():
		out = x.pinnedTwin("to")
		w = watchCopy(x, host, moving)
		checkDone("to", x.storage.backend.(backend.Copier).Send(out.storage.pinned(), x.storage.buf, at), x)
	default:
		return nil
	}
	w.done(out.storage)
	runtime.KeepAlive(x)
	return out
}
