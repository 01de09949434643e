package dist

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cresset/tensor"
)

// room is where the ranks of a group meet.
type room struct {
	mu      sync.Mutex
	size    int
	rounds  map[int]*round // those that have begun, by number
	letters map[string][]*letter
	gone    []error // for each rank why it does not come any more
	parts   map[string]*room
}

// round is one collective operation.
type round struct {
	room    *room
	calls   []*call // by rank
	arrived int
	ending
}

// A letter is a message that has one end.
type letter struct {
	call *call
	ending
}

// missing returns the rank at the message's other end.
func (l *letter) missing() []int { return []int{l.call.peer} }

// ending is how an operation ends.
type ending struct {
	done chan struct{}
	err  error
}

func (e *ending) end(err error) {
	e.err = err
	close(e.done)
}

func (e *ending) ended() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end.
func (e *ending) Wait(ctx context.Context, limit time.Duration) error {
	if e.ended() {
		return e.err // whatever ctx says
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return context.DeadlineExceeded
	}
}

func newRoom(size int) *room {
	return &room{size: size, rounds: map[int]*round{}, letters: map[string][]*letter{}, gone: make([]error, size), parts: map[string]*room{}}
}

// part returns the room of a part of the ranks: the same for all that name it.
func (r *room) part(name string, size int) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parts[name] == nil {
		r.parts[name] = newRoom(size)
	}
	return r.parts[name]
}

// post brings a message's two ends together. The caller holds r.mu.
func (r *room) post(rank int, c *call) pending {
	from, to := rank, c.peer
	if c.kind == receive {
		from, to = to, from
	}
	key := fmt.Sprintf("%d to %d, tag %d", from, to, c.tag)
	waiting := r.letters[key]
	if len(waiting) == 0 || waiting[0].call.kind == c.kind {
		l := &letter{call: c, ending: ending{done: make(chan struct{})}}
		if err := r.gone[c.peer]; err != nil {
			l.end(&RankError{c.peer, err})
			return l
		}
		r.letters[key] = append(waiting, l)
		return l
	}
	other := waiting[0]
	r.letters[key] = waiting[1:]
	in, out := c.in, other.call.out
	if c.kind == receive {
		in, out = other.call.in, c.out
	}
	var err error
	if in.NumEl() != out.NumEl() || in.DType() != out.DType() {
		err = fmt.Errorf("recv from rank %d: a message of %d elements of %s came, %d of %s were expected", from, in.NumEl(), in.DType(), out.NumEl(), out.DType())
	} else {
		err = tensor.Try(func() { out.CopyInPlace(in.View(out.Shape()...)) })
	}
	other.end(err)
	return failed{err}
}

// leave ends all operations that wait for a rank which has gone.
func (r *room) leave(rank int, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone[rank] != nil {
		return
	}
	r.gone[rank] = why
	for _, at := range r.rounds {
		if at.calls[rank] == nil && at.err == nil {
			at.end(&RankError{rank, why})
		}
	}
	for key, waiting := range r.letters {
		kept := waiting[:0]
		for _, l := range waiting {
			if l.call.peer == rank {
				l.end(&RankError{rank, why})
			} else {
				kept = append(kept, l)
			}
		}
		r.letters[key] = kept
	}
}

var errLeft = errors.New("has left the group")
