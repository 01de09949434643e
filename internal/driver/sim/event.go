package sim

import "cresset/internal/driver"

// event marks a point in a stream's work.
type event struct {
	ctx      *context
	untimed  bool
	recorded *task // nil before the first record
}

// event finds an event by its handle.
func (d *Driver) event(c *context, h driver.Event) (*event, driver.Result) {
	e, ok := d.events[h]
	if !ok {
		return nil, c.refuse(driver.ErrInvalidHandle, "no event %#x", h)
	}
	return e, driver.Success
}

func (d *Driver) eventCreate(h driver.Context, flags uint32) (driver.Event, driver.Result) {
	return answer(d, h, func(c *context) (driver.Event, driver.Result) {
		if flags&^driver.EventDisableTiming != 0 {
			return 0, c.refuse(driver.ErrInvalidValue, "unknown flags %#x of an event", flags)
		}
		handle := driver.Event(d.newHandle())
		d.events[handle] = &event{ctx: c, untimed: flags&driver.EventDisableTiming != 0}
		return handle, driver.Success
	})
}

func (d *Driver) eventRecord(h driver.Context, eh driver.Event, sh driver.Stream) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		e, r := d.event(c, eh)
		if r != driver.Success {
			return r
		}
		if e.ctx != c {
			return c.refuse(driver.ErrInvalidHandle, "event %#x is of another context", eh)
		}
		s, r := d.ownStream(c, sh)
		if r == driver.Success {
			e.recorded = d.put(s, nil)
		}
		return r
	})
}

func (d *Driver) eventQuery(h driver.Context, eh driver.Event) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		e, r := d.event(c, eh)
		if r == driver.Success && e.recorded != nil && !e.recorded.ended() {
			return driver.ErrNotReady
		}
		return r
	})
}

func (d *Driver) eventSynchronize(h driver.Context, eh driver.Event) driver.Result {
	c, r := d.enter(h)
	var e *event
	if r == driver.Success {
		e, r = d.event(c, eh)
	}
	if r != driver.Success || e.recorded == nil {
		d.mu.Unlock()
		return r
	}
	return d.finish(e.ctx, []*task{e.recorded})
}

// eventElapsedTime is the time between two points on the modelled clock.
func (d *Driver) eventElapsedTime(h driver.Context, start, end driver.Event) (float32, driver.Result) {
	return answer(d, h, func(c *context) (float32, driver.Result) {
		var at [2]float64
		for i, eh := range []driver.Event{start, end} {
			e, r := d.event(c, eh)
			switch {
			case r != driver.Success:
				return 0, r
			case e.untimed:
				return 0, c.refuse(driver.ErrInvalidHandle, "event %#x keeps no time", eh)
			case e.recorded == nil:
				return 0, c.refuse(driver.ErrInvalidHandle, "event %#x has not been recorded", eh)
			case !e.recorded.ended():
				return 0, driver.ErrNotReady
			}
			at[i] = e.recorded.end
		}
		return float32((at[1] - at[0]) / 1e6), driver.Success
	})
}
