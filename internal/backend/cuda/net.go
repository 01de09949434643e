package cuda

import "runtime"

// slack is how much may be handed out before dropped buffers are looked for: the rule of host memory.
const slack = 32 << 20

// net decides when to look for buffers that were dropped. The collector sees only their handles and would wait too long.
type net struct {
	limit   int64 // bytes lent from which a collection is due
	watched bool
	running bool
	closed  bool          // nobody will use the allocator any more
	ended   chan struct{} // closed when the running collection has ended
}

// due reports whether so much was handed out since the last collection that some of it may have been dropped.
func (n *net) due(live int64) bool { return live > max(n.limit, slack) }

// collect runs the collector and takes back every buffer that was dropped; without force only where that is still due when
// its turn comes. The lock is held before and after, not meanwhile.
func (a *allocator) collect(force bool) {
	for a.net.running {
		ended := a.net.ended
		a.mu.Unlock()
		<-ended
		a.mu.Lock()
	}
	if !force && !a.net.due(a.live()) {
		return
	}
	a.net.running, a.net.ended = true, make(chan struct{})
	a.mu.Unlock()
	runtime.GC()
	a.mu.Lock()
	a.drain()
	a.net.limit = a.live() + max(slack, a.live()/2)
	a.net.running = false
	close(a.net.ended)
}

// live returns the bytes that are lent.
func (a *allocator) live() int64 { return a.stats.AllocatedBytes[All].Current }

// drain takes back the blocks whose owners are gone.
func (a *allocator) drain() {
	for i := len(a.lent) - 1; i >= 0; i-- {
		if b := a.lent[i]; b.owner() == nil {
			b.renew()
			a.reclaim(b)
		}
	}
}

// watch makes every collection of the process call collected, starting with the first block that is lent.
func (a *allocator) watch() {
	if a.net.watched {
		return
	}
	a.net.watched = true
	a.rearm()
}

func (a *allocator) rearm() {
	sentinel := new(struct{ self *allocator }) // a pointer keeps it out of the allocator's shared tiny blocks
	runtime.AddCleanup(sentinel, (*allocator).collected, a)
}

// collected takes back what a collection has shown to be dropped.
func (a *allocator) collected() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.net.closed {
		return
	}
	if !a.net.running { // to ask a weak pointer while the collector marks would keep its handle
		a.drain()
		a.net.limit = min(a.net.limit, a.live()+max(slack, a.live()/2))
	}
	a.rearm()
}
