package cuda

// Stat counts one thing.
type Stat struct {
	Current, Peak    int64
	Allocated, Freed int64 // in all
}

func (s *Stat) add(n int64) {
	s.Current += n
	s.Peak = max(s.Peak, s.Current)
	if n > 0 {
		s.Allocated += n
	} else {
		s.Freed -= n
	}
}

// PoolStat counts one thing in all pools, the small one and the large one.
type PoolStat [3]Stat

// The indexes of a PoolStat.
const (
	All = iota
	Small
	Large
)

func (s *PoolStat) add(k poolKind, n int64) {
	if n == 0 {
		return
	}
	s[All].add(n)
	s[Small+int(k)].add(n)
}

// Stats is what PyTorch's memory_stats counts.
type Stats struct {
	Allocation         PoolStat // blocks that tensors own
	Segment            PoolStat // pieces that the device gave
	Active             PoolStat // blocks that tensors own or a stream still uses
	InactiveSplit      PoolStat // idle parts of segments that cannot be given back
	AllocatedBytes     PoolStat
	ReservedBytes      PoolStat
	ActiveBytes        PoolStat
	InactiveSplitBytes PoolStat
	RequestedBytes     PoolStat // of the active blocks, before rounding

	OversizeAllocations Stat
	OversizeSegments    Stat

	Retries       int64 // requests for which idle segments were given back first
	OOMs          int64
	Syncs         int64 // times that all streams were waited for
	MaxSplitBytes int64 // -1 where splits are not limited
}

// owned counts n more blocks that tensors own.
func (s *Stats) owned(k poolKind, n, size int64, oversize bool) {
	s.Allocation.add(k, n)
	s.AllocatedBytes.add(k, n*size)
	if oversize {
		s.OversizeAllocations.add(n)
	}
}

// active counts n more blocks that are in use, by tensors or streams.
func (s *Stats) active(k poolKind, n, size, asked int64) {
	s.Active.add(k, n)
	s.ActiveBytes.add(k, n*size)
	s.RequestedBytes.add(k, n*asked)
}

// segment counts n more pieces that the device gave.
func (s *Stats) segment(k poolKind, n, size int64, oversize bool) {
	s.Segment.add(k, n)
	s.ReservedBytes.add(k, n*size)
	if oversize {
		s.OversizeSegments.add(n)
	}
}

// pooled names the counts that are kept by pool, as memory_stats does.
func (s *Stats) pooled() []namedStat {
	return []namedStat{
		{"allocation", &s.Allocation},
		{"segment", &s.Segment},
		{"active", &s.Active},
		{"inactive_split", &s.InactiveSplit},
		{"allocated_bytes", &s.AllocatedBytes},
		{"reserved_bytes", &s.ReservedBytes},
		{"active_bytes", &s.ActiveBytes},
		{"inactive_split_bytes", &s.InactiveSplitBytes},
		{"requested_bytes", &s.RequestedBytes},
	}
}

type namedStat struct {
	name string
	stat *PoolStat
}

// Map returns the counts under PyTorch's keys, such as "allocated_bytes.all.peak".
func (s Stats) Map() map[string]int64 {
	m := map[string]int64{
		"num_alloc_retries":    s.Retries,
		"num_ooms":             s.OOMs,
		"num_sync_all_streams": s.Syncs,
		"num_device_alloc":     s.Segment[All].Allocated,
		"num_device_free":      s.Segment[All].Freed,
		"max_split_size":       s.MaxSplitBytes,
	}
	for _, p := range s.pooled() {
		for i, pool := range [...]string{"all", "small_pool", "large_pool"} {
			p.stat[i].put(m, p.name+"."+pool)
		}
	}
	s.OversizeAllocations.put(m, "oversize_allocations")
	s.OversizeSegments.put(m, "oversize_segments")
	return m
}

func (s *Stat) put(m map[string]int64, name string) {
	m[name+".current"] = s.Current
	m[name+".peak"] = s.Peak
	m[name+".allocated"] = s.Allocated
	m[name+".freed"] = s.Freed
}

// each calls f for every count that has a peak.
func (s *Stats) each(f func(*Stat)) {
	for _, p := range s.pooled() {
		for i := range p.stat {
			f(&p.stat[i])
		}
	}
	f(&s.OversizeAllocations)
	f(&s.OversizeSegments)
}

// snapshot returns the counts as they are now.
func (a *allocator) snapshot() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.stats
	s.MaxSplitBytes = a.config.maxSplit
	if a.config.maxSplit == unlimited {
		s.MaxSplitBytes = -1
	}
	return s
}

// resetPeaks makes every peak what is in use now.
func (a *allocator) resetPeaks() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.each(func(s *Stat) { s.Peak = s.Current })
}

// resetAccumulated zeroes what was counted in all.
func (a *allocator) resetAccumulated() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stats.each(func(s *Stat) { s.Allocated, s.Freed = 0, 0 })
	a.stats.Retries, a.stats.OOMs, a.stats.Syncs = 0, 0, 0
}
