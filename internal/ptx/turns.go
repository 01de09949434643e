package ptx

import "sync"

// turns lets blocks wait for all lower ones. It cannot lock up: blocks start in their order, so the lowest that runs never
// waits.
type turns struct {
	mu    sync.Mutex // guards the fields below
	moved sync.Cond
	next  uint64          // the lowest block that has not ended
	ended map[uint64]bool // blocks above it that have
}

func newTurns() *turns {
	t := &turns{ended: map[uint64]bool{}}
	t.moved.L = &t.mu
	return t
}

// end notes that a block has ended.
func (t *turns) end(n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[n] = true
	for t.ended[t.next] {
		delete(t.ended, t.next)
		t.next++
	}
	t.moved.Broadcast()
}

// awaitTurn returns when all blocks below those of b's gang have ended.
func (b *block) awaitTurn() {
	t := b.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next < b.gang.n {
		t.moved.Wait()
	}
}
