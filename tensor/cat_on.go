package tensor

import (
	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// catOn is Cat on a device of choice for tensors of any devices: each part is copied once, straight to its place where that
// is contiguous.
func catOn(dev device.Device, ts []*Tensor, axis int) *Tensor {
	name := op.CatOn.String()
	if len(ts) == 0 {
		fail(name, ErrValue, "gather expects a non-empty list of Tensors")
	}
	refuseNilIn(name, ts)
	return joinOf(ts, axis).of(op.CatOn, resolve(dev), ts, (*Tensor).take)
}

// take fills x, part of a fresh result, from a tensor of the same shape on any device.
func (x *Tensor) take(t *Tensor) {
	s := NewScope()
	defer s.Close()
	t = s.Enter(t).cast(x.dtype)
	if !x.layout.IsContiguous() || t.storage.device.IsCPU() && x.storage.device.IsCPU() {
		if t.storage.device != x.storage.device {
			t = t.Detach().To(x.storage.device)
		}
		x.copyFrom(t)
		return
	}
	t.noteMove(op.CatOn.String())
	t = t.packedCopy()
	defer t.hold().leave()
	size := x.dtype.Size()
	w := watchCopy(t, x.storage.backend, backend.Transfer{To: x.storage.device, Bytes: x.layout.Size() * size, Pinned: t.IsPinned()})
	err := x.storage.backend.CopyFrom(x.storage.buf, x.layout.Offset*size, t.storage.buf, t.layout.Offset*size, x.layout.Size()*size, t.storage.backend)
	checkDone(op.CatOn.String(), err, x, t)
	w.done(nil) // the other parts may have come from elsewhere
}
