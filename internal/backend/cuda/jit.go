package cuda

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"cresset/internal/backend/cuda/kernels"
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
	Took    time.Duration // by the clock: kernels are loaded several at a time
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
	start := time.Now()
	d.loadAhead()
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
	r.JITTimes, r.Took = d.Times(), time.Since(start)
	return r, nil
}

// loadAhead has the driver compile kernels, each by itself and several at a time, since it compiles on the thread that gives it a text. What it
// does not take is left to function, which tries the module and says what is wrong. Simulated GPUs compile nothing.
func (d *Device) loadAhead() {
	if d.api.Simulated {
		return
	}
	type alone struct {
		kernel kernelID
		text   []byte
	}
	texts := make(chan alone)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for a := range texts {
				d.loadAlone(a.kernel, a.text)
			}
		})
	}
	for _, k := range d.unloaded() {
		module, _ := d.modules.moduleOf(kernelNames[k])
		if text, err := d.modules.text(module); err == nil {
			if only, ok := kernels.Only(text, kernelNames[k]); ok {
				texts <- alone{k, only}
			}
		}
	}
	close(texts)
	all.Wait()
}

// unloaded returns the kernels that the device takes and has not loaded, those of a module one after the other, since families of modules are packed.
func (d *Device) unloaded() (list []kernelID) {
	for k := range kernelNames {
		if id := kernelID(k); d.takes(id) && d.modules.functions[id].Load() == 0 {
			list = append(list, id)
		}
	}
	slices.SortStableFunc(list, func(a, b kernelID) int {
		in, of := d.modules.moduleOf, kernelNames
		first, _ := in(of[a])
		second, _ := in(of[b])
		return cmp.Compare(first, second)
	})
	return list
}

// loadAlone loads a module of one kernel. A program that has loaded the kernel meanwhile keeps what it has.
func (d *Device) loadAlone(k kernelID, text []byte) {
	start, t := time.Now(), &d.modules
	m, r := d.api.ModuleLoadData(d.ctx, text, new(driver.JIT))
	if r != driver.Success {
		return
	}
	f, r := d.api.ModuleGetFunction(d.ctx, m, kernelNames[k])
	if r == driver.Success {
		t.functions[k].CompareAndSwap(0, uintptr(f))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.times.Loaded++
	t.times.Loading += time.Since(start)
}

// Times returns what loading kernels has taken so far.
func (d *Device) Times() JITTimes {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	return d.modules.times
}
