package tensor

import (
	"cresset/device"
	"cresset/internal/backend"
)

// copies holds how memory was copied between devices while somebody watches transfers.
var copies sideTable[copyLog]

// copyLog is what is known of the copies of some memory.
type copyLog struct {
	from    device.Device // that it was copied from itself
	left    backend.Site  // where that was; none for memory that is no copy
	version uint32        // of the memory that counts is about
	counts  map[copyKey]int
}

// copyKey names copies of the same elements, from one place in the program to one device.
type copyKey struct {
	to            device.Device
	site          backend.Site
	offset, elems int
}

// maxCopyKeys bounds what is kept of one piece of memory, such as a data set that goes to a GPU slice by slice.
const maxCopyKeys = 1 << 12

// watch is a transfer under way of which somebody wants to know.
type watch struct {
	transfer backend.Transfer
	timer    backend.Stopwatch
}

// watchCopy starts to watch the copy of x to the device of a backend that t tells more of. It returns nil where nobody wants
// to know.
func watchCopy(x *Tensor, to backend.Backend, t backend.Transfer) *watch {
	if !backend.Watched() || t.Bytes == 0 || x.storage.device == t.To {
		return nil
	}
	w := &watch{transfer: t}
	w.transfer.From, w.transfer.Site = x.storage.device, backend.UserSite()
	w.transfer.Operand = x.dtype.Name() + x.layout.Shape().List()
	w.look(x)
	for _, b := range []backend.Backend{x.storage.backend, to} {
		if clock, ok := b.(backend.Clock); ok && w.timer == nil {
			w.timer = clock.StartTimer(x.storage.backend, to, t.Background)
		}
	}
	return w
}

// look finds out whether x comes back or goes again. Memory that is seen as a slice may change without notice.
func (w *watch) look(x *Tensor) {
	t := &w.transfer
	copies.change(x.storage, func(j *copyLog) {
		if j.left.Line != 0 && j.from == t.To {
			t.Returns, t.Left = true, j.left
		}
		if x.storage.shared.Load() {
			return
		}
		if j.version != x.storage.version || j.counts == nil || len(j.counts) == maxCopyKeys {
			j.version, j.counts = x.storage.version, make(map[copyKey]int)
		}
		s := copyKey{t.To, t.Site, x.layout.Offset, x.layout.Size()}
		t.Repeat = j.counts[s]
		j.counts[s]++
	})
}

// done tells of the transfer, whose result lies in out; nil where it is not kept.
func (w *watch) done(out *storage) {
	if w == nil {
		return
	}
	if w.timer != nil {
		w.timer.Stop()
		w.transfer.Timer = w.timer
	}
	if out != nil {
		copies.change(out, func(j *copyLog) { j.from, j.left = w.transfer.From, w.transfer.Site })
	}
	backend.Tell(&w.transfer)
}
