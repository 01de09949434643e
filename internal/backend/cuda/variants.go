package cuda

import (
	"errors"
	"slices"
	"strings"

	"cresset/internal/driver"
)

// A kernel can have variants for newer GPUs, each under a name of its own in a module with its own target. Launchers name them best
// first, the one that runs everywhere last.

// Refusal is a module of kernels that the driver did not take, though it was made for the GPU: its kernels are not used.
type Refusal struct{ Module, Reason string }

// Verdicts about a kernel.
const (
	unknown uint32 = iota
	taken
	notTaken
)

// takes reports whether a kernel was made for the device, and its module has not been refused. It loads nothing.
func (d *Device) takes(k kernelID) bool {
	v := &d.modules.verdicts[k]
	switch v.Load() {
	case taken:
		return true
	case notTaken:
		return false
	}
	t, ok := d.modules.targetOf(kernelNames[k])
	if !ok || !t.RunsOn(10*d.properties.Major+d.properties.Minor, d.properties.PTX) {
		v.Store(notTaken)
		return false
	}
	v.CompareAndSwap(unknown, taken)
	return v.Load() == taken
}

// sharedFits reports whether a block may have so many bytes of shared memory.
func (d *Device) sharedFits(shared int64) bool {
	const always = 48 << 10 // on every GPU, without asking
	return shared <= max(d.properties.SharedOptIn, always)
}

// lacks loads a kernel, and reports whether the driver refused it.
func (d *Device) lacks(k kernelID) bool {
	_, err := d.function(k)
	return err != nil && d.refuse(err)
}

// refuse notes that the driver did not take a module of a variant, if that is what the error says: from now on another one is taken. It
// is false for what runs everywhere, for which there is no other.
func (d *Device) refuse(err error) bool {
	e, ok := errors.AsType[*ModuleError](err)
	if !ok || !refuses(e) {
		return false
	}
	m := &d.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.refused, func(r Refusal) bool { return r.Module == e.Module }) {
		return true // another goroutine was here first
	}
	refused := false
	for k, name := range kernelNames {
		if in, _ := m.moduleOf(name); in != e.Module {
			continue
		}
		if t, _ := m.targetOf(name); t.Everywhere() {
			return false
		}
		m.verdicts[k].Store(notTaken)
		refused = true
	}
	if refused {
		m.refused = append(m.refused, Refusal{Module: e.Module, Reason: e.reason()})
	}
	return refused
}

// reason is what the driver answered and its compiler said, in one line.
func (e *ModuleError) reason() string {
	text := e.Err.Error()
	if failed, ok := errors.AsType[*Error](e.Err); ok {
		text = failed.Result.Error()
	}
	if e.Log != "" {
		text += ": " + strings.Join(strings.Fields(e.Log), " ")
	}
	return text
}

// refuses reports whether a module failed for what it is, and will fail again.
func refuses(e *ModuleError) bool {
	for _, r := range []driver.Result{
		driver.ErrInvalidImage, driver.ErrNoBinaryForGPU, driver.ErrInvalidPTX, driver.ErrUnsupportedPTXVersion, driver.ErrNotFound, driver.ErrNotSupported,
	} {
		if errors.Is(e.Err, r) {
			return true
		}
	}
	return false
}

// Refused returns the modules that the driver did not take.
func (d *Device) Refused() []Refusal {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	return slices.Clone(d.modules.refused)
}
