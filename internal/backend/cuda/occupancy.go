package cuda

import (
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

// Blocks that walk over their work are as many as the device runs at once, so that none waits for others to end: how many those are the
// driver knows, which has compiled the kernel. No result follows from it. Where a grid decides in which order numbers are added, as the parts of a
// reduction do, it is a function of the shape and the number of multiprocessors; random numbers follow from the device's threads, as in PyTorch.

// limit makes blocks that walk no more than run at once.
func (d *Device) limit(k kernelID, f driver.Function, g *kernels.Grid) {
	if g.Walks {
		g.Blocks[0] = min(g.Blocks[0], d.atOnce(k, f, g))
	}
}

// wave returns how many blocks of a kernel of 256 threads the device runs at once.
func (d *Device) wave(k kernelID) (blocks int, err error) {
	if n := d.modules.atOnce[k].Load(); n > 0 {
		return int(n), nil
	}
	f, err := d.function(k)
	if err != nil {
		return 0, err
	}
	g := kernels.Flat(1, 1)
	return int(d.atOnce(k, f, &g)), nil
}

// atOnce returns how many blocks of a grid the device runs at once. The driver is asked once: all grids of a kernel whose blocks walk are of the
// same blocks.
func (d *Device) atOnce(k kernelID, f driver.Function, g *kernels.Grid) uint32 {
	kept := &d.modules.atOnce[k]
	if n := kept.Load(); n > 0 {
		return n
	}
	n := d.askAtOnce(k, f, g)
	kept.Store(n)
	return n
}

func (d *Device) askAtOnce(k kernelID, f driver.Function, g *kernels.Grid) uint32 {
	if g.Shared > 0 && d.permit(k, f, g) != nil { // which the launch will tell
		return d.fullOfThreads(g)
	}
	size := g.Cluster[0] * g.Cluster[1] * g.Cluster[2] // blocks of a cluster, 0 without clusters
	if size > 0 && d.api.OccupancyMaxActiveClusters != nil {
		n, r := d.api.OccupancyMaxActiveClusters(d.ctx, f, &driver.Launch{Grid: dim(g.Blocks), Block: dim(g.Threads), Shared: g.Shared, Cluster: dim(g.Cluster)})
		if r == driver.Success && n > 0 {
			return uint32(n) * size
		}
	}
	n, r := d.api.OccupancyMaxActiveBlocks(d.ctx, f, threadsOf(g), uint64(g.Shared))
	if r != driver.Success || n < 1 {
		return d.fullOfThreads(g)
	}
	size = max(size, 1)
	return uint32(int(n)*d.properties.Multiprocessors) / size * size
}

// fullOfThreads is how many blocks there would be if threads alone were the limit.
func (d *Device) fullOfThreads(g *kernels.Grid) uint32 {
	return uint32(max(d.properties.Multiprocessors*(d.properties.MaxThreadsPerSM/max(int(threadsOf(g)), 1)), 1))
}

// threadsOf returns the threads of a block.
func threadsOf(g *kernels.Grid) int32 { return int32(g.Threads[0] * g.Threads[1] * g.Threads[2]) }
