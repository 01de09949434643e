package par

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// pool is a thread pool: worker goroutines that run one loop at a time together with its caller.
//
// The state word says who may touch the loop: how many slots there are for more workers, how many workers are active in it,
// and whether the caller is waiting, blocked until the last of them leaves. A worker reads loop and body only between
// entering and leaving; the caller writes them only while both counts are zero, so a late worker never sees a loop half
// written.
type pool struct {
	busy     atomic.Bool // a caller owns the fields below
	loop     chunks
	body     func(lo, hi int)
	workers  atomic.Int32 // worker goroutines that exist
	parked   atomic.Int32 // blocked workers that nobody has sent a wakeup to
	wakeups  chan struct{}
	last     chan struct{} // the last worker has left a waiting caller's loop
	panicked atomic.Pointer[panicked]

	queues  []queue   // one for each thread that may take part
	members []*member // the workers, for the caller to look at

	loops     uint         // that callers have shared
	caller    atomic.Int32 // the thread of a recent one
	callerCPU atomic.Int32 // on which the last one was that has woken workers
	changing  atomic.Bool  // a worker is in changePlaces

	_     cpu.CacheLinePad
	state atomic.Uint64
	_     cpu.CacheLinePad
}

// queue is a run of a loop's chunks. A thread claims those of its own queue first and then what others have left of theirs:
// loops over the same memory, one after the other, find it in the caches of the core that had it before.
type queue struct {
	_    cpu.CacheLinePad
	next atomic.Int64 // the first chunk that nobody has claimed
	end  int
}

const (
	active  uint64 = 1
	slot    uint64 = 1 << 20
	waiting uint64 = 1 << 40

	activeMask = slot - active
	slotMask   = waiting - slot

	maxWorkers = 1<<16 - 1
)

// panicked is the first panic of a worker.
type panicked struct{ value any }

var errGoexit = errors.New("par: a loop body called runtime.Goexit")

func newPool() *pool {
	return &pool{wakeups: make(chan struct{}, maxWorkers), last: make(chan struct{}, 1)}
}

// run calls body for every chunk of c, with helpers as soon as the pool is free.
func (p *pool) run(c chunks, body func(lo, hi int)) {
	threads := min(NumThreads(), maxWorkers)
	for i := range c.count {
		if threads > 1 && i < c.count-1 && p.busy.CompareAndSwap(false, true) {
			p.share(c, i, threads, body)
			return
		}
		body(c.bounds(i))
	}
}

// share runs the chunks of c from first on with the pool, which the caller has taken.
func (p *pool) share(c chunks, first, threads int, body func(lo, hi int)) {
	if p.loops++; p.loops%16 == 1 { // asking costs 150 ns
		p.caller.Store(threadID())
	}
	p.loop, p.body = c, body
	helpers := min(threads, c.count-first) - 1
	p.divide(first, helpers+1)
	p.spawn(helpers)
	p.state.Store(uint64(helpers) * slot)
	p.wake(helpers)

	ended := false
	defer func() {
		if !ended {
			p.stop() // body panicked here
		}
		p.join()
		f := p.panicked.Swap(nil)
		p.body = nil
		p.busy.Store(false)
		if ended && f != nil {
			panic(f.value)
		}
	}()
	p.work(0)
	ended = true
}

// divide gives each of n threads its queue of the chunks from first on.
func (p *pool) divide(first, n int) {
	if cap(p.queues) < n {
		p.queues = make([]queue, n)
	}
	p.queues = p.queues[:n]
	count := p.loop.count - first
	for i := range p.queues {
		p.queues[i].next.Store(int64(first + i*count/n))
		p.queues[i].end = first + (i+1)*count/n
	}
}

// stop leaves no chunk to be started.
func (p *pool) stop() {
	for i := range p.queues {
		p.queues[i].next.Store(int64(p.loop.count))
	}
}

// work claims and runs chunks until none is left, those of a thread's own queue first.
func (p *pool) work(thread int) {
	for i := range p.queues {
		l := &p.queues[(thread+i)%len(p.queues)]
		for {
			chunk := int(l.next.Add(1)) - 1
			if chunk >= l.end {
				break
			}
			p.body(p.loop.bounds(chunk))
		}
	}
}

// join lets no more workers enter and waits until the active ones have left.
func (p *pool) join() {
	p.state.And(^slotMask)
	for s := (spin{}); p.state.Load() != 0; {
		if s.pause() && !(s.due() && p.migratePreempted()) {
			continue
		}
		if p.state.Or(waiting)&activeMask != 0 {
			<-p.last
		}
		p.state.Store(0)
	}
}

// spawn starts workers until there are n.
func (p *pool) spawn(n int) {
	for int(p.workers.Load()) < n {
		m := &member{number: int(p.workers.Add(1))}
		p.members = append(p.members, m)
		go p.worker(m)
	}
}

// wake unblocks as many workers as it takes to have n awake.
func (p *pool) wake(n int) {
	for {
		asleep := p.parked.Load()
		wanted := min(asleep, int32(n)-(p.workers.Load()-asleep))
		if wanted <= 0 {
			return
		}
		if p.parked.CompareAndSwap(asleep, asleep-wanted) {
			p.callerCPU.Store(int32(currentCPU()))
			for range wanted {
				p.wakeups <- struct{}{}
			}
			return
		}
	}
}

// worker helps with loops as the thread of the member's number; the caller is 0.
func (p *pool) worker(m *member) {
	defer p.workers.Add(-1) // only a Goexit in a body gets here
	for {
		p.await(m)
		p.help(m)
		if m.migrated.Swap(false) {
			migrateAway() // the caller needs its CPU
		}
	}
}

// await returns when the worker has entered a loop.
func (p *pool) await(m *member) {
	stayed := m.thread != 0 // on that thread
	for s := (spin{}); !p.enter(); {
		if s.pause() {
			stayed = stayed && s.looks < looksPerYield
			if s.due() {
				p.changePlaces()
			}
			continue
		}
		stayed = false
		p.parked.Add(1)
		if p.open() && p.unpark() {
			continue // a loop opened before the caller could see that we are parked
		}
		<-p.wakeups
		if int32(currentCPU()) == p.callerCPU.Load() {
			migrateAway() // the system has woken the worker where it can only wait for the caller
		}
		s = spin{}
	}
	if !stayed {
		m.thread = threadID()
	}
}

func (p *pool) open() bool { return p.state.Load()&slotMask != 0 }

// unpark takes back the worker's entry among the parked; it fails where a caller has already sent a wakeup for it.
func (p *pool) unpark() bool {
	for {
		n := p.parked.Load()
		if n == 0 {
			return false
		}
		if p.parked.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (p *pool) enter() bool {
	s := p.state.Load()
	return s&slotMask != 0 && p.state.CompareAndSwap(s, s-slot+active)
}

// help works on the loop that the worker has entered and leaves it.
func (p *pool) help(m *member) {
	ended := false
	m.inside.Store(m.thread)
	defer func() {
		m.inside.Store(0)
		if !ended {
			p.fail(recover())
		}
		if p.open() {
			p.state.And(^slotMask) // no chunk is left: the others need not enter
		}
		if p.state.Add(^uint64(0)) == waiting {
			p.last <- struct{}{}
		}
	}()
	p.work(m.number)
	ended = true
}

// fail keeps the first panic value for the caller and ends the loop early.
func (p *pool) fail(value any) {
	if value == nil {
		value = errGoexit
	}
	p.panicked.CompareAndSwap(nil, &panicked{value})
	p.stop()
}
