package cuda

// GraphPool is memory that several graphs of a device have together: each is captured into what those before have left free. It is theirs until the last
// of them is closed.
type GraphPool struct {
	device *Device
	memory *graphPool
}

// NewGraphPool returns a pool of which no graph has memory yet.
func (d *Device) NewGraphPool() *GraphPool { return &GraphPool{d, newGraphPool()} }

// Device returns the pool's GPU.
func (p *GraphPool) Device() *Device { return p.device }

// Pool returns the pool from which the graph has its memory.
func (g *Graph) Pool() *GraphPool { return &GraphPool{g.state.device, g.state.pool} }

// graphPool is memory that graphs have for themselves: what was allocated while they were captured. It is reused within them, whose replays write
// it again and again, and by nobody else until they are closed. Nor is it given back to the driver before.
type graphPool struct {
	pools [2]pool
	users int // captures and graphs
}

func newGraphPool() *graphPool {
	p := new(graphPool)
	p.pools[largePool].kind = largePool
	return p
}

// owns reports whether a block is of the pool. The allocator is locked.
func (p *graphPool) owns(b *block) bool {
	return b.pool == &p.pools[smallPool] || b.pool == &p.pools[largePool]
}

// owns reports whether a block was allocated in the capture. The allocator is locked.
func (c *capture) owns(b *block) bool { return c.pool.owns(b) && !c.earlier[b] }

// capturing returns the capture for which the caller's goroutine allocates, nil for none.
func (a *allocator) capturing() *capture {
	if c := underway.Load(); c != nil && c.device.alloc == a && c.mine() {
		return c
	}
	return nil
}

// open gives a capture the use of its pool, and tells it what others of the pool hold.
func (a *allocator) open(c *capture) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.pool.users++
	c.earlier = map[*block]bool{}
	for _, b := range a.inUse {
		if c.pool.owns(b) {
			c.earlier[b] = true
		}
	}
}

// close hands the memory of graphs over to everybody, once the last of them is closed: what is idle now, and what tensors hold when they free it. Work that was
// issued before is not disturbed, as with memory that is freed.
func (a *allocator) close(p *graphPool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.users--; p.users > 0 {
		return
	}
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
	*p = *newGraphPool()
}
