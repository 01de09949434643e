package ptx

import "fmt"

// warpGroup is four warps that run products together.
type warpGroup struct {
	issued []int32    // instructions of the products, in order
	chunks [][]uint32 // of shared memory that each of them reads
	ended  int        // products that have been waited for
	free   uint32     // registers of a thread, by setmaxnreg
}

// products is what a warp knows of its group's products.
type products struct {
	issued  int   // by this warp
	commits []int // how many were issued at each wgmma.commit_group
	flight  []flight
	fenced  bool    // wgmma.fence was run
	dirty   []bool  // registers written since the last one
	locks   []uint8 // products in flight that use each register: accumulators
	locksA  []uint8 // and A
}

// flight is a product whose registers are not to be touched.
type flight struct {
	n int // its number
	p *groupProduct
}

func (w *warp) ownGroup() *warpGroup { return &w.b.groups[w.index/4] }

// startGroups makes groups ready for a block.
func (b *block) startGroups() {
	if !b.k.grouped {
		return
	}
	b.groups = make([]warpGroup, (len(b.warps)+3)/4)
	for i := range b.warps {
		p := &b.warps[i].products
		if p.dirty == nil {
			p.dirty, p.locks, p.locksA = make([]bool, b.k.count32), make([]uint8, b.k.count32), make([]uint8, b.k.count32)
		}
		clear(p.dirty)
		clear(p.locks)
		clear(p.locksA)
		p.issued, p.commits, p.flight, p.fenced = 0, p.commits[:0], p.flight[:0], false
	}
}

// mayIssue checks that wgmma.fence stands between ordinary writes to registers and a product that uses them, and that the warps of a
// group run the same products.
func (w *warp) mayIssue(p *groupProduct, mask uint32) *Fault {
	g, own, lane := w.ownGroup(), &w.products, trailing(mask)
	switch {
	case !own.fenced:
		return w.misuse(lane, "no wgmma.fence stands before the first product")
	case own.issued < len(g.issued) && g.issued[own.issued] != int32(w.pc-1):
		return w.misuse(lane, "other warps of the group run that of line %d", w.b.k.lines[g.issued[own.issued]])
	}
	for _, list := range [...][]int32{p.d, p.a} {
		for _, slot := range list {
			if own.dirty[slot] {
				return w.misuse(lane, "no wgmma.fence stands between this and the last write to its registers")
			}
		}
	}
	for _, slot := range p.a {
		if own.locks[slot] > 0 {
			return w.misuse(lane, "registers of A are accumulators of a product in flight")
		}
	}
	return nil
}

// issue counts a product and locks its registers. It reports whether this warp is the first of its group to run it.
func (w *warp) issue(p *groupProduct) (first bool) {
	g, own := w.ownGroup(), &w.products
	if first = own.issued == len(g.issued); first {
		g.issued = append(g.issued, int32(w.pc-1))
		g.chunks = append(g.chunks, nil)
	}
	own.flight = append(own.flight, flight{own.issued, p})
	for _, slot := range p.d {
		own.locks[slot]++
	}
	for _, slot := range p.a {
		own.locksA[slot]++
	}
	own.issued++
	w.b.gang.events++
	return first
}

// readMatrix checks a matrix in shared memory, and locks it where the warp is the first of its group.
func (w *warp) readMatrix(d *descriptor, n uint32, p *groupProduct, name string, first bool) (f *Fault) {
	list := &w.ownGroup().chunks[w.products.issued-1]
	if problem := d.problem(); problem != "" {
		f = w.fault(Misuse, allLanes)
		f.Detail = fmt.Sprintf("the descriptor of %s, at %#x: %s", name, d.start, problem)
		return f
	}
	return w.readChunks(d, n, p, name, func(at uint32) {
		if first {
			w.b.shadow.lock(at)
			*list = append(*list, at)
		}
	})
}

// readChunks checks that a product may read each chunk of a matrix in shared memory, and calls lock for it.
func (w *warp) readChunks(d *descriptor, n uint32, p *groupProduct, name string, lock func(at uint32)) (f *Fault) {
	b, t, a := w.b, w.b.gang.watch, w.agent()
	m := &access{space: sharedSpace, bytes: 16, vector: 1}
	d.chunks(n, uint32(p.k), uint32(p.size), func(at uint32) {
		if f != nil {
			return
		}
		w.addr[0] = uint64(at)
		if int(at)+16 > len(b.shared) {
			f = w.badAccess(OutOfBounds, m, 0)
			f.Detail += ", matrix " + name
			return
		}
		for word := int(at / 4); word < int(at/4)+4; word++ {
			problem, who := t.readsAsync(b.shadow, a, word)
			if at := &b.shadow.wrote[word]; problem == noProblem && b.tensor != nil && at.when > t.start && !w.isBehind(int(at.who), at.when) {
				problem = fencedBehind
			}
			if problem != noProblem {
				f = w.race(m, 0, problem, who)
				f.Detail += ", matrix " + name
				return
			}
		}
		lock(at)
	})
	return f
}

// awaitProducts ends all groups of products but the last n, once all warps of the group have run them. It reports whether it could.
func (w *warp) awaitProducts(n int) bool {
	own, g := &w.products, w.ownGroup()
	if len(own.commits) <= n {
		return true
	}
	target := own.commits[len(own.commits)-1-n]
	for i := w.index &^ 3; i < min(w.index&^3+4, len(w.b.warps)); i++ {
		if w.b.warps[i].products.issued < target {
			return false
		}
	}
	t := w.b.gang.watch
	for ; g.ended < target; g.ended++ {
		for _, at := range g.chunks[g.ended] {
			t.endRead(w.b.shadow, w.group(), at)
		}
		g.chunks[g.ended] = nil
	}
	t.known[w.agent()].seen[w.group()] = t.now
	kept := own.flight[:0]
	for _, fl := range own.flight {
		if fl.n >= target {
			kept = append(kept, fl)
			continue
		}
		for _, slot := range fl.p.d {
			own.locks[slot]--
		}
		for _, slot := range fl.p.a {
			own.locksA[slot]--
		}
	}
	own.flight = kept
	return true
}

// touch is a register that an instruction reads or writes.
type touch struct {
	slot  int32
	write bool
}

// guardAccumulators lets every instruction that touches registers of products look whether one is in flight.
func (b *body) guardAccumulators() {
	if !b.k.grouped {
		return
	}
	used := map[int32]bool{}
	for _, slot := range b.k.accumulators {
		used[slot] = true
	}
	for pc := range b.k.code {
		in := &b.k.code[pc]
		var touches []touch
		for _, t := range b.uses[pc] {
			if used[t.slot] {
				touches = append(touches, t)
			}
		}
		if len(touches) == 0 || in.product {
			continue
		}
		inner := *in
		switch in.kind {
		case kind32, kind64, kindExec:
			in.kind = kindExec
			in.exec = func(w *warp, _ *instr, mask uint32) *Fault {
				if f := w.touches(touches, mask); f != nil {
					return f
				}
				return w.plain(&inner, mask)
			}
		case kindMeet:
			meet := *in.meet
			in.meet = &meetOp{meet.member, func(w *warp, in *instr, mask uint32) *Fault {
				if f := w.touches(touches, mask); f != nil {
					return f
				}
				return meet.run(w, in, mask)
			}}
		}
	}
}

// plain runs an instruction of the commonest kinds.
func (w *warp) plain(in *instr, mask uint32) *Fault {
	switch in.kind {
	case kind32:
		in.op32(&w.beside32, &w.r32[in.a], &w.r32[in.b], &w.r32[in.c])
		lanes.choose32(&w.r32[in.d], &w.beside32, &w.r32[in.d], mask)
		return nil
	case kind64:
		in.op64(&w.beside64, &w.r64[in.a], &w.r64[in.b], &w.r64[in.c])
		lanes.choose64(&w.r64[in.d], &w.beside64, &w.r64[in.d], mask)
		return nil
	}
	return in.exec(w, in, mask)
}

// touches checks registers against products in flight, and notes writes.
func (w *warp) touches(list []touch, mask uint32) *Fault {
	own := &w.products
	for _, t := range list {
		if own.locks[t.slot] > 0 || t.write && own.locksA[t.slot] > 0 {
			f := w.fault(DataRace, mask)
			f.Detail = "a register of tcgen05.ld, which has not been waited for"
			if len(own.flight) > 0 {
				f.Detail = fmt.Sprintf("a register of the product at line %d, which has not been waited for", w.b.k.lines[w.ownGroup().issued[own.flight[0].n]])
			}
			return f
		}
		own.dirty[t.slot] = own.dirty[t.slot] || t.write
	}
	return nil
}

// setmaxnreg.{inc,dec}.sync.aligned.u32 n: the group's threads have n registers each.
func (b *body) setMaxRegisters(o *opcode, args []operand) instr {
	b.k.async, b.k.grouped = true, true
	b.need(o, "inc", "dec")
	b.need(o, "sync")
	b.need(o, "aligned")
	b.types(o, 1)
	b.want(o.name, args, 1)
	if args[0].kind != intOperand || args[0].number%8 != 0 || args[0].number < 24 || args[0].number > 256 {
		b.failHere("%s takes a multiple of 8 from 24 to 256", o.name)
	}
	n := uint32(args[0].number)
	in := instr{kind: kindGroupWait}
	in.again = func(w *warp) (bool, *Fault) { return w.setRegisters(n) }
	return in
}

// setRegisters gives the group n registers for each thread, once others have given back what it needs.
func (w *warp) setRegisters(n uint32) (bool, *Fault) {
	b := w.b
	if b.k.MaxThreads[0] == 0 {
		return false, w.misuse(0, "the kernel has no .maxntid")
	}
	groups := uint32(len(b.groups))
	start := min(65536/(128*groups)&^7, 255&^7)
	taken := n
	for i := range b.groups {
		switch g := &b.groups[i]; {
		case g == w.ownGroup():
		case g.free == 0:
			taken += start
		default:
			taken += g.free
		}
	}
	if taken > start*groups {
		w.wants = fmt.Sprintf("%d registers for each thread, and the groups of the block have %d of %d then", n, taken, start*groups)
		return false, nil
	}
	w.wants = ""
	w.ownGroup().free = n
	b.gang.events++
	return true, nil
}

// tryAgain runs an instruction of a whole warp that has to wait for other warps, and lets these run where it cannot go on.
func (w *warp) tryAgain(in *instr, mask uint32) (stop bool, f *Fault) {
	mask, ok := w.meetAt(w.all, mask)
	if !ok {
		return w.hold(mask)
	}
	w.mask = mask
	done, f := in.again(w)
	if f != nil || done {
		return f != nil, f
	}
	w.pc--
	return true, nil
}

// unequalGroups finds warps that have run fewer products than others of their group.
func (b *block) unequalGroups() *Fault {
	for i := range b.warps {
		w := &b.warps[i]
		if !b.k.grouped || w.products.issued == len(w.ownGroup().issued) {
			continue
		}
		f := w.faultAt(Misuse, int(w.ownGroup().issued[w.products.issued]), w.all)
		f.Detail = fmt.Sprintf("warp %d ends and has not run this product of its group", i)
		return f
	}
	return nil
}
