package cuda

import (
	"slices"
	"sync"

	"cresset/internal/backend"
	"cresset/internal/driver"
	"cresset/internal/profile"
)

// Host is pinned (page-locked) host memory, from and to which GPUs copy asynchronously.
type Host struct {
	device *Device // whose pool the memory comes from
	block  pinned
	size   int

	mu    sync.Mutex
	users []hostUser // streams whose copies may still be in flight
	gone  bool
	kept  bool
	holds int // graphs that copy from and to the memory
}

type hostUser struct {
	device *Device
	stream stream
}

// NewHost returns pinned memory, not zeroed, that every GPU can copy from and to.
func NewHost(bytes int) (backend.Pinned, error) {
	d, err := process.at(Current())
	if err != nil {
		return nil, err
	}
	b, err := d.pinned.take(d, bytes)
	if err != nil {
		return nil, err
	}
	return &Host{device: d, block: b, size: bytes}, nil
}

// Bytes returns the memory, which is not Go's: it is valid until Free.
func (h *Host) Bytes() []byte { return h.block.bytes[:h.size:h.size] }

// Free returns the memory to its pool, which reuses it once the copies in flight have completed. Calling it again does nothing.
func (h *Host) Free() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return
	}
	h.gone = true
	if h.holds == 0 {
		h.giveBack()
	}
}

func (h *Host) giveBack() {
	for _, u := range h.users {
		if u.device.gpu != h.device.gpu { // the pool records events of its own device alone
			u.device.waitFor(u.stream)
		}
	}
	h.device.pinned.put(h.device, h.block, h.users)
}

// Wait waits for the copies to and from the memory that were issued so far, and for nothing that was issued after them on other streams.
func (h *Host) Wait() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.users {
		if err := u.device.waitFor(u.stream); err != nil {
			return err
		}
	}
	return nil
}

// Keep makes Free do nothing: the caller of Bytes may still hold the memory.
func (h *Host) Keep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone, h.kept = true, true
}

// hold keeps the memory from being reused until letGo is called, also where it is freed meanwhile.
func (h *Host) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holds++
}

func (h *Host) letGo() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holds--; h.holds == 0 && h.gone && !h.kept {
		h.giveBack()
	}
}

func (h *Host) usedBy(d *Device, s stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if u := (hostUser{d, s}); !slices.Contains(h.users, u) {
		h.users = append(h.users, u)
	}
}

// Fetch returns a new buffer that the device fills asynchronously with bytes of pinned memory, on a stream of its own: kernels
// issued later wait for the copy, and the copy does not wait for those issued before.
func (d *Device) Fetch(src backend.Pinned, offset, bytes int) (backend.Buffer, error) {
	if e := d.failure.Load(); e != nil {
		return nil, e
	}
	defer profile.Begin(profile.Op, "copy_").End()
	c, err := d.capturedOr()
	switch {
	case err != nil:
		return nil, err
	case c != nil:
		return c.fetch(src.(*Host), offset, bytes)
	}
	b, err := d.alloc.alloc(bytes, copyIn)
	if err != nil || bytes == 0 {
		return b, err
	}
	d.fresh(b)
	d.alloc.used(b, d.lane)
	if r := d.copyToDevice(copyIn, fromPinned, driver.Ptr(b.ptr), src.Bytes()[offset:offset+bytes]); r != driver.Success {
		return nil, d.fail(r)
	}
	src.(*Host).usedBy(d, copyIn)
	err = d.order(d.lane, copyIn)
	d.written(b)
	return b, err
}

// Send copies a buffer's bytes asynchronously to pinned memory, after all work that was issued before. Kernels issued later
// wait for the copy, so that they cannot change what it reads. The host does not wait: it calls Sync before it reads.
func (d *Device) Send(dst backend.Pinned, src backend.Buffer, offset int) error {
	size := len(dst.Bytes())
	defer profile.Begin(profile.Op, "copy_").End()
	from, err := d.span(src, offset, size)
	if err != nil || size == 0 {
		return err
	}
	if c := d.captured(); c != nil {
		c.send(dst.(*Host), from)
		return nil
	}
	if err := d.reads(src); err != nil {
		return err
	}
	if err := d.order(copyOut, d.lane); err != nil {
		return err
	}
	if r := d.copyToHost(copyOut, toPinned, dst.Bytes(), from); r != driver.Success {
		return d.fail(r)
	}
	d.alloc.used(src.(*Buffer), copyOut)
	dst.(*Host).usedBy(d, copyOut)
	defer d.written()
	return d.order(d.lane, copyOut)
}

// order makes what is issued to a stream later wait for what was issued to another before.
func (d *Device) order(later, earlier stream) error {
	m, err := d.mark(earlier)
	if err != nil {
		return err
	}
	defer d.forget(m)
	return d.after(later, m)
}
