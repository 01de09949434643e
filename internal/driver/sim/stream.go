package sim

import (
	"slices"

	"cresset/internal/driver"
)

// stream is work in order. A goroutine runs it while there is any.
type stream struct {
	ctx         *context
	nonBlocking bool
	last        *task // newest, which may have ended
	queue       []*task
	running     bool
}

// task is a piece of a stream's work. Its fields but done are its worker's once it is queued, and anyone's to read once done
// is closed.
type task struct {
	after []*task // what must have ended before
	work  work    // nil for a task that only marks a point
	end   float64 // nanoseconds on the modelled clock
	done  chan struct{}
}

// work does something and returns how many nanoseconds it takes in the model.
type work func() (nanoseconds float64, failed *failure)

func (t *task) ended() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func wait(tasks []*task) {
	for _, t := range tasks {
		<-t.done
	}
}

// put queues work. The legacy stream waits for all streams of its context that are not non-blocking, and they wait for it.
// The driver is locked.
func (d *Driver) put(s *stream, w work, after ...*task) *task {
	t := &task{work: w, done: make(chan struct{})}
	for _, other := range append(after, s.last) {
		t.follow(other)
	}
	switch {
	case s == s.ctx.legacy:
		for _, other := range s.ctx.streams {
			if !other.nonBlocking {
				t.follow(other.last)
			}
		}
	case !s.nonBlocking:
		t.follow(s.ctx.legacy.last)
	}
	s.last = t
	s.queue = append(s.queue, t)
	if !s.running {
		s.running = true
		go d.drain(s)
	}
	return t
}

func (t *task) follow(other *task) {
	if other != nil {
		t.after = append(t.after, other)
	}
}

// drain runs a stream's tasks until there are none.
func (d *Driver) drain(s *stream) {
	for {
		d.mu.Lock()
		if len(s.queue) == 0 {
			s.running = false
			d.mu.Unlock()
			return
		}
		t := s.queue[0]
		s.queue = s.queue[1:]
		d.mu.Unlock()
		d.run(s.ctx.dev, t)
	}
}

// run runs a task when those before it have ended. On a poisoned device nothing is done any more, but everything ends.
func (d *Driver) run(dev *device, t *task) {
	for _, other := range t.after {
		<-other.done
		t.end = max(t.end, other.end)
	}
	d.mu.Lock()
	sound := dev.failed == nil
	d.mu.Unlock()
	if t.work != nil && sound {
		nanoseconds, failed := t.work()
		t.end += nanoseconds
		if failed != nil {
			d.poison(dev, failed)
		}
	}
	t.after, t.work = nil, nil // nothing before it is needed any more
	close(t.done)
}

// poison makes every later call on the device answer with the first failure.
func (d *Driver) poison(dev *device, f *failure) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev.failed == nil {
		dev.failed = f
	}
}

// pending returns what must have ended for the context to be idle.
func (c *context) pending() (tasks []*task) {
	for _, s := range append(c.streams, c.legacy) {
		if s.last != nil {
			tasks = append(tasks, s.last)
		}
	}
	return tasks
}

// everything returns what must have ended for all devices to be idle.
func (d *Driver) everything() (tasks []*task) {
	for _, c := range d.contexts {
		tasks = append(tasks, c.pending()...)
	}
	return tasks
}

// finish unlocks the driver, waits and returns what has become of the device.
func (d *Driver) finish(c *context, tasks []*task) driver.Result {
	d.mu.Unlock()
	wait(tasks)
	d.mu.Lock()
	defer d.mu.Unlock()
	return c.dev.state()
}

func (dev *device) state() driver.Result {
	if dev.failed != nil {
		return dev.failed.result
	}
	return driver.Success
}

// stream finds a stream by its handle, which 0 is the context's own of.
func (d *Driver) stream(c *context, h driver.Stream) (*stream, driver.Result) {
	if h == 0 {
		return c.legacy, driver.Success
	}
	s, ok := d.streams[h]
	if !ok {
		return nil, c.refuse(driver.ErrInvalidHandle, "no stream %#x", h)
	}
	return s, driver.Success
}

// ownStream is stream for work, which only streams of the same context take.
func (d *Driver) ownStream(c *context, h driver.Stream) (*stream, driver.Result) {
	s, r := d.stream(c, h)
	if r == driver.Success && s.ctx != c {
		return nil, c.refuse(driver.ErrInvalidHandle, "stream %#x is of another context", h)
	}
	return s, r
}

func (d *Driver) streamCreate(h driver.Context, flags uint32, priority int32) (driver.Stream, driver.Result) {
	return answer(d, h, func(c *context) (driver.Stream, driver.Result) {
		if flags&^driver.StreamNonBlocking != 0 {
			return 0, c.refuse(driver.ErrInvalidValue, "unknown flags %#x of a stream", flags)
		}
		// CUDA clamps priorities that are out of range. All run alike here.
		s, handle := &stream{ctx: c, nonBlocking: flags&driver.StreamNonBlocking != 0}, driver.Stream(d.newHandle())
		c.streams = append(c.streams, s)
		d.streams[handle] = s
		return handle, driver.Success
	})
}

func (d *Driver) streamSynchronize(h driver.Context, sh driver.Stream) driver.Result {
	c, r := d.enter(h)
	var s *stream
	if r == driver.Success {
		s, r = d.stream(c, sh)
	}
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	if s == c.legacy {
		return d.finish(c, []*task{d.put(s, nil)}) // after the streams that it orders
	}
	if s.last == nil {
		d.mu.Unlock()
		return driver.Success
	}
	return d.finish(s.ctx, []*task{s.last})
}

func (d *Driver) streamQuery(h driver.Context, sh driver.Stream) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		s, r := d.stream(c, sh)
		if r != driver.Success {
			return r
		}
		tasks := []*task{}
		if s.last != nil {
			tasks = append(tasks, s.last)
		}
		if s == c.legacy {
			for _, other := range c.streams {
				if !other.nonBlocking && other.last != nil {
					tasks = append(tasks, other.last)
				}
			}
		}
		if slices.ContainsFunc(tasks, func(t *task) bool { return !t.ended() }) {
			return driver.ErrNotReady
		}
		return s.ctx.dev.state()
	})
}

func (d *Driver) streamWaitEvent(h driver.Context, sh driver.Stream, eh driver.Event, flags uint32) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		s, r := d.ownStream(c, sh)
		if r != driver.Success {
			return r
		}
		e, r := d.event(c, eh)
		switch {
		case r != driver.Success:
			return r
		case flags != 0:
			return c.refuse(driver.ErrInvalidValue, "the flags of a wait are %#x, and must be 0", flags)
		case e.recorded != nil:
			d.put(s, nil, e.recorded)
		}
		return driver.Success
	})
}
