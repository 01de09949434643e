package ptx

import "math/bits"

// warp is 32 threads that run in step. Its lanes form groups by where they are; the group with the lowest instruction runs
// until it meets the next one.
type warp struct {
	b     *block
	index int

	r32   []lanes32
	r64   []lanes64
	preds []uint32

	pc    int
	mask  uint32 // lanes of the group that runs
	live  uint32 // lanes that have not exited
	all   uint32 // lanes that have a thread
	limit int    // lowest pc of the groups that are ahead
	ahead []group
	held  []group // groups that wait at a barrier or a shuffle for other lanes

	parked []group // groups that have found a barrier's phase unfinished, until the warp's next turn

	waits *barrier // for the other warps; nil while it can run

	copies  []asyncCopy // cp.async that have not been waited for, oldest first
	commits lanes32     // groups of them that each lane has closed
	stores  []bulkStore // bulk copies from shared memory that have not been waited for
	closed  lanes32     // groups of them that each lane has closed

	madeReady uint32 // when it ran fence.mbarrier_init last
	alone     bool   // the kernel ahead has ended

	products products
	operands *tensorOperands
	wants    string // what setmaxnreg waits for

	loads  []tensorLoaded // that have not been waited for
	behind knowledge      // what counts for tensor memory, behind tcgen05.fence::after_thread_sync

	asks    *mbarrier // that the warp found unfinished last
	asked   uint32    // the parity that it waits for
	arrived int       // phase of the cluster's barrier, from 1, at which it arrived last

	beside32 lanes32
	beside64 lanes64
	wide     lanes64 // between the two steps of a conversion
	addr     [32]uint64
}

// group is lanes at the same instruction.
type group struct {
	pc   int
	mask uint32
}

// run executes the warp until it exits or waits at a barrier.
func (w *warp) run() *Fault {
	if len(w.parked) > 0 {
		w.unpark()
	}
	code := w.b.k.code
	count := &w.b.count
	lanes := uint64(bits.OnesCount32(w.mask))
	previous := w.mask
	for {
		if w.pc >= w.limit {
			w.reconverge()
		}
		in := &code[w.pc]
		w.pc++
		mask := w.mask
		if in.guard >= 0 && in.kind != kindBranch {
			if mask &= w.preds[in.guard] ^ in.guardNot; mask == 0 {
				continue
			}
		}
		if mask != previous {
			lanes, previous = uint64(bits.OnesCount32(mask)), mask
		}
		count.LaneInstructions += lanes
		switch in.kind {
		case kind32:
			if mask == w.live {
				in.op32(&w.r32[in.d], &w.r32[in.a], &w.r32[in.b], &w.r32[in.c])
				continue
			}
			in.op32(&w.beside32, &w.r32[in.a], &w.r32[in.b], &w.r32[in.c])
			w.keep32(in.d, mask)
		case kind64:
			if mask == w.live {
				in.op64(&w.r64[in.d], &w.r64[in.a], &w.r64[in.b], &w.r64[in.c])
				continue
			}
			in.op64(&w.beside64, &w.r64[in.a], &w.r64[in.b], &w.r64[in.c])
			w.keep64(in.d, mask)
		case kindExec:
			if f := in.exec(w, in, mask); f != nil {
				return f
			}
		case kindBranch:
			w.branch(in)
		default:
			stop, f := w.rare(in, mask)
			if f != nil || stop {
				return f
			}
		}
	}
}

// branch sends lanes to the instruction's target.
func (w *warp) branch(in *instr) {
	taken := w.mask
	if in.guard >= 0 {
		taken &= w.preds[in.guard] ^ in.guardNot
	}
	switch taken {
	case 0:
		return
	case w.mask:
	default:
		w.leave(w.pc, w.mask&^taken)
		w.mask = taken
	}
	w.pc = int(in.d)
}

// leave puts lanes aside that are to run from pc.
func (w *warp) leave(pc int, mask uint32) {
	w.limit = min(w.limit, pc)
	for i := range w.ahead {
		if w.ahead[i].pc == pc {
			w.ahead[i].mask |= mask
			return
		}
	}
	w.ahead = append(w.ahead, group{pc, mask})
}

// reconverge joins the running group with the one it has come to, or lets that one run.
func (w *warp) reconverge() {
	at := w.limit
	if w.pc > at {
		w.leave(w.pc, w.mask)
		w.mask = 0
	}
	w.pc = at
	w.mask |= w.take(at)
}

// take removes the group at pc from those ahead and returns its lanes.
func (w *warp) take(pc int) (mask uint32) {
	w.limit = len(w.b.k.code)
	kept := w.ahead[:0]
	for _, g := range w.ahead {
		if g.pc == pc {
			mask = g.mask
			continue
		}
		kept = append(kept, g)
		w.limit = min(w.limit, g.pc)
	}
	w.ahead = kept
	return mask
}

// advance lets the next group run after the running one has gone. It reports false where there is none.
func (w *warp) advance() bool {
	w.mask = 0
	if len(w.ahead) == 0 {
		return false
	}
	w.pc = w.limit
	w.mask = w.take(w.limit)
	return true
}

// rare runs what ends, splits or holds groups. It reports whether the warp stops.
func (w *warp) rare(in *instr, mask uint32) (stop bool, f *Fault) {
	switch in.kind {
	case kindExit:
		w.live &^= mask
		if w.mask &^= mask; w.mask != 0 {
			return false, nil
		}
		return w.next()
	case kindBarrier:
		return w.barrier(in, mask)
	case kindTry:
		f = in.exec(w, in, mask)
		return f != nil || w.asks != nil && !w.park(), f
	case kindGroupWait:
		return w.tryAgain(in, mask)
	case kindClusterWait:
		return w.waitInCluster(mask)
	}
	return w.meet(in, mask)
}

// park puts aside the running group, which has found nothing to go on with, and lets another one run. It reports false where there
// is none.
func (w *warp) park() bool {
	if len(w.ahead) == 0 {
		return false
	}
	w.parked = append(w.parked, group{w.pc, w.mask})
	return w.advance()
}

// unpark gives parked groups another try.
func (w *warp) unpark() {
	for _, g := range w.parked {
		w.leave(g.pc, g.mask)
	}
	w.parked = w.parked[:0]
}

// next lets another group run, or finds that the warp has ended or cannot go on.
func (w *warp) next() (stop bool, f *Fault) {
	switch {
	case w.advance():
		return false, nil
	case len(w.parked) > 0:
		w.unpark()
		w.advance()
		return false, nil
	case len(w.held) > 0:
		return true, w.stuck()
	}
	return true, nil
}
