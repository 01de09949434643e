package sim

import "cresset/internal/driver"

// registers returns how many a thread of the kernel has: those that are known, else as many as NVIDIA's compiler may give it.
func (d *Driver) registers(c *context, f *function) int {
	if d.known != nil {
		if n := d.known(f.name, 10*c.dev.gpu.Major+c.dev.gpu.Minor); n > 0 {
			return n
		}
	}
	if f.kernel.MaxThreads == 0 {
		return registersUnbounded
	}
	return min(registersPerSM/(f.kernel.MaxThreads*max(f.kernel.MinBlocks, 1))&^7, mostRegisters)
}

const (
	mostRegisters      = 255
	registersUnbounded = 32 // of kernels that do not bound their blocks
)

// resident returns how many blocks of a launch a multiprocessor runs at once.
func (d *Driver) resident(c *context, f *function, threads int, shared uint64) int {
	return c.dev.gpu.Resident(threads, d.registers(c, f), uint64(f.kernel.Shared)+shared)
}

func (d *Driver) occupancyMaxActiveBlocks(h driver.Context, fh driver.Function, threads int32, shared uint64) (int32, driver.Result) {
	return answer(d, h, func(c *context) (int32, driver.Result) {
		f, r := d.function(c, fh)
		switch {
		case r != driver.Success:
			return 0, r
		case threads <= 0:
			return 0, c.refuse(driver.ErrInvalidValue, "%s: blocks of %d threads", f.name, threads)
		case int(threads) > f.maxThreads():
			return 0, driver.Success
		}
		return int32(d.resident(c, f, int(threads), shared)), driver.Success
	})
}

// occupancyMaxActiveClusters counts as if each cluster's multiprocessors were neighbours: hardware leaves some of a part over that clusters do not fill.
func (d *Driver) occupancyMaxActiveClusters(h driver.Context, fh driver.Function, l *driver.Launch) (int32, driver.Result) {
	return answer(d, h, func(c *context) (int32, driver.Result) {
		f, r := d.function(c, fh)
		if r == driver.Success {
			r = c.checkCluster(f, l)
		}
		if r != driver.Success {
			return 0, r
		}
		n := int(l.Cluster.Count())
		return int32(d.resident(c, f, int(l.Block.Count()), uint64(l.Shared)) * (c.dev.gpu.Multiprocessors / n)), driver.Success
	})
}
