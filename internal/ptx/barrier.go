package ptx

import (
	"fmt"
	"math/bits"
)

// barrier joins a warp's lanes at bar.sync and then stops the warp until the others have come.
func (w *warp) barrier(mask uint32) (stop bool, f *Fault) {
	if gone := w.all &^ w.live; gone != 0 {
		f = w.fault(DivergentBarrier, mask)
		f.Detail = fmt.Sprintf("lanes %#08x of the warp have exited", gone)
		return true, f
	}
	mask, ok := w.meetAt(w.all, mask)
	if !ok {
		return w.hold(mask)
	}
	w.mask = mask
	w.atBarrier = true
	return true, nil
}

// deadlock is the fault of a block of which some warps wait at the barrier and others have exited.
func (b *block) deadlock() (f *Fault) {
	here, exited := 0, ""
	for i := range b.warps {
		w := &b.warps[i]
		if !w.atBarrier {
			exited += fmt.Sprintf("; warp %d has exited", i)
			continue
		}
		here += bits.OnesCount32(w.all)
		if f == nil {
			f = w.fault(DivergentBarrier, w.all)
		}
	}
	f.Detail = fmt.Sprintf("%d of %d threads arrived at the barrier%s", here, b.threads, exited)
	return f
}

// meetAt joins the lanes of mask with those held at the same instruction and reports whether the lanes of need are all here.
// Where they are not, the joined lanes are held until the others come.
func (w *warp) meetAt(need, mask uint32) (uint32, bool) {
	if need&^mask == 0 && len(w.held) == 0 {
		return mask, true
	}
	pc := w.pc - 1
	kept := w.held[:0]
	for _, g := range w.held {
		if g.pc == pc {
			mask |= g.mask
			continue
		}
		kept = append(kept, g)
	}
	w.held = kept
	if need&^mask == 0 {
		return mask, true
	}
	w.held = append(w.held, group{pc, mask})
	return mask, false
}

// hold lets other groups run while the lanes of mask wait.
func (w *warp) hold(mask uint32) (stop bool, f *Fault) {
	if w.mask &^= mask; w.mask != 0 {
		return false, nil // the guard keeps these from taking part
	}
	return w.next()
}
