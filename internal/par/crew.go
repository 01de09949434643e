package par

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/cpu"
)

// crew is a set of worker goroutines and the one loop they share at a time.
//
// The state word says who may touch the loop: seats is how many workers may
// still enter, inside how many are there, and waiting that the caller sleeps
// until the last one leaves. A worker reads loop and body only between entering
// and leaving; the caller writes them only while both counts are zero, so no
// late worker can see half a loop.
type crew struct {
	busy  atomic.Bool // a caller owns the fields below
	loop  chunks
	body  func(lo, hi int)
	staff atomic.Int32 // workers that exist
	sleep atomic.Int32 // sleeping workers that nobody has sent a token to
	token chan struct{}
	last  chan struct{} // the last worker has left a waiting caller's loop
	fault atomic.Pointer[fault]

	lanes []lane // one for each thread that may take part

	_     cpu.CacheLinePad
	state atomic.Uint64
	_     cpu.CacheLinePad
}

// lane is a run of a loop's chunks. A thread claims those of its own lane
// first and then what others have left of theirs: loops over the same memory,
// one after the other, find it in the caches of the core that had it before.
type lane struct {
	_    cpu.CacheLinePad
	next atomic.Int64 // the first chunk that nobody has claimed
	end  int
}

const (
	inside  uint64 = 1
	seat    uint64 = 1 << 20
	waiting uint64 = 1 << 40

	insideMask = seat - inside
	seatMask   = waiting - seat

	maxStaff = 1<<16 - 1

	// spinFor is how long a thread looks for work, or for the end of a loop,
	// before it sleeps. Waking costs 5 to 50 us, and a training step pauses some
	// 100 us between loops that are worth sharing: who gives up sooner loses more
	// than it saves.
	spinFor = 200 * time.Microsecond
)

// fault is the first panic of a worker.
type fault struct{ value any }

var errGoexit = errors.New("par: a loop body called runtime.Goexit")

func newCrew() *crew {
	return &crew{token: make(chan struct{}, maxStaff), last: make(chan struct{}, 1)}
}

// run calls body for every chunk of c, with helpers as soon as the crew is free.
func (w *crew) run(c chunks, body func(lo, hi int)) {
	threads := min(NumThreads(), maxStaff)
	for i := range c.count {
		if threads > 1 && i < c.count-1 && w.busy.CompareAndSwap(false, true) {
			w.share(c, i, threads, body)
			return
		}
		body(c.bounds(i))
	}
}

// share runs the chunks of c from first on with the crew, which the caller has
// taken.
func (w *crew) share(c chunks, first, threads int, body func(lo, hi int)) {
	w.loop, w.body = c, body
	helpers := min(threads, c.count-first) - 1
	w.divide(first, helpers+1)
	w.hire(helpers)
	w.state.Store(uint64(helpers) * seat)
	w.wake(helpers)

	ended := false
	defer func() {
		if !ended {
			w.stop() // body panicked here
		}
		w.join()
		f := w.fault.Swap(nil)
		w.body = nil
		w.busy.Store(false)
		if ended && f != nil {
			panic(f.value)
		}
	}()
	w.work(0)
	ended = true
}

// divide gives each of n threads its lane of the chunks from first on.
func (w *crew) divide(first, n int) {
	if cap(w.lanes) < n {
		w.lanes = make([]lane, n)
	}
	w.lanes = w.lanes[:n]
	count := w.loop.count - first
	for i := range w.lanes {
		w.lanes[i].next.Store(int64(first + i*count/n))
		w.lanes[i].end = first + (i+1)*count/n
	}
}

// stop leaves no chunk to be started.
func (w *crew) stop() {
	for i := range w.lanes {
		w.lanes[i].next.Store(int64(w.loop.count))
	}
}

// work claims and runs chunks until none is left, those of a thread's own lane
// first.
func (w *crew) work(thread int) {
	for i := range w.lanes {
		l := &w.lanes[(thread+i)%len(w.lanes)]
		for {
			chunk := int(l.next.Add(1)) - 1
			if chunk >= l.end {
				break
			}
			w.body(w.loop.bounds(chunk))
		}
	}
}

// join lets no more workers enter and waits until those inside have left.
func (w *crew) join() {
	w.state.And(^seatMask)
	for s := (spin{}); w.state.Load() != 0; {
		if s.pause() {
			continue
		}
		if w.state.Or(waiting)&insideMask != 0 {
			<-w.last
		}
		w.state.Store(0)
	}
}

// hire starts workers until there are n.
func (w *crew) hire(n int) {
	for int(w.staff.Load()) < n {
		go w.worker(int(w.staff.Add(1)))
	}
}

// wake sends tokens to as many sleepers as it takes to have n workers awake.
func (w *crew) wake(n int) {
	for {
		asleep := w.sleep.Load()
		wanted := min(asleep, int32(n)-(w.staff.Load()-asleep))
		if wanted <= 0 {
			return
		}
		if w.sleep.CompareAndSwap(asleep, asleep-wanted) {
			for range wanted {
				w.token <- struct{}{}
			}
			return
		}
	}
}

// worker helps with loops as the thread of that number; the caller is 0.
func (w *crew) worker(thread int) {
	defer w.staff.Add(-1) // only a Goexit in a body gets here
	for {
		w.await()
		w.help(thread)
	}
}

// await returns when the worker has a seat in a loop.
func (w *crew) await() {
	for s := (spin{}); !w.enter(); {
		if s.pause() {
			continue
		}
		w.sleep.Add(1)
		if w.open() && w.unsleep() {
			continue // a loop opened before the caller could see us asleep
		}
		<-w.token
		s = spin{}
	}
}

func (w *crew) open() bool { return w.state.Load()&seatMask != 0 }

// unsleep takes back the worker's entry among the sleepers; it fails where a
// caller has already sent a token for it.
func (w *crew) unsleep() bool {
	for {
		n := w.sleep.Load()
		if n == 0 {
			return false
		}
		if w.sleep.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (w *crew) enter() bool {
	s := w.state.Load()
	return s&seatMask != 0 && w.state.CompareAndSwap(s, s-seat+inside)
}

// help works on the loop that the worker has entered and leaves it.
func (w *crew) help(thread int) {
	ended := false
	defer func() {
		if !ended {
			w.fail(recover())
		}
		if w.open() {
			w.state.And(^seatMask) // no chunk is left: spare the others the way
		}
		if w.state.Add(^uint64(0)) == waiting {
			w.last <- struct{}{}
		}
	}()
	w.work(thread)
	ended = true
}

// fail keeps the first panic value for the caller and ends the loop early.
func (w *crew) fail(value any) {
	if value == nil {
		value = errGoexit
	}
	w.fault.CompareAndSwap(nil, &fault{value})
	w.stop()
}

// spin counts the time that a thread has looked in vain.
type spin struct {
	looks int
	start time.Time // of the first look
}

// pause lets a moment pass and reports whether to look again. Reading the clock
// is the moment: it keeps the pipeline, and a sibling hyperthread, less busy
// than a bare loop would. Goroutines that have work get the processor now and
// then.
func (s *spin) pause() bool {
	if s.looks++; s.looks == 1 {
		s.start = time.Now()
		return true
	}
	if s.looks%16 == 0 {
		runtime.Gosched()
	}
	return time.Since(s.start) < spinFor
}
