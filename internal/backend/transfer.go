package backend

import (
	"sync"
	"sync/atomic"
	"time"

	"cresset/device"
)

// Transfer is one copy from the memory of a device to that of another.
type Transfer struct {
	From, To    device.Device
	Bytes       int
	Operand     string // what is copied: "float32[2, 3]"
	Site        Site
	Pinned      bool // the host's side is pinned memory
	NonBlocking bool // the caller asked not to wait
	Background  bool // nobody waited: neither the program nor kernels
	Repeat      int  // how often the same elements, unchanged, went from this site to this device before
	Returns     bool // to the device from which the memory was copied itself
	Left        Site // where that was
	Timer       Timer
}

// Timer tells how long a copy took on its device.
type Timer interface {
	// Elapsed returns the time, and false where the copy is not done yet and it shall not wait, or where no time is known.
	Elapsed(wait bool) (time.Duration, bool)
}

// watchers are told of every transfer. The list is replaced as a whole, so that a look at it takes no lock.
var watchers struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*watcher]
}

type watcher struct{ tell func(*Transfer) }

// Watch has tell called for each transfer, on the goroutine that issued it, until stop is called. A call that is under way
// then may still come.
func Watch(tell func(*Transfer)) (stop func()) {
	w := &watcher{tell}
	changeWatchers(func(list []*watcher) []*watcher { return append(list, w) })
	return func() {
		changeWatchers(func(list []*watcher) []*watcher {
			var rest []*watcher
			for _, other := range list {
				if other != w {
					rest = append(rest, other)
				}
			}
			return rest
		})
	}
}

// changeWatchers replaces the list by what f makes of a copy; an empty one becomes none.
func changeWatchers(f func([]*watcher) []*watcher) {
	watchers.mu.Lock()
	defer watchers.mu.Unlock()
	var list []*watcher
	if old := watchers.list.Load(); old != nil {
		list = append(list, *old...)
	}
	if list = f(list); len(list) == 0 {
		watchers.list.Store(nil)
		return
	}
	watchers.list.Store(&list)
}

// Watched reports whether anybody wants to know of transfers.
func Watched() bool { return watchers.list.Load() != nil }

// Tell tells all who watch of a transfer.
func Tell(t *Transfer) {
	if list := watchers.list.Load(); list != nil {
		for _, w := range *list {
			w.tell(t)
		}
	}
}
