package ptx

import (
	"fmt"
	"math/bits"
)

// tcgen05 decodes the instructions of tensor memory, of one block (cta_group::1).
func (b *body) tcgen05(o *opcode, args []operand) instr {
	b.k.async, b.k.grouped, b.k.tensor = true, true, true
	switch b.need(o, "alloc", "dealloc", "relinquish_alloc_permit", "mma", "commit", "ld", "wait::ld", "fence::before_thread_sync", "fence::after_thread_sync") {
	case "alloc":
		return b.tensorAlloc(o, args)
	case "dealloc":
		return b.tensorDealloc(o, args)
	case "relinquish_alloc_permit":
		b.oneBlock(o, true)
		return together(b.bare(o, args, kindMeet), func(w *warp, _ *instr, mask uint32) *Fault {
			w.b.tensor.relinquished = true
			return nil
		})
	case "mma":
		return b.tensorProduct(o, args)
	case "commit":
		return b.tensorCommit(o, args)
	case "ld":
		return b.tensorLoad(o, args)
	case "wait::ld":
		b.wholeWarp(o)
		return together(b.bare(o, args, kindMeet), func(w *warp, _ *instr, _ uint32) *Fault {
			w.awaitTensorLoads()
			return nil
		})
	}
	fence := (*warp).afterSync
	if o.name == "tcgen05.fence::before_thread_sync" {
		fence = (*warp).beforeSync
	}
	in := b.bare(o, args, kindExec)
	in.exec = func(w *warp, _ *instr, _ uint32) *Fault {
		fence(w)
		return nil
	}
	return in
}

// oneBlock takes .cta_group::1, and of instructions of whole warps what follows.
func (b *body) oneBlock(o *opcode, whole bool) {
	b.need(o, "cta_group::1")
	if whole {
		b.wholeWarp(o)
	}
}

func (b *body) wholeWarp(o *opcode) {
	b.need(o, "sync")
	b.need(o, "aligned")
}

// tensorAddress is a register with an address of tensor memory: a lane in the upper half, a column in the lower one.
func (b *body) tensorAddress(o *opcode, arg operand) int32 {
	if arg.kind != addressOperand || arg.offset != 0 || arg.name == "" {
		b.failHere("%s takes a register in brackets", o.name)
	}
	return b.source(operand{name: arg.name}, dataTypes["b32"])
}

// columnsOf checks a number of columns, which all lanes tell.
func (w *warp) columnsOf(slot int32, mask uint32) (n int, f *Fault) {
	n = int(w.r32[slot][trailing(mask)])
	switch {
	case !w.uniform(slot, mask):
		return 0, w.misuse(trailing(mask), "lanes tell different numbers of columns")
	case n < tensorUnit || n > tensorColumns || bits.OnesCount(uint(n)) != 1:
		return 0, w.misuse(trailing(mask), "%d columns, which are no power of two from %d to %d", n, tensorUnit, tensorColumns)
	}
	return n, nil
}

// uniform reports whether a register is the same in all lanes.
func (w *warp) uniform(slot int32, mask uint32) bool {
	r := &w.r32[slot]
	for left := mask; left != 0; left &= left - 1 {
		if r[trailing(left)] != r[trailing(mask)] {
			return false
		}
	}
	return true
}

// tcgen05.alloc.cta_group::1.sync.aligned[.shared::cta].b32 [to], columns writes the address to shared memory.
func (b *body) tensorAlloc(o *opcode, args []operand) instr {
	b.oneBlock(o, true)
	o.take("shared::cta")
	b.types(o, 1)
	b.want(o.name, args, 2)
	m := &access{space: sharedSpace, bytes: 4, vector: 1, write: true}
	b.address(args[0], m)
	count := b.source(args[1], dataTypes["b32"])
	return together(instr{}, func(w *warp, _ *instr, mask uint32) *Fault {
		n, f := w.columnsOf(count, mask)
		if f != nil {
			return f
		}
		t, lane := w.b.tensor, trailing(mask)
		first := t.free(n)
		switch {
		case t.relinquished:
			return w.misuse(lane, "the block has given up its right to allocate tensor memory")
		case first < 0:
			return w.misuse(lane, "%d columns of tensor memory, and the block has not as many left", n)
		}
		w.addresses(m)
		at := w.addr[lane]
		switch {
		case at%4 != 0:
			return w.badAccess(Misaligned, m, lane)
		case at+4 > uint64(len(w.b.shared)):
			return w.badAccess(OutOfBounds, m, lane)
		}
		if f := w.watchRange(w.b, m, lane, at, 4); f != nil {
			return f
		}
		t.fill(first, n)
		t.allocated = append(t.allocated, tensorRoom{first, n})
		order.PutUint32(w.b.shared[at:], uint32(first))
		return nil
	})
}

// tcgen05.dealloc.cta_group::1.sync.aligned.b32 address, columns.
func (b *body) tensorDealloc(o *opcode, args []operand) instr {
	b.oneBlock(o, true)
	b.types(o, 1)
	b.want(o.name, args, 2)
	t := dataTypes["b32"]
	address, count := b.source(args[0], t), b.source(args[1], t)
	return together(instr{}, func(w *warp, _ *instr, mask uint32) *Fault {
		n, f := w.columnsOf(count, mask)
		if f != nil {
			return f
		}
		m, room := w.b.tensor, tensorRoom{int(w.r32[address][trailing(mask)]), n}
		for i, r := range m.allocated {
			if r != room {
				continue
			}
			for column := r.first; column < r.first+r.columns; column++ {
				problem, who := w.writesColumn(column)
				if c := &m.columns[column]; problem == noProblem && (c.pending > 0 || c.when > 0) {
					problem, who = w.readsColumn(column, false)
				}
				if problem != noProblem {
					return w.tensorRace(mask, column, problem, who)
				}
			}
			m.allocated = append(m.allocated[:i], m.allocated[i+1:]...)
			return nil
		}
		return w.misuse(trailing(mask), "no %d columns of tensor memory from %#x on are allocated", n, room.first)
	})
}

// tensorLoad is tcgen05.ld.sync.aligned.32x32b.xN.b32 {d}, [address]: each warp of a group of four has 32 lanes, of which a thread loads N columns of its own.
func (b *body) tensorLoad(o *opcode, args []operand) instr {
	b.wholeWarp(o)
	b.need(o, "32x32b")
	times := b.need(o, "x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128")
	b.types(o, 1)
	b.want(o.name, args, 2)
	n := 0
	fmt.Sscanf(times, "x%d", &n)
	d := b.fragment(o, args[0], n, dataTypes["b32"], true)
	b.k.accumulators = append(b.k.accumulators, d...)
	address := b.tensorAddress(o, args[1])
	return together(instr{product: true}, func(w *warp, _ *instr, mask uint32) *Fault {
		at, m := w.r32[address][trailing(mask)], w.b.tensor
		lane, first := int(at>>16), int(at&0xffff)
		problem := m.holds(first, n)
		switch own := w.index % 4 * 32; {
		case !w.uniform(address, mask):
			problem = "lanes tell different addresses of tensor memory"
		case lane != own:
			problem = fmt.Sprintf("lanes of tensor memory from %d on, and the warp has those from %d on", lane, own)
		}
		if problem != noProblem {
			return w.misuse(trailing(mask), "%s", problem)
		}
		for _, slot := range d {
			if w.products.locks[slot] > 0 {
				return w.touches([]touch{{slot, true}}, mask)
			}
			w.products.locks[slot]++
		}
		for i, slot := range d {
			if problem, who := w.readsColumn(first+i, false); problem != noProblem {
				return w.tensorRace(mask, first+i, problem, who)
			}
			m.columns[first+i].loading++
			for l := range w.r32[slot] {
				w.r32[slot][l] = m.words[lane+l][first+i]
			}
		}
		w.loads = append(w.loads, tensorLoaded{d, first})
		return nil
	})
}

// tensorLoaded is a tcgen05.ld that has not been waited for: its registers, and its first column.
type tensorLoaded struct {
	slots []int32
	first int
}

// awaitTensorLoads is tcgen05.wait::ld.
func (w *warp) awaitTensorLoads() {
	m, a, now := w.b.tensor, w.agent(), w.b.gang.watch.now
	if m.read[a] == nil {
		m.read[a] = make([]uint32, tensorColumns)
	}
	for _, l := range w.loads {
		for i, slot := range l.slots {
			w.products.locks[slot]--
			m.columns[l.first+i].loading--
			m.read[a][l.first+i] = now
		}
	}
	w.loads = w.loads[:0]
}
