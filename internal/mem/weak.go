package mem

import (
	"runtime"
	"unsafe"
	"weak"

	"cresset/internal/race"
)

const untracked = -1

// tracked finds blocks that became unreachable. It holds the memory of every block of the pool from trackedBytes up, but the
// block itself by a weak pointer only: the collector clears that when the block is unreachable, and the memory is still
// here.
type tracked struct {
	slots    []slot
	free     []int32
	watching bool
}

type slot struct {
	block weak.Pointer[Block]
	data  unsafe.Pointer // nil where the slot is vacant
	class int8
}

func (t *tracked) add(b *Block) {
	if last := len(t.free) - 1; last >= 0 {
		b.slot = t.free[last]
		t.free = t.free[:last]
	} else {
		b.slot = int32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	t.slots[b.slot] = slot{block: weak.Make(b), data: b.data, class: b.class}
}

func (t *tracked) remove(b *Block) {
	if b.slot != untracked {
		t.vacate(b.slot)
		b.slot = untracked
	}
}

func (t *tracked) vacate(i int32) {
	t.slots[i] = slot{}
	t.free = append(t.free, i)
}

// reclaim puts unreachable blocks into the free lists. The pool's lock is held.
func (p *pool) reclaim() {
	for i := range p.tracked.slots {
		s := &p.tracked.slots[i]
		if s.data == nil || s.block.Value() != nil {
			continue
		}
		p.live -= int64(classBytes(int(s.class)))
		if race.Enabled {
			// The detector cannot know that the last user is gone and would report the next one.
			p.tracked.vacate(int32(i))
			continue
		}
		b := &Block{data: s.data, class: s.class, slot: int32(i)}
		s.block = weak.Make(b)
		p.pool(b)
	}
}

// nextLimit returns how much may be handed out before a collection is due, when what is handed out now is live.
func (p *pool) nextLimit() int64 { return p.live + max(slack, p.live/2) }

// watch makes every collection of the process call collected, starting with the first tracked block. The pool's lock is
// held.
func (p *pool) watch() {
	if p.tracked.watching {
		return
	}
	p.tracked.watching = true
	p.watchNext()
}

func (p *pool) watchNext() {
	sentinel := new(struct{ self *pool }) // a pointer keeps it out of the allocator's shared tiny blocks
	runtime.AddCleanup(sentinel, (*pool).collected, p)
}

// collected reclaims what the collection has shown to be unreachable and trims idle memory.
func (p *pool) collected() {
	// To ask a weak pointer while the collector marks keeps its block for another round, so this leaves it to a running
	// collect, which reclaims too.
	reclaim := p.collecting.TryLock()
	if reclaim {
		defer p.collecting.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.high = max(p.live, p.high-p.high/8)
	p.dropped, p.spare = 0, list{}
	if reclaim {
		p.reclaim()
	}
	// Some of what is live now may have become unreachable since the collection: it must not raise the limit.
	p.limit = min(p.limit, p.nextLimit())
	p.trim(p.keep())
	p.watchNext()
}
