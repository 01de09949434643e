package ptx

import "fmt"

// barrierWait is what a warp at a barrier waits for.
type barrierWait struct {
	pc      int
	id      uint32
	threads int // that the barrier expects
	in      *instr
}

// barrierForm says what a barrier hands to its threads.
type barrierForm uint8

const (
	plainBarrier barrierForm = iota
	anyBarrier               // whether some thread's predicate holds
	everyBarrier             // whether all do
	countBarrier             // how many do
)

// collective is what a .sync instruction or a barrier has besides its slots.
type collective struct {
	member  int32 // slot of the member mask
	id      int32 // slot of a barrier's number
	threads int32 // slot of its number of threads, or -1
	form    barrierForm
	pred    int32 // slot of the predicate that a barrier reduces
	not     uint32
	shuffle shuffleMode
	found   int32 // slot of the predicate that a shuffle sets, or -1
}

// barrier brings a warp's lanes together and then stops the warp.
func (w *warp) barrier(in *instr, mask uint32) (stop bool, f *Fault) {
	if gone := w.all &^ w.live; gone != 0 {
		f = w.fault(DivergentBarrier, mask)
		f.Detail = fmt.Sprintf("lanes %#08x of the warp have exited", gone)
		return true, f
	}
	mask, ok := w.meetAt(w.all, mask)
	if !ok {
		return w.hold(in, mask)
	}
	w.mask = mask
	s := in.sync
	wait := barrierWait{pc: w.pc - 1, id: w.r32[s.id][0], threads: w.b.threads, in: in}
	if s.threads >= 0 {
		wait.threads = int(w.r32[s.threads][0])
	}
	if wait.id > 15 || wait.threads%32 != 0 && wait.threads != w.b.threads {
		f = w.fault(DivergentBarrier, mask)
		f.Detail = fmt.Sprintf("barrier %d for %d threads: the number is at most 15 and the threads make whole warps", wait.id, wait.threads)
		return true, f
	}
	w.state, w.waiting = atBarrier, wait
	w.b.count.Barriers++
	return true, nil
}

// release lets warps go on whose barriers are complete, and reports whether
// there were any.
func (b *block) release() bool {
	released := false
	for i := range b.warps {
		w := &b.warps[i]
		if w.state != atBarrier {
			continue
		}
		if here := b.arrived(w.waiting); here >= w.waiting.threads {
			b.open(w.waiting.id)
			released = true
		}
	}
	return released
}

// arrived counts the threads at a barrier.
func (b *block) arrived(at barrierWait) (threads int) {
	for i := range b.warps {
		if w := &b.warps[i]; w.state == atBarrier && w.waiting.id == at.id {
			threads += 32
		}
	}
	return min(threads, max(b.threads, at.threads))
}

// open lets all warps at a barrier go on, with its result.
func (b *block) open(id uint32) {
	holds, threads := 0, 0
	for i := range b.warps {
		if w := &b.warps[i]; w.state == atBarrier && w.waiting.id == id {
			n, k := w.vote()
			holds, threads = holds+n, threads+k
		}
	}
	for i := range b.warps {
		w := &b.warps[i]
		if w.state != atBarrier || w.waiting.id != id {
			continue
		}
		w.state = running
		in := w.waiting.in
		switch in.sync.form {
		case anyBarrier:
			w.keepP(in.d, truth(holds > 0), w.all)
		case everyBarrier:
			w.keepP(in.d, truth(holds == threads), w.all)
		case countBarrier:
			d := &w.r32[in.d]
			for i := range d {
				d[i] = uint32(holds)
			}
		}
	}
}

// vote counts the lanes whose predicate holds at the warp's barrier, and all.
func (w *warp) vote() (holds, threads int) {
	s := w.waiting.in.sync
	if s.form == plainBarrier {
		return 0, 0
	}
	return ones((w.preds[s.pred] ^ s.not) & w.all), ones(w.all)
}

// deadlock is the fault of a block whose warps all wait or have ended.
func (b *block) deadlock() *Fault {
	for i := range b.warps {
		w := &b.warps[i]
		if w.state != atBarrier {
			continue
		}
		f := w.faultAt(DivergentBarrier, w.waiting.pc, w.all)
		f.Detail = fmt.Sprintf("%d of %d threads arrived at barrier %d", b.arrived(w.waiting), w.waiting.threads, w.waiting.id)
		for j := range b.warps {
			if o := &b.warps[j]; o.state == finished {
				f.Detail += fmt.Sprintf("; warp %d has exited", j)
			} else if o.waiting.id != w.waiting.id {
				f.Detail += fmt.Sprintf("; warp %d waits at barrier %d, line %d", j, o.waiting.id, b.k.lines[o.waiting.pc])
			}
		}
		return f
	}
	return nil
}
