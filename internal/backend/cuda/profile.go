package cuda

import (
	"sync"
	"time"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/profile"
)

// stopwatches measure the work of a device for a profile: each piece by two events on its stream. Nothing here fails a computation: work
// that the driver does not time is told without a time.
type stopwatches struct {
	mu      sync.Mutex
	of      *profile.Recorder // for which they measure
	base    driver.Event      // passes at baseAt by the host's clock; 0 where there is none
	baseAt  time.Duration
	pending [streams][]timedWork // oldest first
	last    [streams]passing     // the end of what was settled last
	spare   []driver.Event
}

// passing is when an event passed.
type passing struct {
	event driver.Event
	at    time.Duration
}

// timedWork is work that may not be done yet.
type timedWork struct {
	index      int // of the recorder's event
	start, end driver.Event
}

// work is a piece of work that is being given to a stream. A nil *work is told to nobody.
type work struct {
	device *Device
	stream stream
	start  driver.Event
	event  profile.Event
}

// watch is called before the driver is given work for a stream, end after it. In between no other work of the device may be watched.
func (d *Device) watch(s stream, k profile.Kind, name string, bytes int) *work {
	r := profile.Running()
	if r == nil {
		return nil
	}
	return d.watchFor(r, s, profile.Event{Kind: k, Name: name, Bytes: int64(bytes)})
}

// watchLaunch is watch for a kernel.
func (d *Device) watchLaunch(k kernelID, g *kernels.Grid) *work {
	r := profile.Running()
	if r == nil {
		return nil
	}
	shape := &profile.Launch{Grid: g.Blocks, Block: g.Threads, Shared: g.Shared}
	return d.watchFor(r, d.lane, profile.Event{Kind: profile.Kernel, Name: k.name(), Launch: shape})
}

// watchFor holds the stopwatches until end, so that what goroutines issue at once is not timed together.
func (d *Device) watchFor(r *profile.Recorder, s stream, e profile.Event) *work {
	if d.isMeta() {
		return nil
	}
	w := &d.stopwatches
	w.mu.Lock()
	if w.of != r {
		d.beginTiming(r)
	}
	e.Device, e.Stream = d.index, int(s)
	return &work{device: d, stream: s, event: e, start: d.stamp(s)}
}

// end tells of the work where the driver took it.
func (w *work) end(taken bool) {
	if w == nil {
		return
	}
	d := w.device
	t := &d.stopwatches
	defer t.mu.Unlock()
	if !taken {
		t.giveBack(w.start)
		return
	}
	item := timedWork{start: w.start, end: d.stamp(w.stream)}
	if item.index = t.of.Work(w.event); item.index == profile.NoParent {
		t.giveBack(item.start, item.end)
		return
	}
	t.pending[w.stream] = append(t.pending[w.stream], item)
	if len(t.pending[w.stream])%mostUnsettled == 0 {
		d.settle(w.stream, false)
	}
}

// mostUnsettled is after how many pieces of work a stream is asked what is done.
const mostUnsettled = 256

// beginTiming notes when the device's clock and the host's meet.
func (d *Device) beginTiming(r *profile.Recorder) {
	t := &d.stopwatches
	for s := range t.pending {
		for _, item := range t.pending[s] {
			t.giveBack(item.start, item.end)
		}
		t.pending[s] = nil
		if t.last[s].event != t.base {
			t.giveBack(t.last[s].event)
		}
	}
	t.giveBack(t.base)
	t.of = r
	t.base = d.stamp(compute)
	if t.base != 0 && d.api.EventSynchronize(d.ctx, t.base) != driver.Success {
		t.giveBack(t.base)
		t.base = 0
	}
	t.baseAt = r.Now()
	for s := range t.last {
		t.last[s] = passing{t.base, t.baseAt}
	}
	r.Attach(d)
}

// stamp returns an event behind what has been issued to a stream, 0 where the driver makes none.
func (d *Device) stamp(s stream) driver.Event {
	t := &d.stopwatches
	var e driver.Event
	if last := len(t.spare) - 1; last >= 0 {
		e, t.spare = t.spare[last], t.spare[:last]
	} else if made, r := d.api.EventCreate(d.ctx, 0); r == driver.Success {
		e = made
	}
	if e != 0 && d.api.EventRecord(d.ctx, e, d.streams[s]) != driver.Success {
		t.giveBack(e)
		return 0
	}
	return e
}

func (t *stopwatches) giveBack(events ...driver.Event) {
	for _, e := range events {
		if e != 0 {
			t.spare = append(t.spare, e)
		}
	}
}

// Settle tells the recorder when work was done: all that is, or all where it waits.
func (d *Device) Settle(r *profile.Recorder, wait bool) {
	t := &d.stopwatches
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of != r {
		return
	}
	for s := range streams {
		d.settle(s, wait)
	}
}

// settle reads the times of a stream's work, oldest first. Each is measured from the end of the one before, since the driver's
// milliseconds have 24 bits.
func (d *Device) settle(s stream, wait bool) {
	t := &d.stopwatches
	queue := t.pending[s]
	done := 0
	for ; done < len(queue); done++ {
		item := queue[done]
		if !d.reached(item.end, wait) {
			break
		}
		t.read(d, s, item)
	}
	t.pending[s] = append(queue[:0], queue[done:]...)
}

// reached reports whether an event has passed, or never will tell: it waits for one where it is told to.
func (d *Device) reached(e driver.Event, wait bool) bool {
	if e == 0 {
		return true
	}
	if wait {
		d.api.EventSynchronize(d.ctx, e) // what fails tells no time
		return true
	}
	return d.api.EventQuery(d.ctx, e) != driver.ErrNotReady
}

// read tells the recorder when a piece of work began and how long it took.
func (t *stopwatches) read(d *Device, s stream, item timedWork) {
	last := t.last[s]
	gap, known := d.between(last.event, item.start)
	took, timed := d.between(item.start, item.end)
	if !known || !timed {
		t.giveBack(item.start, item.end)
		return
	}
	start := last.at + gap
	t.of.Timed(item.index, start, took)
	if last.event != t.base {
		t.giveBack(last.event)
	}
	t.giveBack(item.start)
	t.last[s] = passing{item.end, start + took}
}

// between returns the time from one event to another, and whether the driver tells it.
func (d *Device) between(from, to driver.Event) (time.Duration, bool) {
	if from == 0 || to == 0 {
		return 0, false
	}
	milliseconds, r := d.api.EventElapsedTime(d.ctx, from, to)
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), r == driver.Success
}

// tell tells a profile of memory that was given out, or came back where bytes are negative.
func (a *allocator) tell(b *block, bytes int64) {
	if !a.profiled || profile.Running() == nil {
		return
	}
	profile.Allocated(a.device, bytes, profile.Held{
		Address: b.ptr, Allocated: a.stats.AllocatedBytes[All].Current, Reserved: a.stats.ReservedBytes[All].Current,
	})
}
