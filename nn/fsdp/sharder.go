package fsdp

import (
	"slices"
	"strings"

	"cresset/dist"
	"cresset/tensor"
)

// A sharder makes parameters whole for a Forward and its Backward, and parts again.
type sharder struct {
	options
	group  *dist.Group
	units  []*unit
	params []*param // of all units

	syncs    bool  // whether Backwards reduce
	constant bool  // whether Forwards track no gradients of parameters
	whole    bool  // whether parameters are
	left     int   // units whose gradients have not come
	last     *unit // whose gradients are being reduced
	resident []*unit
	fetches  []*unit          // since parameters became whole
	before   []*unit          // those of the time before, which tell what will be wanted next
	halted   []*tensor.Tensor // do not require a gradient for now
}

// begin makes parameters whole for a Forward; they have no memory until an op wants them.
func (s *sharder) begin() {
	if s.whole {
		if came := names(s.params, func(p *param) bool { return p.came }); came != nil && s.left > 0 {
			panic(fault("Expected to have finished the Backward of the iteration before. Parameters that did not receive grad: " +
				strings.Join(names(s.params, func(p *param) bool { return p.awaited && !p.came }), ", ")))
		}
		return
	}
	for _, p := range s.params {
		p.toWhole()
		p.awaited, p.came = false, false
		if s.constant && p.leaf.RequiresGrad() {
			p.leaf.SetRequiresGrad(false)
			s.halted = append(s.halted, p.leaf)
		}
	}
	s.whole, s.left = true, 0
}

// follow notes what a Forward has computed, from which a Backward will start; where none can, parameters become parts.
func (s *sharder) follow(outs ...*tensor.Tensor) {
	leaves := make([]*tensor.Tensor, len(s.params))
	for i, p := range s.params {
		leaves[i] = p.leaf
	}
	s.left = 0
	for i, on := range inner.Reaches(outs, leaves) {
		p := s.params[i]
		p.awaited = p.awaited || on && p.leaf.RequiresGrad()
	}
	for _, u := range s.units {
		u.awaits = 0
		for _, p := range u.params {
			if p.awaited {
				u.awaits++
			}
		}
		if u.awaits > 0 {
			s.left++
		}
	}
	if s.left == 0 {
		s.end()
	}
}

// fetch gathers a unit because an op wants one of its parameters, lets go what others have left, and begins to gather the next.
func (s *sharder) fetch(u *unit) {
	u.gather(s.group)
	u.arrive()
	if s.stage == 3 {
		s.letGo(s.resident[max(0, len(s.resident)-1):])
	}
	s.resident = append(s.resident, u)
	if s.fetches = append(s.fetches, u); len(s.fetches) < len(s.before) {
		if next := s.before[len(s.fetches)]; s.before[len(s.fetches)-1] == u && !slices.Contains(s.resident, next) {
			next.gather(s.group)
		}
	}
}

// letGo gives the memory of all units back but for some.
func (s *sharder) letGo(but []*unit) {
	kept := slices.Clone(but)
	for _, u := range s.resident {
		if !slices.Contains(but, u) && !inner.Evict(u.whole, func() { s.fetch(u) }) {
			kept = append(kept, u)
		}
	}
	s.resident = kept
}

// arrived notes that a parameter's gradient is complete.
func (s *sharder) arrived(u *unit, p *param) {
	if !p.awaited || !s.whole {
		return
	}
	if p.came {
		panic(fault("Expected to mark a variable ready only once. Parameter " + p.name + " has been marked as ready twice: it is used in several Backwards after one Forward"))
	}
	p.came = true
	if u.awaits--; u.awaits > 0 {
		return
	}
	if s.syncs {
		s.reduce(u)
	} else {
		u.keep()
	}
	if s.left--; s.left == 0 {
		s.finish()
	}
}

// keep puts whole gradients aside until a Backward reduces them.
func (u *unit) keep() {
	for _, p := range u.params {
		if !p.came {
			continue
		}
		if g := inner.BorrowGrad(p.leaf); p.pending == nil {
			p.pending = tensor.Like(p.shard).Zeros(p.whole...).CopyInPlace(g)
		} else {
			p.pending.AddInPlace(g)
		}
		p.leaf.SetGrad(nil)
		p.came = false
	}
}

// reduce begins to reduce a unit's gradients when those of the unit before are there, so that two messages at most take memory.
func (s *sharder) reduce(u *unit) {
	if s.last != nil {
		s.last.settle()
	}
	u.reduce(s.group, s.stage == 1)
	s.last = u
}

// finish reduces what NoSync has left, and makes parameters parts.
func (s *sharder) finish() {
	if s.syncs {
		for _, u := range s.units {
			if slices.ContainsFunc(u.params, func(p *param) bool { return p.pending != nil }) {
				s.reduce(u)
			}
		}
	}
	if s.last != nil {
		s.last.settle()
		s.last = nil
	}
	s.end()
}

// end makes parameters parts again.
func (s *sharder) end() {
	for _, p := range s.halted {
		p.SetRequiresGrad(true)
	}
	for _, p := range s.params {
		p.toPart()
	}
	for _, u := range s.units {
		if u.gathering != nil { // what was expected to be wanted, and was not
			must(u.gathering.Wait(ctx))
			u.dropMessages()
		}
	}
	s.letGo(nil)
	s.before, s.fetches = s.fetches, nil
	s.halted, s.whole = nil, false
}
