package cuda

import (
	"errors"
	"time"

	"cresset/internal/driver"
)

// The driver compiles a text that it is given and keeps the code in its own cache, for this program and the next. Code that is linked, which a
// program could keep itself, is no way around that: it is compiled to be linked with other code, without the registers that a kernel's
// bounds leave it, and conv_f32 took a quarter longer on an H100.

// JITTimes counts the kernels and modules of a device that were loaded, and how long that took.
type JITTimes struct {
	Loaded  int
	Loading time.Duration
}

// JITReport tells what loading every kernel took.
type JITReport struct {
	JITTimes
	Refused []Refusal
}

// load gives a text to the driver.
func (d *Device) load(text []byte, jit *driver.JIT) (driver.Module, driver.Result) {
	start, t := time.Now(), &d.modules
	m, r := d.api.ModuleLoadData(d.ctx, text, jit)
	if r == driver.Success {
		t.times.Loaded++
		t.times.Loading += time.Since(start)
	}
	return m, r
}

// LoadAll loads every kernel that the device takes as a program would, and so fills the driver's cache.
func (d *Device) LoadAll() (r JITReport, err error) {
	if err := d.start(); err != nil {
		return r, err
	}
	for k := range kernelNames {
		if !d.takes(kernelID(k)) {
			continue
		}
		if _, err := d.function(kernelID(k)); err != nil {
			e, ok := errors.AsType[*ModuleError](err)
			if !ok || !refuses(e) {
				return r, err
			}
			r.Refused = append(r.Refused, Refusal{Module: e.Module, Reason: e.reason()})
		}
	}
	r.JITTimes = d.Times()
	return r, nil
}

// Times returns what loading kernels has taken so far.
func (d *Device) Times() JITTimes {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	return d.modules.times
}
