package ptx

// bulkCopy is a copy by the TMA into shared memory that has not landed.
type bulkCopy struct {
	to      *block
	barrier *mbarrier
	bytes   int // that the barrier counts
	pieces  []piece
	by      *warp
	lane    int
	pc      int
	known   knowledge // what the warp knew that started it
}

// piece is bytes and where in shared memory they go.
type piece struct {
	at   uint32
	data []byte
}

// bulkOp is a bulk copy as it is written.
type bulkOp struct {
	shared  *access // of the side in shared memory
	global  *access // of the other side: global memory, or the tensor map
	barrier *access // nil for copies of a bulk group
	size    int32   // slot, of copies without a map
	mask    int32   // slot of the blocks of a multicast, or -1
	coords  []int32 // slots, of copies by a map
	combine func(old, a, b uint64) uint64
	elem    int  // bytes of the elements of a reduction
	remote  bool // between shared memories
}

// bulk decodes cp.async.bulk.
func (b *body) bulk(o *opcode, args []operand) instr {
	switch o.take("commit_group", "wait_group", "prefetch", "tensor") {
	case "commit_group":
		in := b.bare(o, args, kindExec)
		in.exec = func(w *warp, _ *instr, mask uint32) *Fault {
			for left := mask; left != 0; left &= left - 1 {
				w.closed[trailing(left)]++
			}
			return nil
		}
		return in
	case "wait_group":
		o.take("read")
		b.want(o.name, args, 1)
		if args[0].kind != intOperand {
			b.failHere("%s takes a number", o.name)
		}
		n := uint32(args[0].number)
		in := b.bare(o, nil, kindExec)
		in.exec = func(w *warp, _ *instr, mask uint32) *Fault {
			w.endStores(mask, n)
			return nil
		}
		return in
	case "prefetch":
		return b.nothing(o, args)
	case "tensor":
		return b.bulkTensor(o, args)
	}
	return b.bulkLinear(o, args, nil, 0)
}

// bulkLinear is cp.async.bulk between global and shared memory, or shared memories:
//
//	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes[.multicast::cluster] [to], [from], size, [barrier][, mask]
//	cp.async.bulk.global.shared::cta.bulk_group [to], [from], size
//
// With combine it is a reduction of elements of elem bytes.
func (b *body) bulkLinear(o *opcode, args []operand, combine func(old, a, b uint64) uint64, elem int) instr {
	to, from := b.need(o, "shared::cluster", "shared::cta", "global"), b.need(o, "global", "shared::cta")
	op := &bulkOp{mask: -1, combine: combine, elem: elem}
	load := to != "global"
	if !load && from == "global" || to == "shared::cta" && from == "shared::cta" {
		b.unknown(o)
	}
	if len(args) < 3 {
		b.failHere("%s takes two addresses and a size", o.name)
	}
	op.size = b.source(args[2], dataTypes["u32"])
	rest := b.completion(o, args[3:], op, load)
	if len(rest) != 0 {
		b.failHere("%s has operands too many", o.name)
	}
	op.remote = load && from == "shared::cta"
	shared, global := args[0], args[1]
	if !load {
		shared, global = args[1], args[0]
	}
	op.shared = b.pointer(shared, clusterSpace, load)
	if op.remote {
		op.global = b.pointer(global, clusterSpace, false)
		return b.each(op, (*warp).copyBetween)
	}
	op.global = b.pointer(global, globalSpace, !load)
	if load {
		return b.each(op, (*warp).loadBulk)
	}
	return b.each(op, (*warp).storeBulk)
}

// completion takes how a copy tells that it has ended, a mask and a cache policy, and returns the other operands.
func (b *body) completion(o *opcode, args []operand, op *bulkOp, load bool) []operand {
	mechanism := b.need(o, "mbarrier::complete_tx::bytes", "bulk_group")
	if load != (mechanism != "bulk_group") {
		b.unknown(o)
	}
	multicast := o.take("multicast::cluster") != ""
	hint := o.take("L2::cache_hint") != ""
	if load {
		if len(args) == 0 {
			b.failHere("%s lacks its barrier", o.name)
		}
		op.barrier = b.pointer(args[0], clusterSpace, true)
		op.barrier.bytes = 8
		args = args[1:]
	}
	if multicast && len(args) > 0 {
		op.mask = b.source(args[0], dataTypes["u16"])
		args = args[1:]
	}
	if hint && len(args) > 0 {
		args = args[1:]
	}
	return args
}

// pointer makes an access of an address of 16 bytes.
func (b *body) pointer(arg operand, s space, write bool) *access {
	m := &access{space: s, bytes: 16, vector: 1, write: write}
	m.site = b.k.sites
	b.k.sites++
	b.address(arg, m)
	return m
}

// each makes an instruction that lanes run one by one.
func (b *body) each(op *bulkOp, do func(w *warp, op *bulkOp, lane int) *Fault) instr {
	return instr{kind: kindExec, exec: func(w *warp, _ *instr, mask uint32) *Fault {
		for left := mask; left != 0; left &= left - 1 {
			if f := do(w, op, trailing(left)); f != nil {
				return f
			}
		}
		return nil
	}}
}

// at computes one lane's address.
func (w *warp) at(m *access, lane int) uint64 {
	if m.short {
		w.addr[lane] = uint64(w.r32[m.base][lane]) + m.offset
	} else {
		w.addr[lane] = w.r64[m.base][lane] + m.offset
	}
	if m.space == clusterSpace {
		w.addr[lane] &= 1<<windowBits - 1
	}
	return w.addr[lane]
}

// span finds n bytes of global memory.
func (w *warp) span(m *access, lane int, addr uint64, n int) ([]byte, *Fault) {
	r := w.b.regions[m.site]
	if !r.holds(addr, n) || r.Freed {
		w.addr[lane] = addr
		part := *m
		part.space, part.bytes = globalSpace, n
		if f := w.another(&part, &r, 1<<lane); f != nil {
			return nil, f
		}
	}
	return r.Data[addr-r.Base:][:n], nil
}

// bulkSize checks size and alignment of a copy without a map.
func (w *warp) bulkSize(op *bulkOp, lane int) (shared, global uint64, n int, f *Fault) {
	n = int(w.r32[op.size][lane])
	if n == 0 || n%16 != 0 {
		return 0, 0, 0, w.misuse(lane, "a copy of %d bytes, which is no multiple of 16", n)
	}
	if global = w.at(op.global, lane); global%16 != 0 {
		return 0, 0, 0, w.badAccess(Misaligned, op.global, lane)
	}
	if shared = w.at(op.shared, lane); shared%16 != 0 {
		return 0, 0, 0, w.badAccess(Misaligned, op.shared, lane)
	}
	return shared, global, n, nil
}

func (w *warp) loadBulk(op *bulkOp, lane int) *Fault {
	shared, global, n, f := w.bulkSize(op, lane)
	if f != nil {
		return f
	}
	data, f := w.span(op.global, lane, global, n)
	if f != nil {
		return f
	}
	w.countBulk(n)
	w.addr[lane] = shared
	return w.startCopies(op, lane, shared, []piece{{0, append([]byte(nil), data...)}}, n)
}

// copyBetween copies to the shared memory of another block of the cluster.
func (w *warp) copyBetween(op *bulkOp, lane int) *Fault {
	shared, from, n, f := w.bulkSize(op, lane)
	if f != nil {
		return f
	}
	b, at, f := w.shared(op.global, lane, from, n)
	if f == nil {
		f = w.readAsync(b, op.global, lane, at, n)
	}
	if f != nil {
		return f
	}
	return w.startCopies(op, lane, shared, []piece{{0, append([]byte(nil), b.shared[at:][:n]...)}}, n)
}

// countBulk counts the bytes of a bulk copy, which moves whole sectors.
func (w *warp) countBulk(n int) {
	c := &w.b.count
	c.GlobalRequests++
	c.GlobalBytes += uint64(n)
	if w.b.cfg.Profile {
		c.GlobalSectors += uint64(n+31) / 32
	}
}

// startCopies sends pieces, whose offsets count from the destination, to the blocks that the instruction names.
func (w *warp) startCopies(op *bulkOp, lane int, shared uint64, pieces []piece, n int) *Fault {
	mask, own := uint32(1), w.b
	if op.mask >= 0 {
		mask = w.r32[op.mask][lane] & 0xffff
	}
	bar := w.at(op.barrier, lane)
	for rank := 0; mask != 0; rank, mask = rank+1, mask>>1 {
		if mask&1 == 0 {
			continue
		}
		to, signal := shared, bar
		if op.mask >= 0 {
			to, signal = to&(1<<rankShift-1)|uint64(rank+1)<<rankShift, bar&(1<<rankShift-1)|uint64(rank+1)<<rankShift
		}
		w.addr[lane] = to
		b, at, f := w.shared(op.shared, lane, to, n)
		if f != nil {
			return f
		}
		barrier, f := w.barrierAt(op.barrier, lane, signal)
		if f == nil {
			f = w.readyForCopies(barrier, lane)
		}
		if f != nil {
			return f
		}
		moved := make([]piece, len(pieces))
		for i, p := range pieces {
			moved[i] = piece{uint32(at) + p.at, p.data}
		}
		w.addr[lane] = to
		if f := w.markCopy(b, op.shared, lane, at, n); f != nil {
			return f
		}
		c := bulkCopy{to: b, barrier: barrier, bytes: n, pieces: moved, by: w, lane: lane, pc: w.pc - 1}
		w.release(&c.known)
		own.gang.copies = append(own.gang.copies, c)
	}
	own.gang.events++
	return nil
}

// readyForCopies wants a barrier that is made known to the TMA.
func (w *warp) readyForCopies(bar *mbarrier, lane int) *Fault {
	if f := w.usable(bar, lane); f != nil {
		return f
	}
	if bar.maker.madeReady < bar.made {
		f := w.misuse(lane, "no fence.mbarrier_init behind mbarrier.init at %#x", bar.at)
		f.Kind = DataRace
		return f
	}
	return nil
}

// markCopy marks shared memory that the TMA is going to write.
func (w *warp) markCopy(b *block, m *access, lane int, at uint64, n int) *Fault {
	t, a := w.b.gang.watch, w.agent()
	for word := at / 4; word < (at+uint64(n)+3)/4; word++ {
		if problem, who := t.mayWrite(b.shadow, a, int(word)); problem != noProblem {
			return w.race(m, lane, problem, who)
		}
		b.shadow.wrote[word] = stamp{t.now, uint16(b.engine()), inFlight}
	}
	return nil
}

// underway is how many asynchronous copies, and commits of products, have not ended.
func (g *gang) underway() int { return len(g.copies) + len(g.commits) }

// deliver lands a copy, or ends the products of a commit: when no warp can go on, which is as late as it can matter, or with Shuffle at any time, and
// copies in any order.
func (g *gang) deliver() *Fault {
	i := 0
	if g.random != 0 {
		i = int(g.draw() % uint64(g.underway()))
	}
	if i >= len(g.copies) {
		return g.endProducts()
	}
	c := g.copies[i]
	g.copies = append(g.copies[:i], g.copies[i+1:]...)
	t, engine := g.watch, c.to.engine()
	for _, p := range c.pieces {
		copy(c.to.shared[p.at:], p.data)
		for word := p.at / 4; word < (p.at+uint32(len(p.data))+3)/4; word++ {
			c.to.shadow.wrote[word] = stamp{t.now, uint16(engine), byEngine}
		}
	}
	bar := c.barrier
	if bar.now.seen == nil {
		bar.now = t.blank()
	}
	bar.now.join(&c.known)
	bar.now.seen[engine] = t.now
	t.now++
	if bar.tx -= c.bytes; bar.tx < -maxPending {
		return c.by.misuse(c.lane, "%d bytes too many for %v", -bar.tx, bar)
	}
	g.advance(bar)
	return nil
}
