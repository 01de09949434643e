package par

import (
	"sync/atomic"
	"time"
)

// Where other programs use the CPUs too, the system puts a thread of a loop aside in the middle of a chunk, for a time slice
// of some milliseconds, which can be a hundred times as long as the loop. Those that wait for it have a CPU and no work. They
// see that its CPU time stands still, bring it to their own CPU, and it ends its chunk at once. So a program that shares one
// of two CPUs loses the CPU time that the other program gets, and not twice as much.

const (
	// lookAfter is how long a thread waits for another before it looks whether that runs at all.
	lookAfter = 40 * time.Microsecond
	// lookFor is how long a look takes: the CPU time of a thread that runs grows meanwhile.
	lookFor = 10 * time.Microsecond
)

// member is what the pool knows of a worker.
type member struct {
	number   int
	thread   int32        // on which its goroutine runs; read by the worker alone
	inside   atomic.Int32 // the thread while the worker is in a loop, or 0
	migrated atomic.Bool  // a caller has brought it to its own CPU
}

// preempted reports whether a thread, which has work, is on no CPU.
func preempted(thread int32) bool {
	before := cpuTime(thread)
	for start := time.Now(); time.Since(start) < lookFor; {
	}
	return before >= 0 && cpuTime(thread) == before
}

// migratePreempted brings the workers that hold a chunk and do not run to the caller's CPU and reports whether there were
// any. The caller has to sleep then, so that they get it.
func (p *pool) migratePreempted() bool {
	found := false
	for _, m := range p.members {
		if t := m.inside.Load(); t != 0 && preempted(t) && m.inside.Load() == t {
			m.migrated.Store(true)
			migrateHere(t)
			found = true
		}
	}
	return found
}

// changePlaces looks whether the last caller is ready to run and does not, and if so leaves it the worker's CPU.
func (p *pool) changePlaces() {
	caller := p.caller.Load()
	if caller == 0 || !preempted(caller) || p.open() || !p.changing.CompareAndSwap(false, true) {
		return
	}
	defer p.changing.Store(false)
	before := cpuTime(caller)
	migrateHere(caller)
	yieldCPU()
	if cpuTime(caller) != before { // it was not asleep
		migrateAway()
	}
}
