package dist

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/nccl"
	"cresset/internal/patience"
	"cresset/tensor"
)

// gpus is the engine of ranks that have a GPU each. Operations run on a stream beside the one that computes.
type gpus struct {
	comm  *nccl.Comm
	gpu   device.Device
	limit time.Duration // of a call until the library has taken it up, for which other ranks may have to come
	token *tensor.Tensor
	quit  chan struct{} // ends the watchdog
	waits func()        // told again and again when a call has to wait for long; nil for nobody

	mu     sync.Mutex
	closed bool
	parts  []*gpus // of groups that are parts of this one
}

// joinGPUs returns the engine of a rank when all ranks have come.
func joinGPUs(ctx context.Context, api *nccl.API, id nccl.ID, rank, size int, gpu device.Device, limit time.Duration) (*gpus, error) {
	var comm *nccl.Comm
	err := inner.Within(gpu, func() (err error) {
		comm, err = api.Join(id, rank, size, until(ctx, limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	return newGPUs(comm, gpu, limit), nil
}

func newGPUs(comm *nccl.Comm, gpu device.Device, limit time.Duration) *gpus {
	n := &gpus{comm: comm, gpu: gpu, limit: limit, token: tensor.On(gpu).Zeros(1), quit: make(chan struct{})}
	go n.watch()
	return n
}

// until is a patience that ends with ctx, or after limit.
func until(ctx context.Context, limit time.Duration) nccl.Patience {
	end := time.Now().Add(limit)
	return func() error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case time.Now().After(end):
			return context.DeadlineExceeded
		}
		return nil
	}
}

// taking is the patience of a call that the library is to take up.
func (n *gpus) taking() nccl.Patience {
	wait, next := until(context.Background(), n.limit), time.Now().Add(min(n.limit/4, longWait))
	return func() error {
		if now := time.Now(); n.waits != nil && now.After(next) {
			n.waits()
			next = now.Add(rollLook)
		}
		return wait()
	}
}

// watch looks for failures of other ranks, which would leave this one's GPU waiting where nobody waits for an operation.
func (n *gpus) watch() {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-n.quit:
			return
		case <-look.C:
			if n.comm.Failed() != nil {
				return
			}
		}
	}
}

// ncclTypes are the dtypes that NCCL joins.
var ncclTypes = map[dtype.DType]nccl.Type{
	dtype.Bool: nccl.Uint8, dtype.Uint8: nccl.Uint8, dtype.Int8: nccl.Int8, dtype.Int32: nccl.Int32, dtype.Int64: nccl.Int64,
	dtype.Float16: nccl.Float16, dtype.BFloat16: nccl.BFloat16, dtype.Float32: nccl.Float32, dtype.Float64: nccl.Float64,
}

var ncclOps = map[ReduceOp]nccl.Op{Sum: nccl.Sum, Avg: nccl.Avg, Product: nccl.Product, Min: nccl.Min, Max: nccl.Max}

func (n *gpus) begin(c *call) pending {
	if err := n.refuse(c); err != nil {
		return failed{err}
	}
	var reads, writes []*tensor.Tensor
	if c.in != nil && c.in != c.out {
		reads = append(reads, c.in)
	}
	if c.out != nil {
		writes = append(writes, c.out)
	}
	if c.in == nil && c.out == nil {
		writes = append(writes, n.token)
	}
	done, err := inner.Lend(reads, writes, func(stream uintptr, at []uintptr) error {
		return n.issue(nccl.Issue{Comm: n.comm, Stream: stream, Wait: n.taking()}, c, at)
	})
	if err != nil { // of the GPU, or of ranks that have not come in time
		done = func() (bool, error) { return false, err }
	}
	return &issued{gpus: n, done: done}
}

// refuse returns why NCCL cannot carry out a call; all ranks find the same.
func (n *gpus) refuse(c *call) error {
	switch {
	case c.reduces() && !known(c.in.DType()):
		return fault(c.kind, tensor.ErrDType, "Input tensor data type is not supported for NCCL process group: "+c.in.DType().ScalarName())
	case c.tag != 0:
		return fault(c.kind, tensor.ErrValue, fmt.Sprintf("NCCL has no tags, and tag %d is not 0: messages arrive in the order in which they are sent", c.tag))
	}
	return nil
}

func known(dt dtype.DType) bool {
	_, ok := ncclTypes[dt]
	return ok
}

// issue hands a call to the library: at are the addresses of what it reads and then of what it writes.
func (n *gpus) issue(s nccl.Issue, c *call, at []uintptr) error {
	from, to := at[0], at[len(at)-1]
	switch c.kind {
	case allReduce:
		return s.AllReduce(to, from, c.in.NumEl(), ncclTypes[c.in.DType()], c.ncclOp())
	case reduce:
		return s.Reduce(to, from, c.in.NumEl(), ncclTypes[c.in.DType()], c.ncclOp(), c.peer)
	case reduceScatter:
		return s.ReduceScatter(to, from, c.out.NumEl(), ncclTypes[c.in.DType()], c.ncclOp())
	case broadcast:
		return s.Broadcast(to, from, bytesOf(c.out), c.peer)
	case allGather:
		return s.AllGather(to, from, bytesOf(c.in))
	case barrier, split:
		return s.AllReduce(to, from, 1, nccl.Float32, nccl.Sum)
	}
	return s.Exchange(n.messages(c, from, to)...)
}

func (c *call) ncclOp() nccl.Op {
	if c.in.DType() == dtype.Bool {
		return ncclOps[c.op.ofBools()]
	}
	return ncclOps[c.op]
}

func bytesOf(t *tensor.Tensor) int { return t.NumEl() * t.DType().Size() }

// messages are what a call is made of for which NCCL has no operation.
func (n *gpus) messages(c *call, from, to uintptr) (ms []nccl.Message) {
	out := func(peer int, at uintptr, bytes int) {
		ms = append(ms, nccl.Message{Peer: peer, At: at, Bytes: bytes})
	}
	in := func(peer int, at uintptr, bytes int) {
		ms = append(ms, nccl.Message{Peer: peer, At: at, Bytes: bytes, Receive: true})
	}
	part := func(at uintptr, rank, bytes int) uintptr { return at + uintptr(rank*bytes) }
	switch c.kind {
	case send:
		out(c.peer, from, bytesOf(c.in))
	case receive:
		in(c.peer, to, bytesOf(c.out))
	case allToAll:
		each := bytesOf(c.in) / n.comm.Size
		for rank := range n.comm.Size {
			out(rank, part(from, rank, each), each)
			in(rank, part(to, rank, each), each)
		}
	case gather:
		each := bytesOf(c.in)
		out(c.peer, from, each)
		for rank := 0; c.out != nil && rank < n.comm.Size; rank++ {
			in(rank, part(to, rank, each), each)
		}
	case scatter:
		each := bytesOf(c.out)
		for rank := 0; c.in != nil && rank < n.comm.Size; rank++ {
			out(rank, part(from, rank, each), each)
		}
		in(c.peer, to, each)
	}
	return ms
}

// issued is a call that a GPU works at.
type issued struct {
	*gpus
	mu   sync.Mutex
	done func() (bool, error)
}

// Wait looks until the GPU is done.
func (p *issued) Wait(ctx context.Context, limit time.Duration) error {
	var between patience.Looks
	for wait := until(ctx, limit); ; {
		switch done, err := p.look(); {
		case err != nil:
			return err
		case done:
			return p.comm.Failed() // which ends work that was not done
		}
		if !between.Rest() {
			continue
		}
		if err := p.comm.Failed(); err != nil {
			return err
		}
		if err := wait(); err != nil {
			return err
		}
	}
}

func (p *issued) look() (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done()
}

func (p *issued) ended() bool {
	done, err := p.look()
	return done || err != nil || p.comm.Failed() != nil
}

// giveUp ends what the GPU does there, for nothing else would end it.
func (p *issued) giveUp(why error) { p.comm.Abort(why) }

func (n *gpus) split(ctx context.Context, limit time.Duration, color, key int) (engine, int, int, error) {
	var comm *nccl.Comm
	err := inner.Within(n.gpu, func() (err error) {
		comm, err = n.comm.Split(color, key, until(ctx, limit))
		return err
	})
	if err != nil {
		return nil, 0, 0, err
	}
	part := newGPUs(comm, n.gpu, n.limit)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.parts = append(n.parts, part)
	return part, comm.Rank, comm.Size, nil
}

func (n *gpus) abort(code int) { n.leave(fmt.Errorf("has aborted with code %d", code)) }

// leave ends what GPUs do, so that other ranks find out.
func (n *gpus) leave(why error) {
	n.stop()
	n.comm.Abort(why)
	for _, part := range n.divided() {
		part.leave(why)
	}
}

// divided returns the engines of the parts.
func (n *gpus) divided() []*gpus {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.parts
}

// stop ends the watchdog, and reports whether that was to do.
func (n *gpus) stop() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	first := !n.closed
	if n.closed = true; first {
		close(n.quit)
	}
	return first
}

// close frees the communicator, after those of parts, when all ranks have come for it.
func (n *gpus) close(ctx context.Context) error {
	if !n.stop() {
		return nil
	}
	var errs []error
	for _, part := range n.divided() {
		errs = append(errs, part.close(ctx))
	}
	errs = append(errs, inner.Within(n.gpu, func() error { return n.comm.Close(until(ctx, n.limit)) }))
	return errors.Join(errs...)
}
