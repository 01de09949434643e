package fsdp

import (
	"cresset/dist"
	"cresset/dtype"
	"cresset/tensor"
)

// A unit is parameters of one dtype that are gathered and reduced together.
type unit struct {
	name   string
	params []*param
	each   int            // elements of a rank's part of a message
	place  tensor.Place   // of parts
	whole  *tensor.Tensor // of all parameters, one behind the other; its memory comes and goes

	gathering *dist.Work
	given     *tensor.Tensor // this rank's parts
	gathered  *tensor.Tensor // [ranks, each]
	awaits    int            // gradients that have not come
	reducing  *dist.Work
	sent      *tensor.Tensor // [ranks, each]
	reduced   *tensor.Tensor
}

// prepare makes the whole parameters' tensors, without memory.
func (u *unit) prepare(compute dtype.DType, fetch func()) {
	total := 0
	for _, p := range u.params {
		p.at = u.each
		u.each += p.room
		total += product(p.whole)
	}
	u.whole = u.place.As(compute).Empty(total)
	at := 0
	for _, p := range u.params {
		n := product(p.whole)
		p.view = u.whole.Narrow(0, at, n).View(p.whole...)
		at += n
	}
	inner.Evict(u.whole, fetch)
}

// gather begins to gather the parameters, if nobody has.
func (u *unit) gather(g *dist.Group) {
	if u.gathering != nil {
		return
	}
	place := u.place.As(u.whole.DType())
	u.given, u.gathered = place.Zeros(u.each), place.Empty(g.Size(), u.each)
	for _, p := range u.params {
		p.share(u.given)
	}
	u.gathering = g.AllGather(u.gathered, u.given)
}

// arrive waits for the parameters and gives them memory.
func (u *unit) arrive() {
	defer u.dropMessages()
	must(u.gathering.Wait(ctx))
	inner.Restore(u.whole, func() {
		for _, p := range u.params {
			p.collect(u.gathered)
		}
	})
}

// dropMessages gives the memory of what was gathered back.
func (u *unit) dropMessages() {
	u.given.Release()
	u.gathered.Release()
	u.gathering, u.given, u.gathered = nil, nil, nil
}

// reduce begins to reduce the gradients that there are, and gives back those whose memory is not kept.
func (u *unit) reduce(g *dist.Group, keep bool) {
	u.sent, u.reduced = u.place.Zeros(g.Size(), u.each), u.place.Empty(u.each)
	for _, p := range u.params {
		switch {
		case p.came && p.pending != nil:
			p.pending.AddInPlace(inner.BorrowGrad(p.leaf))
			p.spread(u.sent, p.pending)
		case p.came:
			p.spread(u.sent, inner.BorrowGrad(p.leaf))
		case p.pending != nil:
			p.spread(u.sent, p.pending)
			p.came = true
		}
		p.pending = nil
		if !keep && p.leaf.RequiresGrad() {
			p.leaf.SetGrad(nil)
		}
	}
	u.reducing = g.ReduceScatter(u.reduced, u.sent.View(-1), dist.Avg)
}

// settle waits for the mean gradients and hands them to the parameters.
func (u *unit) settle() {
	if u.reducing == nil {
		return
	}
	must(u.reducing.Wait(ctx))
	u.reducing = nil
	for _, p := range u.params {
		if p.came {
			p.take(u.reduced)
		}
	}
	u.sent.Release()
	u.reduced.Release()
	u.sent, u.reduced = nil, nil
}
