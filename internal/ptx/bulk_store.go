package ptx

// bulkStore is a copy from shared memory that still reads it.
type bulkStore struct {
	lane, pc int
	group    uint32
	from, to uint32 // offsets
}

func (w *warp) storeBulk(op *bulkOp, lane int) *Fault {
	shared, global, n, f := w.bulkSize(op, lane)
	if f != nil {
		return f
	}
	b, at, f := w.shared(op.shared, lane, shared, n)
	if f != nil {
		return f
	}
	to, f := w.span(op.global, lane, global, n)
	if f != nil {
		return f
	}
	if f := w.startStore(b, op, lane, at, n); f != nil {
		return f
	}
	w.countBulk(n)
	w.put(op, global, to, b.shared[at:][:n])
	return nil
}

// put writes to global memory at an address, or combines with what is there, as atomics do.
func (w *warp) put(op *bulkOp, addr uint64, to, from []byte) {
	if op.combine == nil {
		copy(to, from)
		return
	}
	w.b.awaitTurn()
	m := access{bytes: op.elem}
	for i := 0; i < len(to); i += op.elem {
		lock := lockOf(addr + uint64(i))
		lock.Lock()
		m.put(to[i:], op.combine(m.get(to[i:]), m.get(from[i:]), 0))
		lock.Unlock()
	}
}

// readAsync checks a read of shared memory by the asynchronous proxy.
func (w *warp) readAsync(b *block, m *access, lane int, at uint64, n int) *Fault {
	if b != w.b {
		return w.misuse(lane, "a copy from shared memory of another block")
	}
	t, a := w.b.gang.watch, w.agent()
	for word := at / 4; word < (at+uint64(n)+3)/4; word++ {
		if problem, who := t.readsAsync(b.shadow, a, int(word)); problem != noProblem {
			w.addr[lane] = word * 4
			return w.race(m, lane, problem, who)
		}
	}
	return nil
}

// startStore marks shared memory that a copy reads until it is waited for.
func (w *warp) startStore(b *block, op *bulkOp, lane int, at uint64, n int) *Fault {
	if f := w.readAsync(b, op.shared, lane, at, n); f != nil {
		return f
	}
	for word := at / 4; word < (at+uint64(n)+3)/4; word++ {
		b.shadow.reading[word]++
	}
	w.stores = append(w.stores, bulkStore{lane: lane, pc: w.pc - 1, group: w.closed[lane], from: uint32(at), to: uint32(at) + uint32(n)})
	w.b.gang.events++
	return nil
}

// endStores ends the reads of all groups of the lanes of mask but the last n.
func (w *warp) endStores(mask, n uint32) {
	t, a, kept := w.b.gang.watch, w.agent(), w.stores[:0]
	for _, s := range w.stores {
		if mask>>s.lane&1 == 0 || s.group+n >= w.closed[s.lane] {
			kept = append(kept, s)
			continue
		}
		for word := s.from / 4; word < (s.to+3)/4; word++ {
			w.b.shadow.reading[word]--
			t.noteRead(w.b.shadow, a, int(word))
		}
	}
	w.stores = kept
}
