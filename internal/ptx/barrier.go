package ptx

import "fmt"

// barrierOp is what an instruction on one of a block's sixteen barriers has.
type barrierOp struct {
	id, count int32 // slots; count is -1 for all threads of the block
	arrive    bool  // does not wait
}

// barrier is what has come to a barrier.
type barrier struct {
	need  int // threads; 0 while nobody has come
	have  int
	warps []*warp // that wait
	known knowledge
}

// bar.sync id[, threads], bar.arrive id, threads, and their other spellings.
func (b *body) bar(o *opcode, args []operand) instr {
	if o.take("cluster") != "" {
		return b.clusterBar(o, args)
	}
	if o.take("warp") != "" {
		b.need(o, "sync")
		return b.syncWarp(o, args)
	}
	o.take("cta")
	op := &barrierOp{count: -1, arrive: b.need(o, "sync", "arrive") == "arrive"}
	o.take("aligned")
	o.take("all", "count")
	if len(args) < 1 || len(args) > 2 || op.arrive && len(args) < 2 {
		b.failHere("%s takes a barrier and a number of threads", o.name)
	}
	if args[0].kind == intOperand && args[0].number > 15 {
		b.failHere("%s takes barriers 0 to 15", o.name)
	}
	t := dataTypes["u32"]
	op.id = b.source(args[0], t)
	if len(args) == 2 {
		op.count = b.source(args[1], t)
	}
	in := b.bare(o, nil, kindBarrier)
	in.barrier = op
	return in
}

// barrier joins a warp's lanes at a barrier and then stops the warp until the others have come.
func (w *warp) barrier(in *instr, mask uint32) (stop bool, f *Fault) {
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
	op, b := in.barrier, w.b
	id, need := w.r32[op.id][trailing(mask)], 32*len(b.warps)
	if op.count >= 0 {
		need = int(w.r32[op.count][trailing(mask)])
	}
	if id > 15 || need%32 != 0 || need == 0 || need > 32*len(b.warps) {
		f = w.fault(DivergentBarrier, mask)
		f.Detail = fmt.Sprintf("barrier %d of %d threads in a block of %d", id, need, b.threads)
		return true, f
	}
	bar := &b.bars[id]
	if bar.have > 0 && bar.need != need {
		f = w.fault(DivergentBarrier, mask)
		f.Detail = fmt.Sprintf("barrier %d for %d threads while others wait there for %d", id, need, bar.need)
		return true, f
	}
	bar.need = need
	bar.have += 32
	w.release(&bar.known)
	b.gang.events++
	if !op.arrive {
		w.waits = bar
		bar.warps = append(bar.warps, w)
	}
	if bar.have == need {
		bar.open()
	}
	return !op.arrive, nil
}

// open ends a round: the warps that wait go on.
func (bar *barrier) open() {
	bar.wake()
	bar.have = 0
	bar.known.forget()
}

// wake lets the warps go on that wait.
func (bar *barrier) wake() {
	for _, w := range bar.warps {
		w.acquire(&bar.known)
		w.waits = nil
	}
	bar.warps = bar.warps[:0]
}

// deadlock is the fault of a block of which some warps wait at a barrier and others have exited or wait elsewhere, or nil where
// none waits at one.
func (b *block) deadlock() (f *Fault) {
	var bar *barrier
	for i := range b.warps {
		if w := &b.warps[i]; w.waits != nil && w.live != 0 {
			f, bar = w.fault(DivergentBarrier, w.all), w.waits
			break
		}
	}
	if f == nil {
		return nil
	}
	here := 0
	for _, w := range bar.warps {
		here += min(32, b.threads-32*w.index)
	}
	f.Detail = fmt.Sprintf("%d of %d threads arrived at the barrier", here, min(bar.need, b.threads))
	for i := range b.warps {
		switch w := &b.warps[i]; {
		case w.live == 0:
			f.Detail += fmt.Sprintf("; warp %d has exited", i)
		case w.waits != bar:
			f.Detail += fmt.Sprintf("; warp %d is at line %d", i, b.k.lines[w.pc-1])
		}
	}
	return f
}
