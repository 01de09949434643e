package sim

import (
	"time"

	"cresset/internal/hardware"
)

// Costs that do not depend on size, in nanoseconds.
const (
	launchCost = 4_000
	copyCost   = 8_000
)

// kernelTime is 4 us + max(bytes / bandwidth, lane-instructions / peak, products of tensor cores / their peak).
func kernelTime(g *hardware.GPU, w Work) float64 {
	busy := 0.0
	for i, n := range [...]uint64{w.Tensor8, w.Tensor16, w.Tensor32, w.Tensor64} {
		if n > 0 {
			busy += duration(n, tensorPeak(g, 1<<i))
		}
	}
	return launchCost + max(duration(w.Bytes, g.Bandwidth), duration(w.LaneInstructions, g.Peak), busy)
}

// tensorPeak returns how many multiplications with addition the tensor cores of a GPU make a second, of operands of so many bytes.
func tensorPeak(g *hardware.GPU, bytes int) uint64 {
	return uint64(hardware.TensorLanes(g.Name, g.Major, g.Minor, bytes)) * uint64(g.Multiprocessors) * g.Clock
}

// copyTime is 8 us + bytes / link.
func copyTime(bytes, link uint64) float64 { return copyCost + duration(bytes, link) }

// duration returns the nanoseconds of n at a rate per second.
func duration(n, rate uint64) float64 { return 1e9 * float64(n) / float64(rate) }

// Now waits for all work and returns when the last of it ended on the modelled clock.
func (d *Driver) Now() time.Duration {
	d.mu.Lock()
	tasks := d.everything()
	d.mu.Unlock()
	wait(tasks)
	end := 0.0
	for _, t := range tasks {
		end = max(end, t.end)
	}
	return time.Duration(end)
}
