package dist

import (
	"context"
	"errors"
	"sync"
	"time"
)

// remote is the engine of a rank whose operations the process of rank 0, on the same machine, carries out.
type remote struct {
	hub  *office
	rank int
	part int // of frames
}

// An office sends a rank's calls to rank 0's process, in their order, and takes the answers.
type office struct {
	line *line

	mu     sync.Mutex
	last   int             // number of a request
	open   map[int]*errand // requests without an answer
	queue  []*errand       // those that were not sent yet
	ready  *sync.Cond      // there is one, or the line has ended
	left   bool            // this rank has
	broken error           // why nothing can be asked any more
}

// An errand is a request and what it waits for.
type errand struct {
	ending
	office  *office
	frame   frame
	in, out []byte // memory of tensors, held until release
	release func()
	sent    chan struct{} // closed when in has been read, which may be out too
	answer  frame
}

var errEnded = errors.New("its process has ended")

func newOffice(l *line) *office {
	o := &office{line: l, open: make(map[int]*errand)}
	o.ready = sync.NewCond(&o.mu)
	go o.write()
	go o.read()
	return o
}

// ask enqueues a request.
func (o *office) ask(e *errand) {
	e.office, e.done, e.sent = o, make(chan struct{}), make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken != nil {
		e.finish(o.broken)
		return
	}
	o.last++
	if e.frame.ID == 0 {
		e.frame.ID = o.last
	}
	switch e.frame.Kind {
	case leaves:
		o.left = true
	case missing:
	default:
		o.open[e.frame.ID] = e
	}
	o.queue = append(o.queue, e)
	o.ready.Signal()
}

// finish ends an errand.
func (e *errand) finish(err error) {
	if e.release != nil {
		e.release()
	}
	e.end(err)
}

// write sends what is enqueued until the line ends.
func (o *office) write() {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && o.broken == nil {
			o.ready.Wait()
		}
		if o.broken != nil {
			o.mu.Unlock()
			return
		}
		e := o.queue[0]
		o.queue = o.queue[1:]
		o.mu.Unlock()
		err := o.line.send(e.frame, e.in)
		close(e.sent)
		if e.frame.Kind == leaves {
			if err != nil { // as for another Close, when rank 0 has let the line go
				e.finish(&RankError{0, errEnded})
			} else {
				e.finish(nil)
			}
		}
		if err != nil {
			return // which read notices too
		}
	}
}

// read takes answers until the line ends, and with it everything that waits for one.
func (o *office) read() {
	for {
		f, err := o.line.next()
		if err == nil {
			err = o.take(f)
		}
		if err == nil {
			continue
		}
		o.mu.Lock()
		left := o.left
		o.mu.Unlock()
		if !left {
			o.line.lost()
		}
		o.mu.Lock()
		o.broken = &RankError{0, errEnded}
		waiting, unsent := o.open, o.queue
		o.open, o.queue = nil, nil
		o.ready.Broadcast()
		o.mu.Unlock()
		for _, e := range waiting {
			e.finish(o.broken)
		}
		for _, e := range unsent {
			if e.frame.Kind == leaves { // which waits for no answer
				e.finish(o.broken)
			}
		}
		return
	}
}

func (o *office) take(f frame) error {
	o.mu.Lock()
	e := o.open[f.ID]
	delete(o.open, f.ID)
	o.mu.Unlock()
	if e == nil {
		return errors.New("an answer to no question")
	}
	e.answer = f
	err := f.err()
	<-e.sent
	if err == nil && f.Bytes > 0 {
		if failed := o.line.fill(f, e.out); failed != nil {
			e.finish(&RankError{0, errEnded})
			return failed
		}
	}
	e.finish(err)
	return nil
}

func (r *remote) begin(c *call) pending {
	e := &errand{frame: frame{Part: r.part, Kind: c.kind, Op: c.op, Peer: c.peer, Tag: c.tag, Site: c.place(), In: none, Out: none}}
	var free []func()
	if c.in != nil {
		e.frame.In, e.frame.DType = c.in.NumEl(), c.in.DType()
		if c.kind != broadcast || c.peer == r.rank {
			var release func()
			e.in, release = inner.HoldMemory(c.in)
			free = append(free, release)
		}
	}
	if c.out != nil {
		e.frame.Out, e.frame.DType = c.out.NumEl(), c.out.DType()
		var release func()
		e.out, release = inner.HoldToWrite(c.out)
		free = append(free, release)
	}
	e.release = func() {
		for _, f := range free {
			f()
		}
	}
	r.hub.ask(e)
	return e
}

// missing asks which ranks keep the errand waiting; it knows none where nobody answers.
func (e *errand) missing() []int {
	const patience = time.Second
	question := &errand{frame: frame{ID: -e.frame.ID, Kind: missing}}
	e.office.mu.Lock()
	if e.office.broken == nil {
		e.office.open[question.frame.ID] = question
	}
	e.office.mu.Unlock()
	e.office.ask(question)
	if question.Wait(context.Background(), patience) != nil {
		return nil
	}
	return question.answer.Missing
}

func (r *remote) split(ctx context.Context, limit time.Duration, color, key int) (engine, int, int, error) {
	e := &errand{frame: frame{Part: r.part, Kind: divides, Color: color, Key: key, In: none, Out: none}}
	r.hub.ask(e)
	if err := e.Wait(ctx, limit); err != nil {
		return nil, 0, 0, err
	}
	return &remote{r.hub, e.answer.Color, e.frame.ID}, e.answer.Color, e.answer.Key, nil
}

// leave tells the others that this rank does not come any more, and why.
func (r *remote) leave(ctx context.Context, why error) error {
	if r.part != 0 {
		return nil // a part ends with the whole
	}
	e := &errand{frame: frame{Kind: leaves, Why: why.Error()}}
	r.hub.ask(e)
	err := e.Wait(ctx, DefaultTimeout)
	if gone := (*RankError)(nil); errors.As(err, &gone) {
		return nil // rank 0 has left before
	}
	return err
}

func (r *remote) abort(code int) { _ = r.leave(context.Background(), abortedWith(code)) }

func (r *remote) close(ctx context.Context) error { return r.leave(ctx, errLeft) }
