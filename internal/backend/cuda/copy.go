package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"cresset/internal/backend"
	"cresset/internal/driver"
	"cresset/internal/mem"
	"cresset/internal/profile"
)

// stagedBytes is the largest copy to a device that passes through pinned memory, so that the caller need not wait.
const stagedBytes = 1 << 20

// CopyIn writes src into dst from byte offset on, after all work that was issued before; src may be reused when it returns.
func (d *Device) CopyIn(dst backend.Buffer, offset int, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	defer profile.Begin(profile.Op, "copy_").End()
	to, err := d.span(dst, offset, len(src))
	if err != nil {
		return err
	}
	if err := d.uncaptured("a copy from pageable memory of the host", "make the tensor before the capture, or pin it and copy it by "+
		"To(device, tensor.NonBlocking(true))"); err != nil {
		return err
	}
	return d.copyNow(to, src, dst)
}

// copyNow is CopyIn to an address of a buffer, which a capture does not note.
func (d *Device) copyNow(to driver.Ptr, src []byte, dst backend.Buffer) error {
	if err := d.writes(dst); err != nil {
		return err
	}
	defer d.written(dst)
	if len(src) <= stagedBytes {
		return d.copyStaged(to, src)
	}
	if r := d.copyToDevice(d.lane, fromPageable, to, src); r != driver.Success {
		return d.fail(r)
	}
	if err := d.waitFor(d.lane); err != nil {
		return err
	}
	runtime.KeepAlive(dst)
	runtime.KeepAlive(src) // the driver read it until here
	return nil
}

// copyStaged copies src to a pinned staging buffer, from which the device copies asynchronously.
func (d *Device) copyStaged(to driver.Ptr, src []byte) error {
	b, err := d.pinned.take(d, len(src))
	if err != nil {
		return err
	}
	copy(b.bytes, src)
	if r := d.copyToDevice(d.lane, fromPinned, to, b.bytes[:len(src)]); r != driver.Success {
		return d.fail(r)
	}
	return d.pinned.give(d, b, d.lane)
}

// CopyOut reads into dst from src at byte offset, after all work that was issued before.
func (d *Device) CopyOut(dst []byte, src backend.Buffer, offset int) error {
	if len(dst) == 0 {
		return nil
	}
	defer profile.Begin(profile.Op, "copy_").End()
	from, err := d.span(src, offset, len(dst))
	if err != nil {
		return err
	}
	if err := d.uncaptured("elements are read on the host, where they do not lie before a replay", "read results after Replay; compute what "+
		"depends on data by Where on the device"); err != nil {
		return err
	}
	if err := d.reads(src); err != nil {
		return err
	}
	if r := d.copyToHost(d.lane, toPageable, dst, from); r != driver.Success {
		return d.fail(r)
	}
	if err := d.waitFor(d.lane); err != nil {
		return err
	}
	runtime.KeepAlive(src)
	runtime.KeepAlive(dst) // the driver wrote it until here
	return nil
}

// CopyFrom copies bytes of a buffer of another backend, after all work that was issued before on both. Between
// two GPUs the driver copies, directly where they are peers and else through the host.
func (d *Device) CopyFrom(dst backend.Buffer, dstOffset int, src backend.Buffer, srcOffset, bytes int, from backend.Backend) error {
	if bytes == 0 {
		return nil
	}
	if other, ok := from.(*Device); ok {
		return d.copyPeer(dst, dstOffset, src, srcOffset, bytes, other)
	}
	if b, ok := src.(*mem.Block); ok {
		err := d.CopyIn(dst, dstOffset, b.Bytes()[srcOffset:srcOffset+bytes])
		runtime.KeepAlive(b)
		return err
	}
	staged := make([]byte, bytes)
	if err := from.CopyOut(staged, src, srcOffset); err != nil {
		return err
	}
	return d.CopyIn(dst, dstOffset, staged)
}

// copyPeer copies on the source's compute stream; each device's compute stream waits for the other's, as in PyTorch.
func (d *Device) copyPeer(dst backend.Buffer, dstOffset int, src backend.Buffer, srcOffset, bytes int, other *Device) error {
	defer profile.Begin(profile.Op, "copy_").End()
	to, err := d.span(dst, dstOffset, bytes)
	if err != nil {
		return err
	}
	from, err := other.span(src, srcOffset, bytes)
	if err != nil {
		return err
	}
	c, err := d.capturedOr()
	switch {
	case err != nil:
		return err
	case c != nil && d.gpu != other.gpu:
		return refuseCapture("a copy from "+other.name()+" to "+d.name(), "capture on each GPU, and copy between replays")
	case c != nil:
		c.nodes = append(c.nodes, &copyNode{Dst: to, Src: from, Bytes: uint64(bytes)})
		return nil
	}
	if err := d.writes(dst); err != nil {
		return err
	}
	defer d.written(dst)
	if d.gpu == other.gpu {
		if err := d.reads(src); err != nil {
			return err
		}
		return d.result(d.copyWithin(to, from, bytes))
	}
	if err := other.reads(src); err != nil {
		return err
	}
	if err := other.reach(d); err != nil {
		return err
	}
	if err := other.follow(d); err != nil {
		return err
	}
	if r := other.copyToPeer(d, to, from, bytes); r != driver.Success {
		return other.fail(r)
	}
	other.written()
	d.copySources.add(other)
	if err := d.follow(other); err != nil {
		_ = other.waitFor(other.lane) // the memory must not be reused while the copy still writes it; a failure lies in err already or comes with the next call
		return err
	}
	return nil
}

// copySources are the devices that a device has copied from since it last checked them for errors.
type copySources struct {
	mu      sync.Mutex
	devices []*Device
}

func (o *copySources) add(d *Device) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.devices, d) {
		o.devices = append(o.devices, d)
	}
}

// check returns the failure of one of these devices: what was copied from it is invalid.
func (o *copySources) check() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range o.devices {
		if err := d.check(); err != nil {
			return err
		}
	}
	o.devices = nil
	return nil
}

// check returns what has failed so far, without waiting.
func (d *Device) check() error {
	if e := d.failure.Load(); e != nil {
		return e
	}
	switch r := d.api.StreamQuery(d.ctx, d.streams[d.lane]); r {
	case driver.Success:
		return d.checkFault()
	case driver.ErrNotReady:
		return nil
	default:
		return d.fail(r)
	}
}

// follow makes the compute stream wait for all work of another device's.
func (d *Device) follow(other *Device) error {
	m, err := other.mark(other.lane)
	if err != nil {
		return err
	}
	if err := d.after(d.lane, m); err != nil {
		return err
	}
	other.forget(m) // it can be recorded again: the wait refers to what was recorded before
	return nil
}

// How copies reach another device: not known yet, by peer access, or staged through the host.
const (
	unknownPeer uint32 = iota
	directPeer
	stagedPeer
)

// reach enables peer access to another device where the machine supports it; without it the driver stages copies through the
// host.
func (d *Device) reach(other *Device) error {
	state := &d.peers[other.index]
	if state.Load() != unknownPeer {
		return nil
	}
	can, err := d.CanReach(other)
	if err != nil {
		return err
	}
	if !can {
		state.Store(stagedPeer)
		return nil
	}
	switch r := d.api.CtxEnablePeerAccess(d.ctx, other.ctx, 0); r {
	case driver.Success, driver.ErrPeerAccessAlreadyEnabled:
		state.Store(directPeer)
	case driver.ErrPeerAccessUnsupported, driver.ErrNotSupported, driver.ErrTooManyPeers:
		state.Store(stagedPeer)
	default:
		return d.fail(r)
	}
	return nil
}

// CanReach reports whether the device reaches another's memory directly.
func (d *Device) CanReach(other *Device) (bool, error) {
	can, r := d.api.DeviceCanAccessPeer(d.handle, other.handle)
	if r != driver.Success {
		return false, d.fail(r)
	}
	return can != 0, nil
}

// span returns the address of bytes of a buffer, and an error where they do not lie in it.
func (d *Device) span(b backend.Buffer, offset, bytes int) (driver.Ptr, error) {
	if e := d.failure.Load(); e != nil {
		return 0, e
	}
	h := b.(*Buffer)
	if c := d.captured(); c != nil {
		c.usesBuffer(h)
	}
	if offset < 0 || bytes < 0 || offset+bytes > h.bytes {
		return 0, &RangeError{Offset: offset, Bytes: bytes, Size: h.bytes}
	}
	return driver.Ptr(h.ptr + uint64(offset)), nil
}

// RangeError is a copy that does not lie within its buffer.
type RangeError struct{ Offset, Bytes, Size int }

func (e *RangeError) Error() string {
	return fmt.Sprintf("cuda: %d bytes at %d do not lie in a buffer of %d", e.Bytes, e.Offset, e.Size)
}

// waitFor waits for all work of a stream and returns its error.
func (d *Device) waitFor(s stream) error {
	if r := d.api.StreamSynchronize(d.ctx, d.streams[s]); r != driver.Success {
		return d.fail(r)
	}
	if err := d.copySources.check(); err != nil {
		return err
	}
	return d.checkFault()
}
