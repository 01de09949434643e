package mem

import (
	"runtime"
	"unsafe"
	"weak"
)

const noSlot = -1

// net finds blocks that were dropped. It holds the memory of every block of the
// pool from netBytes up, but the block itself only weakly: when its owner has
// let go of it, the collector clears the weak pointer and the memory is still
// here.
type net struct {
	slots   []slot
	vacant  []int32
	watched bool
}

type slot struct {
	block weak.Pointer[Block]
	data  unsafe.Pointer // nil where the slot is vacant
	class int8
}

func (t *net) add(b *Block) {
	if last := len(t.vacant) - 1; last >= 0 {
		b.slot = t.vacant[last]
		t.vacant = t.vacant[:last]
	} else {
		b.slot = int32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	t.slots[b.slot] = slot{block: weak.Make(b), data: b.data, class: b.class}
}

func (t *net) remove(b *Block) {
	if b.slot != noSlot {
		t.vacate(b.slot)
		b.slot = noSlot
	}
}

func (t *net) vacate(i int32) {
	t.slots[i] = slot{}
	t.vacant = append(t.vacant, i)
}

// drain takes back the blocks whose owners are gone. The pool's lock is held.
func (p *pool) drain() {
	for i := range p.net.slots {
		s := &p.net.slots[i]
		if s.data == nil || s.block.Value() != nil {
			continue
		}
		p.live -= int64(classBytes(int(s.class)))
		if raceEnabled {
			// The detector cannot know that the last user is gone and would
			// report the next one.
			p.net.vacate(int32(i))
			continue
		}
		b := &Block{data: s.data, class: s.class, slot: int32(i)}
		s.block = weak.Make(b)
		p.pool(b)
	}
}

// nextLimit returns how much may be handed out before a collection is due, when
// what is handed out now is live.
func (p *pool) nextLimit() int64 { return p.live + max(slack, p.live/2) }

// watch makes every collection of the process call collected, starting with the
// first block that enters the net. The pool's lock is held.
func (p *pool) watch() {
	if p.net.watched {
		return
	}
	p.net.watched = true
	p.rearm()
}

func (p *pool) rearm() {
	sentinel := new(struct{ self *pool }) // a pointer keeps it out of the allocator's shared tiny blocks
	runtime.AddCleanup(sentinel, (*pool).collected, p)
}

// collected takes back what the collection has shown to be dropped and lets
// idle memory go.
func (p *pool) collected() {
	// To ask a weak pointer while the collector marks keeps its block for
	// another round, so this stays out of the way of collect, which drains too.
	drain := p.collecting.TryLock()
	if drain {
		defer p.collecting.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.high = max(p.live, p.high-p.high/8)
	p.shed, p.bare = 0, list{}
	if drain {
		p.drain()
	}
	// Some of what is live now may have been dropped since the collection: it
	// must not raise the limit.
	p.limit = min(p.limit, p.nextLimit())
	p.trim(p.keep())
	p.rearm()
}
