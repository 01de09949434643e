package sim

import (
	"slices"
	"time"

	"cresset/internal/tenants"
)

const (
	interval = 200 * time.Millisecond // between publications to the other programs
	recent   = 50 * time.Millisecond  // how old knowledge of them may be
	notice   = 1 << 20                // bytes of growth on a device that are published at once
)

// share is what other programs at the machine know of this one.
type share struct {
	table   *tenants.Table // nil at a machine of its own
	shown   []tenants.Usage
	ticking bool // the timer of the next publication runs
}

// free returns the bytes of a device that nobody holds, with what other programs hold as it was at most age ago. The driver
// is locked.
func (d *Driver) free(dev *device, age time.Duration) uint64 {
	held := dev.gpu.Reserved + dev.gpu.Used + dev.taken + d.share.table.Held(dev.gpu.UUID, age)
	return dev.gpu.Memory - min(held, dev.gpu.Memory)
}

// announce publishes how much memory this program holds: at once where no timer runs or a device's memory has grown by
// notice, and otherwise when the timer fires. The driver is locked.
func (d *Driver) announce() {
	if d.share.table == nil {
		return
	}
	if !d.share.ticking || d.grown() {
		d.publish(d.usage())
	}
	d.stir()
}

// stir starts the timer, which is started again while usage changes.
func (d *Driver) stir() {
	if d.share.table != nil && !d.share.ticking {
		d.share.ticking = true
		for _, dev := range d.devices {
			dev.meter.reading() // from now on
		}
		time.AfterFunc(interval, d.tick)
	}
}

func (d *Driver) tick() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.measured()
	d.share.ticking = !slices.Equal(now, d.share.shown) || slices.ContainsFunc(now, busy)
	d.publish(now)
	if d.share.ticking {
		time.AfterFunc(interval, d.tick)
	}
}

func busy(u tenants.Usage) bool { return u.Utilization > 0 }

// publish ignores errors: without the shared folder the machine is this program's alone.
func (d *Driver) publish(now []tenants.Usage) {
	if slices.Equal(now, d.share.shown) {
		return
	}
	if d.share.table.Publish(now) == nil {
		d.share.shown = now
	}
}

// usage returns what this program has of the GPUs, as busy as it was shown last.
func (d *Driver) usage() (all []tenants.Usage) {
	for _, dev := range d.devices {
		if dev.retained == 0 {
			continue
		}
		u := tenants.Usage{UUID: dev.gpu.UUID, Memory: dev.taken}
		if before := d.shown(dev); before != nil {
			u.Utilization = before.Utilization
		}
		all = append(all, u)
	}
	return all
}

// measured is usage with a new reading of every meter.
func (d *Driver) measured() []tenants.Usage {
	percent := map[string]int{}
	for _, dev := range d.devices {
		percent[dev.gpu.UUID] = dev.meter.reading()
	}
	all := d.usage()
	for i := range all {
		all[i].Utilization = percent[all[i].UUID]
	}
	return all
}

// grown reports whether a device holds much more than others know.
func (d *Driver) grown() bool {
	return slices.ContainsFunc(d.devices, func(dev *device) bool {
		before := d.shown(dev)
		return dev.taken >= notice && (before == nil || dev.taken >= before.Memory+notice)
	})
}

func (d *Driver) shown(dev *device) *tenants.Usage {
	i := slices.IndexFunc(d.share.shown, func(u tenants.Usage) bool { return u.UUID == dev.gpu.UUID })
	if i < 0 {
		return nil
	}
	return &d.share.shown[i]
}
