package cuda

// graphPool is memory that a graph has for itself: what was allocated while it was captured. It is reused within the graph, whose replays write
// it again and again, and by nobody else until the graph is closed. Nor is it given back to the driver before.
type graphPool struct{ pools [2]pool }

func newGraphPool() *graphPool {
	p := new(graphPool)
	p.pools[largePool].kind = largePool
	return p
}

// owns reports whether a block is of the pool. The allocator is locked.
func (p *graphPool) owns(b *block) bool {
	return b.pool == &p.pools[smallPool] || b.pool == &p.pools[largePool]
}

// ofCaller returns the pools from which the caller's goroutine allocates.
func (a *allocator) ofCaller() *[2]pool {
	if c := underway.Load(); c != nil && c.device.alloc == a && c.mine() {
		return &c.pool.pools
	}
	return &a.pools
}

// close hands a graph's memory over to everybody: what is idle now, and what tensors hold when they free it. Work that was issued before is
// not disturbed, as with memory that is freed.
func (a *allocator) close(p *graphPool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.inUse {
		if p.owns(b) {
			b.pool = &a.pools[b.pool.kind]
		}
	}
	for _, queue := range a.pending {
		for _, f := range queue {
			if p.owns(f.block) {
				f.block.pool = &a.pools[f.block.pool.kind]
			}
		}
	}
	for k := range p.pools {
		for _, free := range p.pools[k].free {
			for _, b := range free {
				b.pool = &a.pools[k]
				b.pool.insert(b)
			}
		}
	}
	*p = graphPool{}
}
