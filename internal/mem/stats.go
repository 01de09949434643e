package mem

// Stats counts the bytes of the pool, rounded up to size classes.
type Stats struct {
	Allocated   int64 // handed out: blocks of 4 KiB and more that are neither freed nor known to be unreachable
	Small       int64 // handed out and not freed: blocks below 4 KiB; those that became unreachable stay in this count
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

// Collect runs the garbage collector and reclaims every unreachable block, so that tests of other packages can count what is left.
func Collect() { host.collect(true) }
