package dist

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cresset/tensor"
)

// host is the engine of rank 0 of processes on one machine. Its process carries out the operations of all of them, each as a rank of a room of its own.
type host struct {
	*local
	guests sync.WaitGroup // the other ranks, until they have left
}

func (h *host) close(ctx context.Context) error {
	h.leave(errLeft)
	gone := make(chan struct{})
	go func() {
		h.guests.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("not all ranks have left: %w", context.Cause(ctx))
	}
}

// missing returns the ranks that have not left.
func (h *host) missing() (ranks []int) {
	h.room.mu.Lock()
	defer h.room.mu.Unlock()
	for rank, why := range h.room.gone {
		if why == nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// A guest is another rank, in the process of rank 0.
type guest struct {
	line  *line
	rank  int
	mu    sync.Mutex
	parts map[int]*local
	open  map[int]pending // operations that have not ended
}

// serve carries out what a rank asks for until it leaves, or its process ends.
func (h *host) serve(rank int, l *line) {
	defer h.guests.Done()
	defer l.conn.Close()
	whole := &local{room: h.room, rank: rank}
	g := &guest{line: l, rank: rank, parts: map[int]*local{0: whole}, open: make(map[int]pending)}
	why := errEnded
	for {
		f, err := l.next()
		if err == nil && f.Kind == leaves {
			why = errors.New(f.Why)
			if f.Why == errLeft.Error() {
				why = errLeft
			}
			break
		}
		if err == nil {
			err = g.do(f)
		}
		if err != nil {
			l.lost()
			break
		}
	}
	whole.leave(why)
}

// do begins what a frame asks for. Its error is that of the line.
func (g *guest) do(f frame) error {
	g.mu.Lock()
	on, asked := g.parts[f.Part], g.open[-f.ID]
	g.mu.Unlock()
	switch f.Kind {
	case missing:
		answer := frame{ID: f.ID}
		if late, knows := asked.(latecomers); knows {
			answer.Missing = late.missing()
		}
		return g.line.send(answer, nil)
	case divides:
		go g.split(on, f)
		return nil
	}
	c, err := g.callOf(f)
	if err != nil {
		return err
	}
	p := on.begin(c)
	g.mu.Lock()
	g.open[f.ID] = p
	g.mu.Unlock()
	go func() {
		answer := frame{ID: f.ID, Kind: f.Kind}
		answer.setErr(p.Wait(context.Background(), forever))
		g.mu.Lock()
		delete(g.open, f.ID)
		g.mu.Unlock()
		g.reply(answer, c)
	}()
	return nil
}

// callOf makes a call of a frame, with tensors of this process.
func (g *guest) callOf(f frame) (*call, error) {
	c := &call{kind: f.Kind, op: f.Op, peer: f.Peer, tag: f.Tag, site: f.Site}
	room := func(n int) *tensor.Tensor {
		if n == none {
			return nil
		}
		return tensor.Place{}.As(f.DType).Empty(n)
	}
	if c.in = room(f.In); !c.inPlace() {
		c.out = room(f.Out)
	} else if f.Out != none {
		c.out = c.in
	}
	if c.in == nil || f.Bytes == 0 {
		return c, nil
	}
	return c, inner.WriteMemory(c.in, func(memory []byte) error { return g.line.fill(f, memory) })
}

// reply sends how a call has ended, and what it has filled. A line that has ended is serve's to notice.
func (g *guest) reply(answer frame, c *call) {
	if answer.Why != "" || c.out == nil {
		_ = g.line.send(answer, nil)
		return
	}
	_ = inner.ReadMemory(c.out, func(memory []byte) error { return g.line.send(answer, memory) })
}

func (g *guest) split(on *local, f frame) {
	answer := frame{ID: f.ID, Kind: divides}
	part, rank, size, err := on.split(context.Background(), forever, f.Color, f.Key)
	if answer.setErr(err); err == nil {
		answer.Color, answer.Key = rank, size
		g.mu.Lock()
		g.parts[f.ID] = part.(*local)
		g.mu.Unlock()
	}
	_ = g.line.send(answer, nil)
}
