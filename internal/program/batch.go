package program

import (
	"slices"

	"cresset/internal/backend"
)

// batched computes regions of one key at once, of whatever sizes: the casts of all weights, those of all their gradients. One of them moves to
// where another is, if nothing between needs it where it was, and if the program needs no more memory than before, but for a hundredth.
func (p *Program) batched(b backend.Batcher) {
	most := p.peak()
	most += most / 100
	for at := range p.items {
		it := &p.items[at]
		if it.key == "" {
			continue
		}
		before := at - 1
		for before >= 0 && p.items[before].key != it.key {
			before--
		}
		if before < 0 {
			continue
		}
		for _, way := range [][2]int{{before, at}, {at, before}} {
			if from, to := way[0], way[1]; p.movable(from, to) && p.merge(b, from, to, most) {
				break
			}
		}
	}
	p.items = slices.DeleteFunc(p.items, func(it item) bool { return it.call == nil })
	for i := range p.items {
		if it := &p.items[i]; len(it.pieces) > 1 {
			it.fused = b.Batch(it.pieces)
		}
	}
}

// movable reports whether item from could run where item to does: what lies between touches nothing that it writes, and writes nothing that it
// reads; nor does that item itself.
func (p *Program) movable(from, to int) bool {
	step := 1
	if to < from {
		step = -1
	}
	for at := from; at != to; {
		at += step
		if p.items[at].meets(&p.items[from]) {
			return false
		}
	}
	return true
}

// meets reports whether one of two items writes what the other touches.
func (it *item) meets(other *item) bool {
	for s, writes := range it.slots {
		for t, others := range other.slots {
			if s == t && (writes || others) {
				return true
			}
		}
	}
	return false
}

// slots calls yield with each slot that the item touches, and whether it writes there.
func (it *item) slots(yield func(s *Slot, writes bool) bool) {
	if it.call == nil {
		return
	}
	if it.piece == nil && it.fused == nil {
		it.call.Slots(yield)
		return
	}
	for n, v := range slices.Concat(it.out, it.in) {
		if s, ok := v.Buf.(*Slot); ok && !yield(s, n < len(it.out)) {
			return
		}
	}
}

// merge computes item from together with item to, unless these are too many or the program would need more memory than so much.
func (p *Program) merge(b backend.Batcher, from, to, most int) bool {
	one, two := p.items[from], p.items[to]
	both := two
	both.pieces = slices.Concat(one.all(), two.all())
	both.out, both.in, both.touched = slices.Concat(one.out, two.out), slices.Concat(one.in, two.in), slices.Concat(one.touched, two.touched)
	p.items[from], p.items[to] = item{}, both
	if p.peak() <= most && b.Batch(both.pieces) != nil {
		return true
	}
	p.items[from], p.items[to] = one, two
	return false
}

// all returns the regions that an item computes.
func (it *item) all() []backend.Fused {
	if it.pieces != nil {
		return it.pieces
	}
	return []backend.Fused{it.piece}
}

// peak returns how many bytes the program has allocated at most at once.
func (p *Program) peak() (most int) {
	type life struct{ first, last int }
	lives, sized := make([]life, p.slots), make([]*Slot, p.slots)
	for at := range p.items {
		for _, s := range p.items[at].touched {
			if l := &lives[s.number]; sized[s.number] == nil {
				sized[s.number], *l = s, life{at, at}
			} else {
				l.last = at
			}
		}
	}
	for _, s := range p.kept {
		lives[s.number].last = len(p.items)
	}
	for _, s := range p.given {
		sized[s.number] = nil
	}
	change := make([]int, len(p.items)+2)
	for n, s := range sized {
		if s != nil {
			change[lives[n].first] += s.bytes
			change[lives[n].last+1] -= s.bytes
		}
	}
	now := 0
	for _, c := range change {
		now += c
		most = max(most, now)
	}
	return most
}
