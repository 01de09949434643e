package cuda

import "runtime"

// collectBytes is how much may be allocated before unreachable buffers are looked for, as for host memory.
const collectBytes = 32 << 20

// collection decides when to run Go's garbage collector. That knows only the few bytes of a Buffer, not the device memory
// behind it, and by itself would run too late.
type collection struct {
	limit    int64 // allocated bytes from which a collection is due
	notified bool  // collections of others are noticed: see notify
	running  bool
	closed   bool          // nobody will use the allocator any more
	ended    chan struct{} // closed when the running collection has ended
}

// due reports whether so much was allocated since the last collection that some of it may be unreachable.
func (c *collection) due(allocated int64) bool { return allocated > max(c.limit, collectBytes) }

// collect runs the garbage collector and reclaims every buffer that is unreachable. Without force it does so only where that
// is still due after other goroutines' collections. The lock is held before and after, not meanwhile.
func (a *allocator) collect(force bool) {
	for a.gc.running {
		ended := a.gc.ended
		a.mu.Unlock()
		<-ended
		a.mu.Lock()
	}
	if !force && !a.gc.due(a.allocated()) {
		return
	}
	a.gc.running, a.gc.ended = true, make(chan struct{})
	a.mu.Unlock()
	runtime.GC()
	a.mu.Lock()
	a.reclaimUnreachable()
	a.gc.limit = a.nextLimit()
	a.gc.running = false
	close(a.gc.ended)
}

// allocated returns the bytes that tensors own.
func (a *allocator) allocated() int64 { return a.stats.AllocatedBytes[All].Current }

// nextLimit is where the next collection is due: half as much again as what is allocated now.
func (a *allocator) nextLimit() int64 { return a.allocated() + max(collectBytes, a.allocated()/2) }

// reclaimUnreachable takes back the blocks whose owners are gone.
func (a *allocator) reclaimUnreachable() {
	for i := len(a.inUse) - 1; i >= 0; i-- {
		if b := a.inUse[i]; b.owner() == nil {
			b.renew()
			a.reclaim(b)
		}
	}
}

// notify makes every garbage collection of the process call collected, from the first allocation on.
func (a *allocator) notify() {
	if a.gc.notified {
		return
	}
	a.gc.notified = true
	a.awaitCollection()
}

// awaitCollection leaves an unreachable object behind, whose cleanup tells of the next collection.
func (a *allocator) awaitCollection() {
	sentinel := new(struct{ self *allocator }) // has a pointer, since the runtime batches tiny objects without one
	runtime.AddCleanup(sentinel, (*allocator).collected, a)
}

// collected reclaims what a garbage collection has found unreachable.
func (a *allocator) collected() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gc.closed {
		return
	}
	if !a.gc.running { // reading a weak pointer while the collector marks would keep the buffer alive
		a.reclaimUnreachable()
		a.gc.limit = min(a.gc.limit, a.nextLimit())
	}
	a.awaitCollection()
}
