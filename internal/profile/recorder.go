package profile

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// current is what records now, nil for nothing.
var current atomic.Pointer[Recorder]

// Running returns what records now, nil for nothing.
func Running() *Recorder { return current.Load() }

// Settings are what a recording is asked for.
type Settings struct {
	Shapes bool                 // keep the operands of ops
	Memory bool                 // keep what is allocated and freed on GPUs
	Limit  int                  // of events; later ones are counted and dropped
	Now    func() time.Duration // the host's clock
}

// Recorder keeps events, up to a limit. It may be used from many goroutines.
type Recorder struct {
	settings Settings
	began    time.Duration

	mu      sync.Mutex
	closed  bool
	events  []Event
	dropped int
	threads map[uintptr]*thread
	sources []Source
}

// Source is a device whose work is timed when it is done.
type Source interface {
	// Settle has Timed called for the work that r knows of, and waits for all of it where it is told to.
	Settle(r *Recorder, wait bool)
}

// thread is a goroutine: its number, and the frames that it is in, outermost first.
type thread struct {
	number int
	frames []int
}

// Start begins to record. It returns nil where something records already.
func Start(s Settings) *Recorder {
	r := &Recorder{settings: s, threads: make(map[uintptr]*thread)}
	r.began = s.Now()
	if !current.CompareAndSwap(nil, r) {
		return nil
	}
	return r
}

// Stop ends the recording, waits for the work of GPUs and learns its times. A second Stop does nothing.
func (r *Recorder) Stop() {
	current.CompareAndSwap(r, nil)
	r.settle(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// Pause has what follows not recorded, until Resume.
func (r *Recorder) Pause() { current.CompareAndSwap(r, nil) }

// Resume goes on after Pause, unless something else records by now or r has ended.
func (r *Recorder) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		current.CompareAndSwap(nil, r)
	}
}

func (r *Recorder) settle(wait bool) {
	r.mu.Lock()
	sources := slices.Clone(r.sources)
	r.mu.Unlock()
	for _, s := range sources {
		s.Settle(r, wait)
	}
}

// Events returns what was recorded so far, in the order in which it began, and how many events were dropped for want of room.
func (r *Recorder) Events() (events []Event, dropped int) {
	r.settle(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events), r.dropped
}

// Now returns the host's time since the start.
func (r *Recorder) Now() time.Duration { return r.settings.Now() - r.began }

// Attach has a device asked for times.
func (r *Recorder) Attach(s Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// Work adds what a GPU is given to do, and returns its index: NoParent where it was dropped.
func (r *Recorder) Work(e Event) int {
	id := goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Parent = r.thread(id).innermost()
	return r.add(e)
}

// Timed tells when the work of that index was done.
func (r *Recorder) Timed(index int, start, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := &r.events[index]; !r.closed {
		e.Start, e.Took, e.Timed = start, took, true
	}
}

// add keeps an event unless the recorder is full.
func (r *Recorder) add(e Event) int {
	switch {
	case r.closed:
		return NoParent
	case len(r.events) == r.settings.Limit:
		r.dropped++
		return NoParent
	}
	r.events = append(r.events, e)
	return len(r.events) - 1
}

// thread returns the goroutine with that identity. One that ended may have had it before: then it had left all frames.
func (r *Recorder) thread(id uintptr) *thread {
	t := r.threads[id]
	if t == nil {
		t = &thread{number: len(r.threads) + 1}
		r.threads[id] = t
	}
	return t
}

// innermost returns the frame that the goroutine is in.
func (t *thread) innermost() int {
	if len(t.frames) == 0 {
		return NoParent
	}
	return t.frames[len(t.frames)-1]
}
