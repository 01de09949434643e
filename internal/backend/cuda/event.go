package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"cresset/internal/driver"
)

// Event marks a place in what a device computes, and when it was reached. The zero Event is not recorded.
type Event struct {
	mu     sync.Mutex
	device *Device      // on which it was recorded; nil before
	handle driver.Event // of the device's list for timers
}

// Record marks what was issued to a device so far. A second Record on the same device marks another place.
func (e *Event) Record(d *Device) error {
	if err := d.usable(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.device == nil:
		handle, err := d.timing.record(d, d.lane)
		if d.madeRoom(err) {
			handle, err = d.timing.record(d, d.lane)
		}
		if err != nil {
			return err
		}
		e.device, e.handle = d, handle
		runtime.AddCleanup(e, d.timing.give, handle)
		return nil
	case e.device.gpu != d.gpu:
		return pyError(fmt.Sprintf("Event device %d does not match recording stream's device %d.", e.device.index, d.index))
	}
	return d.result(d.api.EventRecord(d.ctx, e.handle, d.streams[d.lane]))
}

// usable starts the device and returns why nothing can be issued to it.
func (d *Device) usable() error {
	if err := d.start(); err != nil {
		return err
	}
	if err := d.Failed(); err != nil {
		return err
	}
	return d.uncaptured("an event within a graph", "record events before and after the replay")
}

// recorded returns where the event was recorded, nil where it was not.
func (e *Event) recorded() (*Device, driver.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.device, e.handle
}

// Query reports whether the place has been reached, as one that was not recorded has.
func (e *Event) Query() (bool, error) {
	d, handle := e.recorded()
	if d == nil {
		return true, nil
	}
	if err := d.Failed(); err != nil {
		return false, err
	}
	done, err := d.passed(handle)
	runtime.KeepAlive(e)
	return done, err
}

// Synchronize waits until the place has been reached, and returns what has failed there.
func (e *Event) Synchronize() error {
	d, handle := e.recorded()
	if d == nil {
		return nil
	}
	if err := d.Failed(); err != nil {
		return err
	}
	err := d.wait(handle)
	runtime.KeepAlive(e)
	return err
}

// Wait makes what is issued to a device from now on wait until the place has been reached.
func (e *Event) Wait(d *Device) error {
	from, handle := e.recorded()
	if from == nil {
		return nil
	}
	if err := d.usable(); err != nil {
		return err
	}
	err := d.after(d.lane, handle)
	runtime.KeepAlive(e)
	return err
}

// Until returns the milliseconds from this event to another of the device: those of the modelled clock on a simulated GPU.
func (e *Event) Until(end *Event) (milliseconds float64, err error) {
	d, from := e.recorded()
	other, to := end.recorded()
	switch {
	case d == nil || other == nil:
		return 0, pyError("Both events must be recorded before calculating elapsed time.")
	case d.gpu != other.gpu:
		return 0, d.failed(driver.ErrInvalidHandle) // as the driver says of events of two devices
	}
	for _, event := range []*Event{e, end} {
		done, err := event.Query()
		if err != nil {
			return 0, err
		}
		if !done {
			return 0, pyError("Both events must be completed before calculating elapsed time.")
		}
	}
	ms, r := d.api.EventElapsedTime(d.ctx, from, to)
	runtime.KeepAlive(e)
	runtime.KeepAlive(end)
	return float64(ms), d.result(r)
}
