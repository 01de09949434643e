package cuda

import (
	"errors"
	"sync"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/driver"
)

// crossings order the streams of a device that use the same memory. Of each block it is known which stream has written it last, and which have
// read it since: a reader waits for the writer, a writer for both. A device whose program has made no streams knows nothing and pays nothing.
type crossings struct {
	several atomic.Bool // the program has made streams

	mu     sync.Mutex
	made   [streams - lanes]*Device // by their lane
	next   int
	issued [streams]uint64          // pieces of work
	seen   [streams][streams]uint64 // how many of another's pieces a stream has waited for
}

// traffic is what crossings know of a block. Its zero value says that nobody counted: the device had one stream when it was written.
type traffic struct {
	writer  stream
	wrote   uint64 // the writer's pieces of work, with that which wrote; 0 where it is not known yet
	readers streamSet
}

// NewStream returns the device as a backend whose work is issued on another stream. There are 8 of them, which are given out in turn.
func (d *Device) NewStream() (*Device, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	x := &d.crossings
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.next % len(x.made)
	if x.made[i] == nil {
		lane := lanes + stream(i)
		s, r := d.api.StreamCreate(d.ctx, driver.StreamNonBlocking, 0)
		if r != driver.Success {
			return nil, d.fail(r)
		}
		d.streams[lane] = s
		x.made[i] = &Device{gpu: d.gpu, lane: lane}
	}
	x.next++
	if !x.several.Load() {
		for s := range x.issued {
			x.issued[s] = 1 // what nobody counted
		}
		x.several.Store(true)
	}
	return x.made[i], nil
}

// crosses reports whether streams have to wait for each other: a graph in the making has one order.
func (d *Device) crosses() bool { return d.crossings.several.Load() && d.captured() == nil }

// join makes the device's own stream wait for all that the program has made, and part them again: a graph runs between, of which nobody knows
// what it reads and writes.
func (d *Device) join() (part func() error, err error) {
	x := &d.crossings
	if !x.several.Load() {
		return func() error { return nil }, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	made := x.made
	for _, s := range made {
		if s != nil {
			err = errors.Join(err, d.order(compute, s.lane))
		}
	}
	return func() error {
		var err error
		for _, s := range made {
			if s != nil {
				err = errors.Join(err, d.order(s.lane, compute))
			}
		}
		return err
	}, err
}

// meet makes the stream wait for what others do to a call's operands and results.
func (d *Device) meet(c *backend.Call) error {
	err := d.meetViews(c.In(), c.Out())
	if e := c.Epilogue; err == nil && e != nil {
		err = errors.Join(d.reads(e.X.Buf, e.Other.Buf), d.writes(e.Aside.Buf))
	}
	return err
}

func (d *Device) meetViews(in, out []backend.View) error {
	x := &d.crossings
	if !d.crosses() {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range in {
		if err := d.read(in[i].Buf); err != nil {
			return err
		}
	}
	for i := range out {
		if err := d.write(out[i].Buf); err != nil {
			return err
		}
	}
	return nil
}

// part notes that a kernel was issued that writes the views.
func (d *Device) part(out []backend.View) {
	x := &d.crossings
	if !d.crosses() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.issued[d.lane]++
	for i := range out {
		d.wrote(out[i].Buf)
	}
}

// reads is meet for a copy from buffers and writes for one to them; written is part of either.
func (d *Device) reads(buffers ...backend.Buffer) error { return d.each(d.read, buffers) }

func (d *Device) writes(buffers ...backend.Buffer) error { return d.each(d.write, buffers) }

func (d *Device) written(buffers ...backend.Buffer) {
	x := &d.crossings
	if !d.crosses() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.issued[d.lane]++
	for _, b := range buffers {
		d.wrote(b)
	}
}

func (d *Device) each(do func(b backend.Buffer) error, buffers []backend.Buffer) error {
	x := &d.crossings
	if !d.crosses() {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, b := range buffers {
		if err := do(b); err != nil {
			return err
		}
	}
	return nil
}

// blockOf returns the block under a buffer; nil where there is none.
func blockOf(b backend.Buffer) (*Buffer, *block) {
	h, _ := b.(*Buffer)
	if h != nil && h.whole != nil {
		h = h.whole
	}
	if h == nil {
		return nil, nil
	}
	return h, h.block
}

func (d *Device) read(buffer backend.Buffer) error {
	h, b := blockOf(buffer)
	if b == nil {
		return nil
	}
	d.alloc.used(h, d.lane)
	b.traffic.readers.add(d.lane)
	return d.awaitWriter(b)
}

func (d *Device) write(buffer backend.Buffer) error {
	h, b := blockOf(buffer)
	if b == nil {
		return nil
	}
	d.alloc.used(h, d.lane)
	if err := d.awaitWriter(b); err != nil {
		return err
	}
	for s := range streams {
		if b.traffic.readers.has(s) && s != d.lane {
			if err := d.await(s, d.crossings.issued[s]); err != nil {
				return err
			}
		}
	}
	b.traffic = traffic{writer: d.lane}
	return nil
}

// wrote notes that the stream has been given what writes the buffer.
func (d *Device) wrote(buffer backend.Buffer) {
	if _, b := blockOf(buffer); b != nil {
		b.traffic.writer, b.traffic.wrote = d.lane, d.crossings.issued[d.lane]
	}
}

// awaitWriter makes the stream wait for the one that has written the block.
func (d *Device) awaitWriter(b *block) error {
	t := &b.traffic
	if t.writer == d.lane {
		return nil
	}
	if t.wrote == 0 { // all that was issued so far
		if err := d.await(t.writer, d.crossings.issued[t.writer]+1); err != nil {
			return err
		}
		t.wrote = d.crossings.issued[t.writer]
		return nil
	}
	return d.await(t.writer, t.wrote)
}

// await makes the stream wait for so many pieces of another's work, unless it has; it waits for all of it.
func (d *Device) await(s stream, pieces uint64) error {
	x := &d.crossings
	if x.seen[d.lane][s] >= pieces {
		return nil
	}
	if err := d.order(d.lane, s); err != nil {
		return err
	}
	x.seen[d.lane][s] = x.issued[s]
	return nil
}

// fresh notes that a buffer is new to the stream, whose memory work that was issued to it before may still use.
func (d *Device) fresh(b *Buffer) {
	x := &d.crossings
	if b.block == nil || !x.several.Load() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	b.block.traffic = traffic{writer: d.lane}
}

// SyncStream waits for all that was issued to the stream and returns its error.
func (d *Device) SyncStream() error {
	if err := d.Failed(); err != nil {
		return err
	}
	return d.waitFor(d.lane)
}

// StreamDone reports whether all that was issued to the stream is done.
func (d *Device) StreamDone() (bool, error) {
	if err := d.Failed(); err != nil {
		return false, err
	}
	switch r := d.api.StreamQuery(d.ctx, d.streams[d.lane]); r {
	case driver.Success:
		return true, d.checkFault()
	case driver.ErrNotReady:
		return false, nil
	default:
		return false, d.fail(r)
	}
}
