package sim

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// watchFrom is how many bytes of device memory may be allocated before kernels are watched at all: the reserve is for so
	// little.
	watchFrom  = reserve
	watchEvery = 10 * time.Millisecond // an interpreter writes less than the reserve in this time
)

// watch checks the host's memory while a kernel runs, because what a kernel will write is not known before. It reports the
// shortage, if there is one, when it is stopped.
type watch struct {
	full  atomic.Bool // the kernel is to end
	err   error       // what was found; to be read when ended
	stop  chan struct{}
	ended sync.WaitGroup
}

// watch starts to look, if the host has less memory than all devices together have given out; otherwise it returns nil.
func (r *room) watch(allocated uint64) *watch {
	if allocated < watchFrom || uint64(max(r.left()-reserve, 0)) > allocated {
		return nil
	}
	w := &watch{stop: make(chan struct{})}
	w.ended.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
			if left := r.left(); left < reserve {
				w.err = &RoomError{0, left}
				w.full.Store(true)
				return
			}
		}
	})
	return w
}

// shortage tells whether the host is full; a nil watch never is.
func (w *watch) shortage() bool { return w != nil && w.full.Load() }

// finish stops the watch and returns what it has found.
func (w *watch) finish() error {
	if w == nil {
		return nil
	}
	close(w.stop)
	w.ended.Wait()
	return w.err
}
