package sim

import (
	"slices"

	"cresset/internal/driver"
)

// stagedBytes is up to which size CUDA stages a copy out of ordinary memory and returns; the source is free then. It waits
// for larger ones.
const stagedBytes = 64 << 10

// maxQueued is how much work a stream takes before a call waits.
const maxQueued = 1024

// move is work that copies src to dst.
func (d *Driver) move(dst, src []byte, nanoseconds float64) work {
	return func() (float64, *failure) {
		if failed := d.back(dst); failed != nil {
			return 0, failed
		}
		copy(dst, src)
		return nanoseconds, nil
	}
}

// back asks the host for memory that is about to be written. What cannot be done after a call has succeeded leaves the
// device unusable.
func (d *Driver) back(data []byte) *failure {
	if err := d.room.take(data); err != nil {
		return &failure{driver.ErrUnknown, err}
	}
	return nil
}

func (d *Driver) copyIn(h driver.Context, dst driver.Ptr, src []byte, sh driver.Stream) driver.Result {
	c, s, r := d.enterStream(h, sh)
	if r != driver.Success || len(src) == 0 {
		d.mu.Unlock()
		return r
	}
	to, r := d.bytes(c, dst, uint64(len(src)))
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	cost := copyTime(uint64(len(src)), c.dev.gpu.Link)
	pageable := d.space.hostAt(src) == nil
	waits := pageable && len(src) > stagedBytes
	if pageable && !waits {
		src = slices.Clone(src)
	}
	t := d.put(s, d.move(to, src, cost))
	if !waits {
		t = nil
	}
	return d.after(c, t)
}

func (d *Driver) copyOut(h driver.Context, dst []byte, src driver.Ptr, sh driver.Stream) driver.Result {
	c, s, r := d.enterStream(h, sh)
	if r != driver.Success || len(dst) == 0 {
		d.mu.Unlock()
		return r
	}
	from, r := d.bytes(c, src, uint64(len(dst)))
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	cost := copyTime(uint64(len(dst)), c.dev.gpu.Link)
	t := d.put(s, func() (float64, *failure) {
		copy(dst, from)
		return cost, nil
	})
	if d.space.hostAt(dst) != nil {
		t = nil // only ordinary memory is waited for
	}
	return d.after(c, t)
}

// after unlocks the driver, waits for t where there is one, and returns the result of the call that queued it.
func (d *Driver) after(c *context, t *task) driver.Result {
	if t == nil {
		d.mu.Unlock()
		return driver.Success
	}
	return d.finish(c, []*task{t})
}

func (d *Driver) copyWithin(h driver.Context, dst, src driver.Ptr, n uint64, sh driver.Stream) driver.Result {
	return d.copyPeer(h, dst, h, src, h, n, sh)
}

// copyPeer copies between devices, directly where one can use the other's memory and through the host elsewhere: only the
// time differs.
func (d *Driver) copyPeer(h driver.Context, dst driver.Ptr, dstCtx driver.Context, src driver.Ptr, srcCtx driver.Context, n uint64, sh driver.Stream) driver.Result {
	c, s, r := d.enterStream(h, sh)
	defer d.mu.Unlock()
	if r != driver.Success {
		return r
	}
	receiver, sender := d.contexts[dstCtx], d.contexts[srcCtx]
	if receiver == nil || sender == nil || receiver.destroyed || sender.destroyed {
		return c.refuse(driver.ErrInvalidContext, "a copy from context %#x to %#x", srcCtx, dstCtx)
	}
	if n == 0 {
		return r
	}
	to, r := d.bytes(receiver, dst, n)
	if r != driver.Success {
		c.why = receiver.why
		return r
	}
	from, r := d.bytes(sender, src, n)
	if r != driver.Success {
		c.why = sender.why
		return r
	}
	if dst < src+driver.Ptr(n) && src < dst+driver.Ptr(n) {
		return c.refuse(driver.ErrInvalidValue, "%d bytes from %#x to %#x overlap", n, src, dst)
	}
	d.put(s, d.move(to, from, d.peerTime(receiver, sender, n)))
	return driver.Success
}

// peerTime counts a copy within a device twice: both directions go over the same memory.
func (d *Driver) peerTime(to, from *context, n uint64) float64 {
	switch {
	case to.dev == from.dev:
		return copyTime(2*n, to.dev.gpu.Bandwidth)
	case to.peers[from] || from.peers[to]:
		return copyTime(n, d.machine.PeerRate(from.dev.physical, to.dev.physical))
	}
	return copyTime(n, from.dev.gpu.Link) + copyTime(n, to.dev.gpu.Link)
}

func (d *Driver) setBytes(h driver.Context, dst driver.Ptr, value uint8, n uint64, sh driver.Stream) driver.Result {
	c, s, r := d.enterStream(h, sh)
	defer d.mu.Unlock()
	if r != driver.Success || n == 0 {
		return r
	}
	if n > regionBytes {
		return c.refuse(driver.ErrInvalidValue, "%d elements of 1 bytes at %#x", n, dst)
	}
	to, r := d.bytes(c, dst, n)
	if r != driver.Success {
		return r
	}
	cost := kernelTime(c.dev.gpu, Work{Bytes: n})
	d.put(s, func() (float64, *failure) {
		if failed := d.back(to); failed != nil {
			return 0, failed
		}
		fill(to, value)
		return cost, nil
	})
	return driver.Success
}

// fill sets all bytes, by copying what is filled already.
func fill(dst []byte, value byte) {
	dst[0] = value
	for done := 1; done < len(dst); {
		done += copy(dst[done:], dst[:done])
	}
}

// enterStream is enter for a call that gives work to a stream.
func (d *Driver) enterStream(h driver.Context, sh driver.Stream) (*context, *stream, driver.Result) {
	c, r := d.enter(h)
	if r != driver.Success {
		return nil, nil, r
	}
	s, r := d.ownStream(c, sh)
	if r != driver.Success {
		return nil, nil, r
	}
	for len(s.queue) >= maxQueued {
		next := s.queue[0]
		d.mu.Unlock()
		<-next.done
		d.mu.Lock()
	}
	if c.destroyed { // meanwhile
		return nil, nil, driver.ErrContextIsDestroyed
	}
	return c, s, c.dev.state()
}
