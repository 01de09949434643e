package sim

import (
	"fmt"
	"path"
	"time"

	"cresset/internal/driver"
)

// Fault makes a call fail.
type Fault struct {
	// Symbol is the C function, such as cuMemAlloc_v2; * stands for any letters:
	// cuMemAlloc*, cuMemcpy*, cuLaunch*.
	Symbol string
	Skip   int           // calls that still succeed
	Result driver.Result // of the one after them; a sticky one poisons the device
	// Later has the call succeed and its work fail, as a kernel's does: the error
	// comes out at a later call. It is for calls that queue work.
	Later bool
}

func (f *Fault) error() error { return fmt.Errorf("a fault was injected into %s", f.Symbol) }

// Inject adds a fault. Each strikes once.
func (d *Driver) Inject(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, &f)
}

// Lose takes a device off the bus: what runs on it ends, and every call on it
// fails from now on.
func (d *Driver) Lose(h driver.Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.devices[h].lose()
}

func (dev *device) lose() {
	dev.failed = &failure{driver.ErrUnknown, fmt.Errorf("the GPU at %s has been lost", dev.gpu.Bus)}
}

// Calls returns how often a C function has been called.
func (d *Driver) Calls(symbol string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[symbol]
}

// Now waits for all work and returns when the last of it ended on the modelled
// clock.
func (d *Driver) Now() time.Duration {
	d.mu.Lock()
	tasks := d.everything()
	d.mu.Unlock()
	wait(tasks)
	end := 0.0
	for _, t := range tasks {
		end = max(end, t.end)
	}
	return time.Duration(end)
}

// fault returns the fault that strikes this call, if one does.
func (d *Driver) fault(symbol string, later bool) *Fault {
	for i, f := range d.faults {
		if match, _ := path.Match(f.Symbol, symbol); !match || f.Later != later {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		d.faults = append(d.faults[:i:i], d.faults[i+1:]...)
		return f
	}
	return nil
}

// queue puts the work of a call, or the fault that is to strike it.
func (d *Driver) queue(symbol string, s *stream, w work) *task {
	if f := d.fault(symbol, true); f != nil {
		w = func() (float64, *failure) { return 0, &failure{f.Result, f.error()} }
	}
	return d.put(s, w)
}
