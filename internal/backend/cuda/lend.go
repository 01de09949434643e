package cuda

import (
	"runtime"

	"cresset/internal/backend"
	"cresset/internal/driver"
)

var _ backend.Lender = (*Device)(nil)

// Within calls f on a thread on which the device's context is current.
func (d *Device) Within(f func() error) error {
	if err := d.start(); err != nil {
		return err
	}
	if e := d.failure.Load(); e != nil {
		return e
	}
	return d.inContext(f)
}

// Lend has a library issue work with pieces of the device's memory, as backend.Lender says.
func (d *Device) Lend(memory []backend.Piece, f func(stream uintptr, at []uintptr) error) (backend.Event, error) {
	if err := d.uncaptured("work of a library", "capture what lies before and behind it"); err != nil {
		return nil, err
	}
	at := make([]uintptr, len(memory))
	for i, m := range memory {
		p, err := d.span(m.Buf, m.Offset, m.Bytes)
		if err != nil {
			return nil, err
		}
		at[i] = uintptr(p)
	}
	if err := d.writes(buffersOf(memory)...); err != nil {
		return nil, err
	}
	if err := d.Within(func() error {
		if err := d.order(collective, d.lane); err != nil {
			return err
		}
		return f(uintptr(d.streams[collective]), at)
	}); err != nil {
		return nil, err
	}
	for _, m := range memory {
		d.alloc.used(m.Buf.(*Buffer), collective)
	}
	e, err := d.mark(collective)
	if err != nil {
		return nil, err
	}
	runtime.KeepAlive(memory)
	return &lentEvent{device: d, event: e}, nil
}

// lentEvent is what lies behind the work of a library.
type lentEvent struct {
	device *Device
	event  driver.Event
	done   bool
}

// Passed reports whether the work is done; what is issued to the device afterwards sees its results.
func (e *lentEvent) Passed() (bool, error) {
	if e.done {
		return true, nil
	}
	done, err := e.device.passed(e.event)
	if done {
		e.done = true
		e.device.forget(e.event)
	}
	return done, err
}
