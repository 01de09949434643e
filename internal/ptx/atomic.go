package ptx

import "sync"

// atomicOp is what a compare-and-swap instruction has besides its access: the slots of what the word must hold, of what it
// becomes, and of what it held.
type atomicOp struct {
	compare, swap, old int32
}

// locks keep atomic operations of different blocks apart: an address has one of them. All launches share them because
// kernels of several streams may work on one word.
var locks [64]sync.Mutex

// atomics compares and swaps lane by lane, which is an order that hardware may choose too. On global memory the blocks take
// their turns.
func (w *warp) atomics(m *access, r *Region, mask uint32) {
	if m.space == globalSpace {
		w.b.awaitTurn()
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := trailing(mask)
		at := r.Data[w.addr[lane]-r.Base:]
		lock := &locks[w.addr[lane]>>3%uint64(len(locks))]
		lock.Lock()
		old := m.get(at)
		if old == w.lane(m, m.atomic.compare, lane) {
			m.put(at, w.lane(m, m.atomic.swap, lane))
		}
		lock.Unlock()
		w.setLane(m, m.atomic.old, lane, old)
	}
}
