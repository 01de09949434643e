package mem

import "runtime/debug"

// Stats counts the bytes of the pool, rounded up to size classes.
type Stats struct {
	Allocated   int64 // handed out: blocks of 4 KiB and more that are neither freed nor known to be dropped
	Small       int64 // handed out and not freed: blocks below 4 KiB; those that were dropped stay in this count
	Peak        int64 // most of Allocated
	Reserved    int64 // Allocated, and what waits in the pool to be handed out again
	Collections int64 // garbage collections that the pool asked for
}

// ReadStats returns the counts as they are now.
func ReadStats() Stats {
	p := &host
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Allocated: p.live, Small: p.small, Peak: p.peak, Reserved: p.live + p.idle, Collections: p.collections}
}

// ResetPeak sets Peak to what is handed out now.
func ResetPeak() {
	host.mu.Lock()
	defer host.mu.Unlock()
	host.peak = host.live
}

// Collect runs the garbage collector and takes back every block that was
// dropped.
func Collect() { host.collect(true) }

// EmptyCache gives all memory that nobody uses back to the operating system.
func EmptyCache() {
	host.collect(true)
	host.mu.Lock()
	host.trim(0)
	host.mu.Unlock()
	debug.FreeOSMemory()
}
