package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/emit"
)

// emitted holds the kernels that a device has loaded of regions, by their structure.
type emitted struct {
	mu         sync.Mutex
	kernels    map[string]*emittedKernel
	structures map[string]bool // of the regions that were asked for
}

// mostStructures is how many structures of regions a device has kernels for, which stay loaded: graphs and streams may be computing by any of them.
// Whoever compiles functions of more gets the rest computed op by op, as before.
const mostStructures = 512

// limited is the limit in the place of mostStructures, where it is not 0.
var limited atomic.Int64

// LimitStructures makes n the most structures of regions that devices have kernels for, until restore is called. It is for tests, of this package and of tensor.
func LimitStructures(n int) (restore func()) {
	limited.Store(int64(n))
	return func() { limited.Store(0) }
}

// admit reports whether the device may have a kernel of the structure.
func (e *emitted) admit(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.structures[key] && len(e.structures) >= cmp.Or(int(limited.Load()), mostStructures) {
		return false
	}
	if e.structures == nil {
		e.structures = map[string]bool{}
	}
	e.structures[key] = true
	return true
}

// emittedKernel is a kernel that was written at run time.
type emittedKernel struct {
	function driver.Function
	wave     int // blocks that the device runs at once
}

// ofRegion stands for the kernels of regions, which are in no list.
const ofRegion kernelID = maxKernels

// name is what profiles call a kernel.
func (k kernelID) name() string {
	if k == ofRegion {
		return "fused"
	}
	return kernelNames[k]
}

// emittedKernel returns a kernel, which is loaded on its first use.
func (d *Device) emittedKernel(k *emit.Kernel) (*emittedKernel, error) {
	d.emitted.mu.Lock()
	defer d.emitted.mu.Unlock()
	if e, ok := d.emitted.kernels[k.Key()]; ok {
		return e, nil
	}
	f, err := d.loadEmitted(k)
	if d.madeRoom(err) {
		f, err = d.loadEmitted(k)
	}
	if err != nil {
		return nil, err
	}
	g := kernels.Flat(1, 1)
	e := &emittedKernel{f, int(d.askAtOnce(ofRegion, f, &g))}
	if d.emitted.kernels == nil {
		d.emitted.kernels = map[string]*emittedKernel{}
	}
	d.emitted.kernels[k.Key()] = e
	return e, nil
}

func (d *Device) loadEmitted(k *emit.Kernel) (driver.Function, error) {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	var jit driver.JIT
	m, r := d.load(k.Text(), &jit)
	if r != driver.Success {
		return 0, &ModuleError{Module: k.Name(), Log: jit.Errors, Err: d.fail(r)}
	}
	f, r := d.api.ModuleGetFunction(d.ctx, m, k.Name())
	if r != driver.Success {
		return 0, &ModuleError{Module: k.Name(), Kernel: k.Name(), Err: d.fail(r)}
	}
	return f, nil
}
