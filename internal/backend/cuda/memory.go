package cuda

import (
	"errors"
	"sync"

	"cresset/internal/driver"
)

// A Device is the source of its allocator's memory.

func (d *Device) malloc(bytes int64) (uint64, error) {
	p, r := d.api.MemAlloc(d.ctx, uint64(bytes))
	switch r {
	case driver.Success:
		return uint64(p), nil
	case driver.ErrOutOfMemory:
		return 0, r
	}
	return 0, d.fail(r)
}

func (d *Device) free(ptr uint64) error {
	// The driver waits for the device's work before it takes the memory.
	return d.result(d.api.MemFree(d.ctx, driver.Ptr(ptr)))
}

func (d *Device) info() (free, total int64, err error) {
	f, t, r := d.api.MemGetInfo(d.ctx)
	if r != driver.Success {
		return 0, 0, d.fail(r)
	}
	return int64(f), int64(t), nil
}

// record is for the allocator, which holds its lock and cannot make room for an event; mark is for all others.
func (d *Device) record(s stream) (event, error) {
	return d.events.record(d, s)
}

// mark returns an event behind what has been issued to a stream.
func (d *Device) mark(s stream) (event, error) {
	e, err := d.events.record(d, s)
	if d.madeRoom(err) {
		e, err = d.events.record(d, s)
	}
	return e, err
}

// madeRoom reports whether an error was a shortage of memory outside of the allocator and cached segments were given back since:
// then the driver's call is worth another try.
func (d *Device) madeRoom(err error) bool {
	if err == nil {
		return false
	}
	e, ok := errors.AsType[*Error](err)
	return ok && e.Result == driver.ErrOutOfMemory && d.alloc != nil && d.alloc.emptyCache() == nil
}

func (d *Device) passed(e event) (bool, error) {
	switch r := d.api.EventQuery(d.ctx, e); r {
	case driver.Success:
		return true, nil
	case driver.ErrNotReady:
		return false, nil
	default:
		return false, d.fail(r)
	}
}

func (d *Device) wait(e event) error {
	return d.result(d.api.EventSynchronize(d.ctx, e))
}

func (d *Device) forget(e event) { d.events.give(e) }

// after makes a stream wait for an event, which may be of another device.
func (d *Device) after(s stream, e event) error {
	return d.result(d.api.StreamWaitEvent(d.ctx, d.streams[s], e, 0))
}

// eventList keeps events for reuse.
type eventList struct {
	timed bool // the events keep the time

	mu   sync.Mutex
	free []driver.Event
}

// record returns an event behind what has been issued to a stream.
func (l *eventList) record(d *Device, s stream) (driver.Event, error) {
	e, err := l.take(d)
	if err != nil {
		return 0, err
	}
	return e, d.result(d.api.EventRecord(d.ctx, e, d.streams[s]))
}

func (l *eventList) take(d *Device) (driver.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 {
		e := l.free[last]
		l.free = l.free[:last]
		return e, nil
	}
	flags := driver.EventDisableTiming
	if l.timed {
		flags = 0
	}
	e, r := d.api.EventCreate(d.ctx, flags)
	if r != driver.Success {
		return 0, d.fail(r)
	}
	return e, nil
}

func (l *eventList) give(e driver.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, e)
}

// Stats returns what the allocator counted; nothing before the device's first use.
func (d *Device) Stats() Stats {
	if !d.ready.Load() {
		return Stats{}
	}
	return d.alloc.snapshot()
}

// ResetPeakStats makes every peak what is in use now.
func (d *Device) ResetPeakStats() {
	if d.ready.Load() {
		d.alloc.resetPeaks()
	}
}

// ResetAccumulatedStats zeroes what was counted in all.
func (d *Device) ResetAccumulatedStats() {
	if d.ready.Load() {
		d.alloc.resetAccumulated()
	}
}

// EmptyCache gives memory that no tensor holds back to the driver.
func (d *Device) EmptyCache() error {
	if !d.ready.Load() {
		return nil
	}
	if e := d.failure.Load(); e != nil {
		return e
	}
	return d.alloc.emptyCache()
}

// SetMemoryFraction limits what the process may reserve to a share of the device's memory.
func (d *Device) SetMemoryFraction(f float64) error {
	if err := d.start(); err != nil {
		return err
	}
	return d.alloc.setFraction(f)
}
