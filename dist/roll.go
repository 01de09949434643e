package dist

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cresset/tensor"
)

// A roll tells which ranks are late, on engines that cannot. A rank that has waited for long tells the others how many collective operations it has begun, and hears that from those that
// wait too: who is silent, or has begun fewer, keeps them waiting. As long as nobody waits for long, nothing is sent.
type roll struct {
	calling atomic.Bool // an exchange is under way, and stays so where the library is stuck

	mu      sync.Mutex
	reached int64      // the operation of which the last exchange told
	heard   []int64    // by rank: the operation that it has told of
	inbox   []*receipt // by rank
	sent    []testable // messages that others may not have received yet
}

// A receipt is a message that may come, and where it is received.
type receipt struct {
	number *tensor.Tensor
	testable
}

// testable is a pending that can be asked whether it has ended, as by MPI_Test.
type testable interface {
	pending
	ended() bool
}

const (
	longWait = time.Second            // after which a rank tells that it waits,
	rollLook = 100 * time.Millisecond // and how often it looks who has told too
	rollTag  = mostTag + 1            // of these messages

	mostMessages = 100 // received from a rank in one exchange: where it has left, each receive ends at once, with an error
)

// await waits for a work's call as its pending does. When that lasts it calls the roll, of collective operations, and looks for ranks whose processes have ended.
func (g *Group) await(ctx context.Context, w *Work) error {
	p := w.pending
	limit := g.timeout
	if end, bounded := ctx.Deadline(); bounded {
		limit = min(limit, time.Until(end))
	}
	asked, ok := p.(testable)
	if !ok || g.size == 1 || !g.hasRoll() {
		return p.Wait(ctx, g.timeout)
	}
	first := min(limit/4, longWait)
	err := p.Wait(ctx, first)
	if err == nil {
		return nil // a look at the clock is a tenth of a short message
	}
	begun := time.Now().Add(-first)
	for errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && time.Since(begun) < limit {
		if asked.ended() {
			return p.Wait(ctx, limit)
		}
		if w.number != 0 {
			g.callRoll()
		}
		if gone := g.departed(w); gone != nil && !asked.ended() {
			return gone
		}
		err = p.Wait(ctx, min(limit/20, rollLook, limit-time.Since(begun)))
	}
	return err
}

// hasRoll reports whether the group's engine knows no latecomers but carries messages.
func (g *Group) hasRoll() bool {
	_, far := g.engine.(*message)
	return far || g.meeting.gpus.Load() != nil
}

// callRoll tells and hears in a goroutine of its own: a library that is stuck must not keep a wait from its limit.
func (g *Group) callRoll() {
	if !g.roll.calling.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer g.roll.calling.Store(false)
		_ = tensor.Try(func() { g.roll.exchange(g) }) // who cannot be told does not answer
	}()
}

func (r *roll) exchange(g *Group) {
	if r.inbox == nil {
		r.inbox = make([]*receipt, g.size)
		r.mu.Lock()
		r.heard = make([]int64, g.size)
		r.mu.Unlock()
	}
	if called := g.called.Load(); r.reached < called {
		for rank := range g.size {
			if rank != g.rank {
				r.sent = append(r.sent, g.message(send, rank, tensor.FromSlice([]int64{called})))
			}
		}
		defer func() {
			r.mu.Lock()
			r.reached = called
			r.mu.Unlock()
		}()
	}
	r.sent = slices.DeleteFunc(r.sent, func(l testable) bool { return l == nil || l.ended() })
	for rank := range g.size {
		if rank != g.rank {
			r.listen(g, rank)
		}
	}
}

// listen takes what a rank has told.
func (r *roll) listen(g *Group, rank int) {
	for range mostMessages {
		if e := r.inbox[rank]; e != nil {
			if !e.ended() {
				return
			}
			r.mu.Lock()
			r.heard[rank] = max(r.heard[rank], tensor.Values[int64](e.number)[0])
			r.mu.Unlock()
		}
		to := tensor.FromSlice([]int64{0})
		l := g.message(receive, rank, to)
		if l == nil {
			return
		}
		r.inbox[rank] = &receipt{to, l}
	}
}

// message begins to send or receive by the group's engine, whatever carries its operations; nil where that fails.
func (g *Group) message(k kind, peer int, t *tensor.Tensor) testable {
	c := &call{kind: k, peer: peer, tag: rollTag}
	if k == send {
		c.in = t
	} else {
		c.out = t
	}
	l, _ := g.engine.begin(c).(testable)
	return l
}

// late returns the ranks that have not told that they wait in an operation. Where the library is stuck, which then knows all to have come, they are those that are stopped, or else those of other machines.
func (r *roll) late(g *Group, number int64) (ranks []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reached < number {
		if stopped := g.stopped(); stopped != nil {
			return stopped
		}
		return g.elsewhere
	}
	for rank, called := range r.heard {
		if rank != g.rank && called < number {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}
