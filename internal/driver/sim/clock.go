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

// kernelTime is 4 us + max(bytes / bandwidth, lane-instructions / peak).
func kernelTime(g *hardware.GPU, w Work) float64 {
	return launchCost + max(duration(w.Bytes, g.Bandwidth), duration(w.LaneInstructions, g.Peak))
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
