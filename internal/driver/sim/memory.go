package sim

import (
	"math"
	"slices"

	"cresset/internal/driver"
)

// mapBytes is the size from which an allocation is mapped by itself. Smaller ones are Go's, because systems limit the number
// of mappings.
const mapBytes = 64 << 10

func (d *Driver) memGetInfo(h driver.Context) (free, total uint64, r driver.Result) {
	c, r := d.enter(h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, 0, r
	}
	return d.free(c.dev, recent), c.dev.gpu.Memory, r
}

func (d *Driver) memAlloc(h driver.Context, bytes uint64) (driver.Ptr, driver.Result) {
	return answer(d, h, func(c *context) (driver.Ptr, driver.Result) {
		if bytes == 0 {
			return 0, c.refuse(driver.ErrInvalidValue, "an allocation of 0 bytes")
		}
		a, r := d.allocate(c, bytes)
		if r != driver.Success {
			return 0, r
		}
		return driver.Ptr(a.base), driver.Success
	})
}

// allocate takes memory of the context's device. The driver is locked.
func (d *Driver) allocate(c *context, bytes uint64) (*allocation, driver.Result) {
	if free := d.free(c.dev, 0); bytes > math.MaxInt-alignment || roundUp(bytes, alignment) > free {
		return nil, c.refuse(driver.ErrOutOfMemory, "%d bytes: %d of %d are free", bytes, free, c.dev.gpu.Memory)
	}
	data, release, err := d.backing(bytes)
	if err != nil {
		return nil, c.refuse(driver.ErrOutOfMemory, "the host has no addresses for %d bytes of simulated memory: %w", bytes, err)
	}
	a := &allocation{data: data, release: release, owner: c, charged: roundUp(bytes, alignment)}
	if d.mapped {
		d.space.placeAsMapped(a)
	} else if !d.space.place(a, c.dev.physical) {
		release()
		return nil, c.refuse(driver.ErrOutOfMemory, "no addresses for %d bytes", bytes)
	}
	c.dev.taken += a.charged
	c.owned = append(c.owned, a)
	d.announce()
	return a, driver.Success
}

func (d *Driver) backing(bytes uint64) (data []byte, release func(), err error) {
	if bytes < mapBytes && !d.mapped {
		return make([]byte, bytes), func() {}, nil
	}
	return mapped(int(bytes))
}

// memFree waits for all work, as CUDA does.
func (d *Driver) memFree(h driver.Context, p driver.Ptr) driver.Result {
	c, r := d.enter(h)
	defer d.mu.Unlock()
	if r != driver.Success || p == 0 {
		return r
	}
	a, r := d.owned(c, p)
	if r != driver.Success {
		return r
	}
	if d.retire(a) == 0 {
		return c.refuse(driver.ErrInvalidValue, "the memory at %#x has been freed meanwhile", p)
	}
	return c.dev.state()
}

// retire frees allocations when the work that may use them has ended, and returns how many it has freed. The driver is
// locked, but not all the time: work that is queued while the first is waited for is waited for as well, because it may have
// found the memory sound.
func (d *Driver) retire(all ...*allocation) int {
	d.pause()
	gone := make([]*allocation, 0, len(all))
	for _, a := range all {
		if !a.freed.Swap(true) {
			d.disown(a)
			gone = append(gone, a)
		}
	}
	d.pause()
	for _, a := range gone {
		d.space.free(a)
	}
	return len(gone)
}

// pause unlocks the driver until what has been queued so far has ended.
func (d *Driver) pause() {
	pending := d.everything()
	d.mu.Unlock()
	wait(pending)
	d.mu.Lock()
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

// disown takes an allocation off its context's account.
func (d *Driver) disown(a *allocation) {
	c := a.owner
	c.dev.taken -= a.charged
	d.announce()
	if i := slices.Index(c.owned, a); i >= 0 {
		last := len(c.owned) - 1
		c.owned[i], c.owned[last] = c.owned[last], nil
		c.owned = c.owned[:last]
	}
}

// memHostAlloc returns memory of Go: all host memory is pinned here, but only what comes from here is copied without
// waiting, as on hardware.
func (d *Driver) memHostAlloc(h driver.Context, bytes uint64, flags uint32) ([]byte, driver.Result) {
	return answer(d, h, func(c *context) ([]byte, driver.Result) {
		if bytes == 0 || flags&^(driver.HostPortable|driver.HostMapped) != 0 {
			return nil, c.refuse(driver.ErrInvalidValue, "pinned memory of %d bytes with flags %#x", bytes, flags)
		}
		if spare := d.room.left() - reserve; bytes > uint64(max(spare, 0)) {
			return nil, c.refuse(driver.ErrOutOfMemory, "pinned memory: %w", &RoomError{int64(min(bytes, math.MaxInt64)), spare + reserve})
		}
		a := &allocation{data: make([]byte, bytes)}
		if !d.space.place(a, hostRegion) {
			return nil, c.refuse(driver.ErrOutOfMemory, "no addresses for %d bytes of pinned memory", bytes)
		}
		return a.data, driver.Success
	})
}

func (d *Driver) memHostGetDevicePointer(h driver.Context, p []byte, flags uint32) (driver.Ptr, driver.Result) {
	return answer(d, h, func(c *context) (driver.Ptr, driver.Result) {
		if flags != 0 {
			return 0, c.refuse(driver.ErrInvalidValue, "the flags are %#x, and must be 0", flags)
		}
		if a := d.space.hostAt(p); len(p) > 0 && a != nil && &a.data[0] == &p[0] {
			return driver.Ptr(a.base), driver.Success
		}
		return 0, c.refuse(driver.ErrInvalidValue, "not the start of pinned memory")
	})
}
