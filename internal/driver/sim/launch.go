package sim

import (
	"bytes"
	"errors"
	"fmt"

	"cresset/internal/driver"
	"cresset/internal/ptx"
)

// function is a kernel of a module.
type function struct {
	module *module
	name   string
	kernel *Kernel
	shared int32 // bytes of dynamic shared memory that a launch may ask for, where that was set
	wide   bool  // clusters of more than 8 blocks are allowed
}

func (f *function) maxThreads() int {
	if f.kernel.MaxThreads > 0 {
		return min(f.kernel.MaxThreads, maxThreadsPerBlock)
	}
	return maxThreadsPerBlock
}

// function finds a kernel by its handle.
func (d *Driver) function(c *context, h driver.Function) (*function, driver.Result) {
	f, ok := d.functions[h]
	if !ok || f.module.ctx != c {
		return nil, c.refuse(driver.ErrInvalidHandle, "no kernel %#x in this context", h)
	}
	return f, driver.Success
}

func (d *Driver) launchKernel(h driver.Context, fh driver.Function, shape *driver.Launch, sh driver.Stream, params []byte) driver.Result {
	c, s, r := d.enterStream(h, sh)
	var f *function
	if r == driver.Success {
		f, r = d.function(c, fh)
	}
	if r == driver.Success {
		r = c.checkLaunch(f, shape, params)
	}
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	l := &Launch{
		Launch: *shape,
		Params: bytes.Clone(params),
	}
	for _, a := range f.module.globals {
		l.Globals = append(l.Globals, a.base)
	}
	t := d.put(s, func() (float64, *failure) { return d.execute(c, f, l) })
	d.stir()
	if d.blocking {
		return d.after(c, t)
	}
	return d.after(c, nil)
}

// checkLaunch makes the checks that a launch answers at once.
func (c *context) checkLaunch(f *function, l *driver.Launch, params []byte) driver.Result {
	grid, block := l.Grid, l.Block
	switch {
	case grid.Count() == 0 || grid.X > maxGridX || grid.Y > maxGridYZ || grid.Z > maxGridYZ:
		return c.refuse(driver.ErrInvalidValue, "%s: a grid of %v blocks", f.name, grid)
	case block.Count() == 0 || block.X > maxBlock.X || block.Y > maxBlock.Y || block.Z > maxBlock.Z,
		block.Count() > maxThreadsPerBlock:
		return c.refuse(driver.ErrInvalidValue, "%s: a block of %v threads", f.name, block)
	case block.Count() > uint64(f.maxThreads()):
		return c.refuse(driver.ErrInvalidValue, "%s: a block of %d threads, and the kernel allows %d", f.name, block.Count(), f.maxThreads())
	case len(params) != f.kernel.ParamBytes:
		return c.refuse(driver.ErrInvalidValue, "%s: %d bytes of parameters, and the kernel takes %d", f.name, len(params), f.kernel.ParamBytes)
	case int(l.Shared) > max(sharedPerBlock-f.kernel.Shared, int(f.shared)):
		return c.refuse(driver.ErrInvalidValue, "%s: %d bytes of dynamic shared memory beside %d static ones, and %d are allowed to the kernel",
			f.name, l.Shared, f.kernel.Shared, f.shared)
	case l.Cluster != driver.Dim{}:
		return c.checkCluster(f, l)
	}
	return driver.Success
}

// checkCluster makes the checks of a launch in clusters.
func (c *context) checkCluster(f *function, l *driver.Launch) driver.Result {
	n := l.Cluster
	switch {
	case c.dev.gpu.Major < 9:
		return c.refuse(driver.ErrNotSupported, "%s: a launch in clusters on a device of capability %d.%d", f.name, c.dev.gpu.Major, c.dev.gpu.Minor)
	case n.Count() == 0 || l.Grid.X%n.X != 0 || l.Grid.Y%n.Y != 0 || l.Grid.Z%n.Z != 0:
		return c.refuse(driver.ErrInvalidCluster, "%s: clusters of %v blocks in a grid of %v", f.name, n, l.Grid)
	case n.Count() > 16 || n.Count() > 8 && !f.wide:
		return c.refuse(driver.ErrInvalidCluster, "%s: clusters of %v blocks: more than 8", f.name, n)
	}
	return driver.Success
}

// funcSetAttribute is for the attributes that launches depend on.
func (d *Driver) funcSetAttribute(h driver.Context, fh driver.Function, a driver.FuncAttribute, value int32) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		f, r := d.function(c, fh)
		if r != driver.Success {
			return r
		}
		switch most := max(int(c.dev.gpu.SharedPerBlock), sharedPerBlock) - f.kernel.Shared; {
		case a == driver.FuncNonPortableCluster:
			f.wide = value != 0
		case a != driver.FuncMaxDynamicShared:
			return c.refuse(driver.ErrInvalidValue, "%s: no attribute %d that can be set", f.name, a)
		case value < 0 || int(value) > most:
			return c.refuse(driver.ErrInvalidValue, "%s: %d bytes of dynamic shared memory, and the device has %d beside the kernel's static ones", f.name, value, most)
		default:
			f.shared = value
		}
		return driver.Success
	})
}

// execute runs a kernel.
func (d *Driver) execute(c *context, f *function, l *Launch) (float64, *failure) {
	if failed := d.back(nil); failed != nil {
		return 0, failed
	}
	memory := &view{d: d, c: c, watch: d.room.watch(d.allocated())}
	l.Memory, l.Capability = memory, 10*c.dev.gpu.Major+c.dev.gpu.Minor
	c.dev.meter.begin()
	done, err := f.kernel.Run(l)
	c.dev.meter.end()
	d.room.took(done.Bytes)
	if full := memory.watch.finish(); full != nil {
		return 0, &failure{driver.ErrUnknown, fmt.Errorf("%s on the GPU at %s: %w", f.name, c.dev.gpu.Bus, full)}
	}
	if err == nil {
		return kernelTime(c.dev.gpu, done), nil
	}
	result := driver.ErrLaunchFailed
	errors.As(err, &result)
	return 0, &failure{result, fmt.Errorf("%s on the GPU at %s: %w%s", f.name, c.dev.gpu.Bus, err, memory.elsewhere(err))}
}

// allocated returns how much memory of all devices is given out.
func (d *Driver) allocated() (bytes uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dev := range d.devices {
		bytes += dev.taken
	}
	return bytes
}

// view is the memory that a kernel of a context sees.
type view struct {
	d     *Driver
	c     *context
	watch *watch // nil where the host has memory enough
}

// Find returns the region that holds an address, or the nearest one. On a host without memory there is none, which ends the
// kernel.
func (v *view) Find(addr uint64) ptx.Region {
	a, _ := v.d.space.find(addr)
	if a == nil || !v.reaches(a) || v.watch.shortage() {
		return ptx.Region{}
	}
	return ptx.Region{Base: a.base, Data: a.data, Freed: a.freed.Load()}
}

// reaches is for kernels, which run without the driver's lock.
func (v *view) reaches(a *allocation) bool {
	if a.owner == nil || a.owner == v.c {
		return true
	}
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	return v.c.reaches(a)
}

// elsewhere adds to a fault whose address is another device's memory.
func (v *view) elsewhere(err error) string {
	fault, ok := errors.AsType[*ptx.Fault](err)
	if !ok {
		return ""
	}
	a, inside := v.d.space.find(fault.Address)
	if !inside || v.reaches(a) {
		return ""
	}
	return fmt.Sprintf(", which is memory of the GPU at %s, whose access is not enabled", a.owner.dev.gpu.Bus)
}
