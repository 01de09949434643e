package tensor

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// replicas copies tensors of one GPU to others, over and over: all that changed since the last time in one piece, into
// memory that it keeps. The zero value is ready, and several goroutines may use it.
type replicas struct {
	mu     sync.Mutex
	copies map[device.Device]*replica
}

// Of returns ts on each of the devices; they must be on the first, where the result shares their memory. The gradients of
// all copies of a tensor are added, in the order of the devices, and flow to it. A copy is good for one forward and
// backward: the next Of may write its memory anew.
func (r *replicas) Of(ts []*Tensor, devices []device.Device) [][]*Tensor {
	name := op.Broadcast.String()
	refuseNilIn(name, ts)
	for _, t := range ts {
		t.alive()
		if t.storage.device != devices[0] {
			failDevices(name, devices[0], t.storage.device, argument{"tensors", t})
		}
	}
	out := make([][]*Tensor, len(devices))
	if len(ts) == 0 {
		return out
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.update(ts, devices[1:])
	out[0] = slices.Clone(ts)
	for i, dev := range devices[1:] {
		out[i+1] = r.copies[dev].tensors(ts)
	}
	link(ts, out)
	return out
}

// update makes the copies on the devices equal to ts.
func (r *replicas) update(ts []*Tensor, devices []device.Device) {
	if r.copies == nil {
		r.copies = make(map[device.Device]*replica)
	}
	var stale []*replica
	for _, dev := range devices {
		if dev.IsCPU() {
			fail(op.Broadcast.String(), ErrDevice, "Broadcast function not implemented for CPU tensors", ts...)
		}
		if c := r.copies[dev]; c == nil || !c.equals(ts) {
			r.copies[dev] = c.renew(ts, dev)
			stale = append(stale, r.copies[dev])
		}
	}
	if len(stale) > 0 {
		fill(stale, ts)
	}
}

// replica is copies of tensors on one device, which lie one behind the other. Each has a storage of its own, so that a change
// in place concerns one copy alone.
type replica struct {
	whole  backend.Buffer
	parts  []*storage
	stamps []stamp // what the copies were made of; none before the first time
	users  *users
}

// stamp tells whether a tensor is what it was.
type stamp struct {
	source        weak.Pointer[storage]
	layout        *layout.Layout
	dtype         dtype.DType
	version, copy uint32 // of the source, and of the copy
}

// users counts the nodes of graphs that have saved a copy. While there are any the memory must not be written.
type users struct{ nodes atomic.Int32 }

// equals reports whether the copies have the elements of ts.
func (c *replica) equals(ts []*Tensor) bool {
	if len(c.stamps) != len(ts) {
		return false
	}
	for i, t := range ts {
		s, part := &c.stamps[i], c.parts[i]
		if s.source.Value() != t.storage || s.version != t.storage.version || s.copy != part.version || part.owner.Load() == released || !s.fits(t) ||
			!slices.Equal(s.layout.Strides(), t.layout.Strides()) || s.layout.Offset != t.layout.Offset {
			return false
		}
	}
	return true
}

// fits reports whether a tensor has the dtype and the shape of the stamp.
func (s *stamp) fits(t *Tensor) bool {
	return s.dtype == t.dtype && s.layout.Shape().Equal(t.layout.Shape())
}

// renew returns a replica whose memory may be written with ts: c itself where it has the right parts and no graph needs what
// is in them. c may be nil.
func (c *replica) renew(ts []*Tensor, dev device.Device) *replica {
	if c != nil && c.users.nodes.Load() == 0 {
		if c.holds(ts) {
			c.stamps = nil
			return c
		}
		c.release()
	}
	offsets, total := placesOf(ts)
	s := newStorage(op.Broadcast.String(), dev, total, nil)
	c = &replica{whole: s.buf, parts: make([]*storage, len(ts)), users: new(users)}
	for i, t := range ts {
		slice := gatherer(s).Slice(s.buf, offsets[i], t.layout.Size()*t.dtype.Size())
		c.parts[i] = &storage{backend: s.backend, buf: slice, device: s.device, links: &links{users: c.users}}
	}
	return c
}

// holds reports whether the parts are as large as ts.
func (c *replica) holds(ts []*Tensor) bool {
	return len(c.parts) == len(ts) && !slices.ContainsFunc(c.parts, func(p *storage) bool { return p.owner.Load() == released }) &&
		slices.EqualFunc(c.parts, ts, func(p *storage, t *Tensor) bool { return p.buf.Size() == t.layout.Size()*t.dtype.Size() })
}

// release gives the memory back.
func (c *replica) release() {
	b := c.parts[0].backend
	for _, p := range c.parts {
		p.discard()
	}
	b.Free(c.whole)
}

// alignment is where parts begin: no kernel wants more.
const alignment = 16

// placesOf returns at which bytes tensors begin that lie one behind the other, and how many bytes they take.
func placesOf(ts []*Tensor) (offsets []int, total int) {
	offsets = make([]int, len(ts))
	for i, t := range ts {
		offsets[i] = total
		total += (t.layout.Size()*t.dtype.Size() + alignment - 1) / alignment * alignment
	}
	return offsets, total
}

// fill writes ts into replicas on other devices: by one launch that puts them together, and a copy to each.
func fill(replicas []*replica, ts []*Tensor) {
	s := NewScope()
	defer s.Close()
	flat := s.flat(ts, ts, ts[0].storage.device)
	from := flat.storage
	for _, c := range replicas {
		b := c.parts[0].backend
		w := watchCopy(flat, b, backend.Transfer{To: c.parts[0].device, Bytes: from.buf.Size()})
		checkDone(op.Broadcast.String(), b.CopyFrom(c.whole, 0, from.buf, 0, from.buf.Size(), from.backend), ts...)
		w.done(nil)
		c.stamps = make([]stamp, len(ts))
		for i, t := range ts {
			c.parts[i].version++
			c.stamps[i] = stamp{weak.Make(t.storage), t.layout, t.dtype, t.storage.version, c.parts[i].version}
		}
	}
}

// flat returns tensors of a GPU one behind the other, put together by one launch. They are as large as those of like; for
// one that is nil there are zeros.
func (s *Scope) flat(like, ts []*Tensor, dev device.Device) *Tensor {
	offsets, total := placesOf(like)
	flat := s.fresh(&Tensor{layout: layout.Fresh(total), dtype: dtype.Uint8}, dev)
	if slices.Contains(ts, nil) {
		flat.fill(backend.Scalar{})
	}
	var to, from []backend.Piece
	for i, t := range ts {
		if t == nil {
			continue
		}
		t = s.Enter(t).packedCopy()
		defer t.hold().leave()
		bytes := t.layout.Size() * t.dtype.Size()
		to = append(to, backend.Piece{Buf: flat.storage.buf, Offset: offsets[i], Bytes: bytes})
		from = append(from, backend.Piece{Buf: t.storage.buf, Offset: t.layout.Offset * t.dtype.Size(), Bytes: bytes})
	}
	checkDone(op.Broadcast.String(), gatherer(flat.storage).CopyPieces(to, from), flat)
	return flat
}

// gatherer returns what copies and adds pieces where a storage is.
func gatherer(s *storage) backend.Gatherer { return s.backend.(backend.Gatherer) }

// packedCopy returns x itself where its elements are in row-major order, else a copy without a gradient record.
func (x *Tensor) packedCopy() *Tensor {
	if x.layout.IsContiguous() {
		return x
	}
	return x.like(op.Clone, x.dtype).copyFrom(x)
}

// tensors returns fresh tensors over the copies.
func (c *replica) tensors(ts []*Tensor) []*Tensor {
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		out[i] = c.parts[i].tensor(layout.Fresh(t.layout.Shape()...), t.dtype)
	}
	return out
}
