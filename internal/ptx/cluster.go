package ptx

import "fmt"

// clusterBarrier is where all threads of a cluster arrive, and later wait for the others.
type clusterBarrier struct {
	barrier
	phase int
	now   knowledge
}

// clusterBar is barrier.cluster.arrive and barrier.cluster.wait.
func (b *body) clusterBar(o *opcode, args []operand) instr {
	what := b.need(o, "arrive", "wait")
	o.takeAny(strengths)
	o.take("aligned")
	b.k.async = true
	if what == "wait" {
		return b.bare(o, args, kindClusterWait)
	}
	return together(b.bare(o, args, kindMeet), (*warp).arriveInCluster)
}

func (w *warp) arriveInCluster(_ *instr, mask uint32) *Fault {
	bar := &w.b.gang.cluster
	if w.arrived == bar.phase+1 {
		f := w.fault(Misuse, mask)
		f.Detail = "the warp has arrived already and not waited"
		return f
	}
	w.arrived = bar.phase + 1
	bar.have++
	w.release(&bar.now)
	w.b.gang.openCluster()
	return nil
}

// openCluster lets waiting warps go on where all of the cluster have arrived or ended.
func (g *gang) openCluster() {
	g.events++
	bar := &g.cluster
	missing := false
	for _, b := range g.blocks {
		for i := range b.warps {
			missing = missing || b.warps[i].live != 0 && b.warps[i].arrived != bar.phase+1
		}
	}
	if missing || bar.have == 0 {
		return
	}
	bar.known.forget()
	if bar.known.seen == nil {
		bar.known = g.watch.blank()
	}
	bar.known.join(&bar.now)
	bar.now.forget()
	bar.phase, bar.have = bar.phase+1, 0
	bar.wake() // known stays, for warps that wait later
}

// waitInCluster stops the warp until the phase at which it arrived has ended.
func (w *warp) waitInCluster(mask uint32) (stop bool, f *Fault) {
	mask, ok := w.meetAt(w.all&w.live, mask)
	if !ok {
		return w.hold(mask)
	}
	w.mask = mask
	bar := &w.b.gang.cluster
	switch {
	case w.arrived == 0:
		f = w.fault(Misuse, mask)
		f.Detail = "the warp has not arrived"
		return true, f
	case w.arrived <= bar.phase:
		w.acquire(&bar.known)
		return false, nil
	}
	w.waits = &bar.barrier
	bar.warps = append(bar.warps, w)
	bar.need = 0
	for _, b := range w.b.gang.blocks {
		bar.need += b.threads
	}
	return true, nil
}

// visit notes that the warp accesses shared memory of a block, which must still run.
func (w *warp) visit(b *block) *Fault {
	if b == w.b {
		return nil
	}
	if b.running == 0 {
		f := w.fault(Misuse, w.mask)
		f.Detail = fmt.Sprintf("block %s of the cluster has ended", triple(b.id))
		return f
	}
	if t := w.b.gang.watch; t != nil {
		if b.visits == nil {
			b.visits = map[int]visit{}
		}
		b.visits[w.agent()] = visit{t.now, w.pc - 1}
	}
	return nil
}

// visit is the last access of an agent to another block's shared memory.
type visit struct {
	when uint32
	pc   int
}

// left notes that a warp has ended.
func (b *block) left(w *warp) *Fault {
	g := b.gang
	g.events++
	b.running--
	if g.watch != nil && g.cluster.have > 0 {
		g.openCluster()
	}
	if len(w.stores) > 0 {
		f := w.faultAt(DataRace, w.stores[0].pc, 1<<w.stores[0].lane)
		f.Detail = "the thread ends and has not waited until this copy has read shared memory"
		return f
	}
	if b.running > 0 || g.watch == nil {
		return nil
	}
	if f := b.unequalGroups(); f != nil {
		return f
	}
	for i := range g.copies {
		if c := &g.copies[i]; c.to == b {
			f := c.by.faultAt(DataRace, c.pc, 1<<c.lane)
			f.Detail = fmt.Sprintf("block %s ends and has not waited for this copy into its shared memory", triple(b.id))
			return f
		}
	}
	if f := b.tensorLeft(w); f != nil {
		return f
	}
	for _, bar := range b.mbars {
		if bar.maker != nil && bar.tx != 0 {
			f := w.fault(Misuse, allLanes)
			f.Detail = fmt.Sprintf("the block ends with %v", bar)
			return f
		}
	}
	known := g.watch.known[w.agent()].seen
	for agent, v := range b.visits {
		if known[agent] < v.when {
			other := &g.blocks[agent/g.watch.per].warps[agent%g.watch.per]
			f := other.faultAt(DataRace, v.pc, other.all)
			f.Detail = fmt.Sprintf("nothing keeps block %s, whose shared memory this accesses, from ending before", triple(b.id))
			return f
		}
	}
	return nil
}
