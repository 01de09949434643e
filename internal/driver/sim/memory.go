package sim

import (
	"math"

	"cresset/internal/driver"
)

// mapBytes is the size from which an allocation is mapped by itself. Smaller
// ones are Go's, because systems limit the number of mappings.
const mapBytes = 64 << 10

func (d *Driver) memGetInfo(h driver.Context) (free, total uint64, r driver.Result) {
	c, r := d.enter("cuMemGetInfo_v2", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, 0, r
	}
	return c.dev.free(), c.dev.gpu.Memory, r
}

// free returns the bytes that nobody holds, other processes included.
func (dev *device) free() uint64 { return dev.gpu.Memory - dev.gpu.Used - dev.taken }

func (d *Driver) memAlloc(h driver.Context, bytes uint64) (driver.Ptr, driver.Result) {
	c, r := d.enter("cuMemAlloc_v2", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	if bytes == 0 {
		return 0, c.refuse(driver.ErrInvalidValue, "an allocation of 0 bytes")
	}
	a, r := d.allocate(c, bytes)
	if r != driver.Success {
		return 0, r
	}
	return driver.Ptr(a.base), r
}

// allocate takes memory of the context's device. The driver is locked.
func (d *Driver) allocate(c *context, bytes uint64) (*allocation, driver.Result) {
	if bytes > math.MaxInt-alignment || roundUp(bytes, alignment) > c.dev.free() {
		return nil, c.refuse(driver.ErrOutOfMemory, "%d bytes: %d of %d are free", bytes, c.dev.free(), c.dev.gpu.Memory)
	}
	data, release, err := backing(bytes)
	if err != nil {
		return nil, c.refuse(driver.ErrOutOfMemory, "the host has no addresses for %d bytes of simulated memory: %w", bytes, err)
	}
	a := &allocation{data: data, release: release, owner: c, charged: roundUp(bytes, alignment)}
	if !d.space.place(a, c.dev.physical) {
		release()
		return nil, c.refuse(driver.ErrOutOfMemory, "no addresses for %d bytes", bytes)
	}
	c.dev.taken += a.charged
	c.owned = append(c.owned, a)
	return a, driver.Success
}

func backing(bytes uint64) (data []byte, release func(), err error) {
	if bytes < mapBytes {
		return make([]byte, bytes), func() {}, nil
	}
	return mapped(int(bytes))
}

// memFree waits for all work, as CUDA does.
func (d *Driver) memFree(h driver.Context, p driver.Ptr) driver.Result {
	c, r := d.enter("cuMemFree_v2", h)
	if r != driver.Success || p == 0 {
		d.mu.Unlock()
		return r
	}
	a, r := d.owned(c, p)
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	pending := d.everything()
	d.mu.Unlock()
	wait(pending)
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.freed.Load() {
		return c.refuse(driver.ErrInvalidValue, "the memory at %#x has been freed meanwhile", p)
	}
	d.release(a)
	return c.dev.state()
}

// owned finds the allocation of the context that starts at p.
func (d *Driver) owned(c *context, p driver.Ptr) (*allocation, driver.Result) {
	a, inside := d.space.find(uint64(p))
	switch {
	case !inside:
		return nil, c.refuse(driver.ErrInvalidValue, "no memory at %#x to free", p)
	case a.freed.Load():
		return nil, c.refuse(driver.ErrInvalidValue, "the memory at %#x has been freed before", p)
	case a.base != uint64(p):
		return nil, c.refuse(driver.ErrInvalidValue, "%#x is %d bytes into an allocation", p, uint64(p)-a.base)
	case a.owner == nil:
		return nil, c.refuse(driver.ErrInvalidValue, "%#x is memory of the host", p)
	case a.module:
		return nil, c.refuse(driver.ErrInvalidValue, "%#x is a variable of a module", p)
	}
	return a, driver.Success
}

// release frees an allocation of a device that nobody is using.
func (d *Driver) release(a *allocation) {
	c := a.owner
	c.dev.taken -= a.charged
	for i, other := range c.owned {
		if other == a {
			last := len(c.owned) - 1
			c.owned[i], c.owned[last] = c.owned[last], nil
			c.owned = c.owned[:last]
			break
		}
	}
	d.space.free(a)
}

const allHostFlags = driver.HostPortable | driver.HostMapped | driver.HostWriteCombined

// memHostAlloc returns memory of Go: all host memory is pinned here, but only
// what comes from here is copied without waiting, as on hardware.
func (d *Driver) memHostAlloc(h driver.Context, bytes uint64, flags uint32) ([]byte, driver.Result) {
	c, r := d.enter("cuMemHostAlloc", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return nil, r
	}
	if bytes == 0 || flags&^allHostFlags != 0 {
		return nil, c.refuse(driver.ErrInvalidValue, "pinned memory of %d bytes with flags %#x", bytes, flags)
	}
	if spare := d.room.left() - reserve; bytes > uint64(max(spare, 0)) {
		return nil, c.refuse(driver.ErrOutOfMemory, "pinned memory: %w", &RoomError{int64(min(bytes, math.MaxInt64)), spare + reserve})
	}
	a := &allocation{data: make([]byte, bytes), release: func() {}}
	if !d.space.place(a, hostRegion) {
		return nil, c.refuse(driver.ErrOutOfMemory, "no addresses for %d bytes of pinned memory", bytes)
	}
	return a.data, driver.Success
}

// pinned finds the pinned allocation that starts where p does.
func (d *Driver) pinned(c *context, p []byte) (*allocation, driver.Result) {
	if len(p) > 0 {
		if a := d.space.hostAt(p); a != nil && &a.data[0] == &p[0] {
			return a, driver.Success
		}
	}
	return nil, c.refuse(driver.ErrInvalidValue, "not the start of pinned memory")
}

func (d *Driver) memFreeHost(h driver.Context, p []byte) driver.Result {
	c, r := d.enter("cuMemFreeHost", h)
	var a *allocation
	if r == driver.Success {
		a, r = d.pinned(c, p)
	}
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	pending := d.everything()
	d.mu.Unlock()
	wait(pending)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.space.free(a)
	return c.dev.state()
}

func (d *Driver) memHostGetDevicePointer(h driver.Context, p []byte, flags uint32) (driver.Ptr, driver.Result) {
	c, r := d.enter("cuMemHostGetDevicePointer_v2", h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	if flags != 0 {
		return 0, c.refuse(driver.ErrInvalidValue, "the flags are %#x, and must be 0", flags)
	}
	a, r := d.pinned(c, p)
	if r != driver.Success {
		return 0, r
	}
	return driver.Ptr(a.base), r
}
