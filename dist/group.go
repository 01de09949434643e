package dist

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"cresset/device"
	"cresset/internal/friend"
	"cresset/tensor"
)

// A Group is ranks that compute together, seen from one of them. Its methods are called by one goroutine at a time.
type Group struct {
	rank, size           int
	localRank, localSize int
	name                 string // of the engine
	engine               engine
	options
	agreeing bool // whether ranks compare a call, as Debug asks
	mu       sync.Mutex
	broken   error // why the group is of no more use
}

// inner is what package tensor registers: the memory of tensors.
var inner = friend.Of[*tensor.Tensor]()

// DefaultTimeout is how long an operation takes at most unless Timeout says otherwise: PyTorch's limit for NCCL.
const DefaultTimeout = 10 * time.Minute

// Rank returns the number of this process, from 0 to less than Size.
func (g *Group) Rank() int { return g.rank }

// Size returns how many ranks the group has.
func (g *Group) Size() int { return g.size }

// LocalRank returns this rank's number among those of its machine: of which GPU it is to take.
func (g *Group) LocalRank() int { return g.localRank }

// LocalSize returns how many ranks its machine has.
func (g *Group) LocalSize() int { return g.localSize }

// Engine returns what carries out the operations: "local", or "mpi".
func (g *Group) Engine() string { return g.name }

// String returns "rank 0 of 4 (mpi)".
func (g *Group) String() string { return fmt.Sprintf("rank %d of %d (%s)", g.rank, g.size, g.name) }

// Split returns the group of the ranks that give the same color, numbered in the order of their keys, and where these are equal of their ranks.
// All ranks call it.
func (g *Group) Split(ctx context.Context, color, key int) (*Group, error) {
	if color < 0 || color > math.MaxInt32 || key < math.MinInt32 || key > math.MaxInt32 {
		panic(fault("split", tensor.ErrValue, fmt.Sprintf("color %d and key %d have to fit into 32 bits, and the color must not be negative", color, key)))
	}
	if err := g.brokenBy(); err != nil {
		return nil, err
	}
	c := &call{kind: split, site: callSite()}
	if err := g.agree(c); err != nil {
		return nil, err
	}
	e, rank, size, err := g.engine.split(ctx, g.timeout, color, key)
	if late := g.late(ctx, c, err); late != nil {
		return nil, late
	}
	if err != nil {
		g.breakBy(err)
		return nil, err
	}
	return withNeighbours(ctx, &Group{rank: rank, size: size, name: g.name, engine: e, options: g.options})
}

// Abort ends all ranks of the job, as far as the engine can: under MPI their processes, with an exit code; in one program their operations.
func (g *Group) Abort(code int) { g.engine.abort(code) }

// Close ends the group; that of all ranks under MPI waits for the others to close, for at most the group's timeout. A process that ends without it is an error
// under most launchers. Another Close returns the same.
func (g *Group) Close(ctx context.Context) error {
	g.mu.Lock()
	if g.broken == nil {
		g.broken = errClosed
	}
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	return g.engine.close(ctx)
}

var errClosed = errors.New("the group is closed")

// brokenBy returns why the group is of no more use, nil while it is.
func (g *Group) brokenBy() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

// breakBy notes the first error after which ranks do not meet any more.
func (g *Group) breakBy(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken == nil {
		g.broken = fmt.Errorf("the group is broken since %w", err)
	}
}

// begin starts a call whose tensors are on any devices.
func (g *Group) begin(c *call) *Work {
	c.site = callSite()
	w := &Work{group: g, call: c}
	if err := g.brokenBy(); err != nil {
		w.pending = failed{err}
		return w
	}
	w.results = c.out
	if c.kind == allReduce || c.kind == broadcast {
		c.in = onHost(c.in, true)
		c.out = c.in
	} else {
		c.in, c.out = onHost(c.in, true), onHost(c.out, false)
		if c.in != nil && c.out != nil && inner.StorageOf(c.in) == inner.StorageOf(c.out) {
			c.in = c.in.Clone() // engines write results before they have read all
		}
	}
	if err := g.agree(c); err != nil {
		w.pending = failed{err}
	} else {
		w.pending = g.engine.begin(c)
	}
	return w
}

// onHost returns a tensor without its gradient, on a GPU one like it in pinned memory, with its values where they are wanted; nil for nil.
func onHost(x *tensor.Tensor, values bool) *tensor.Tensor {
	if x == nil {
		return nil
	}
	x = x.Detach()
	switch {
	case x.Device().IsCPU():
		return x
	case values:
		return x.To(device.CPU).PinMemory()
	}
	return tensor.Empty(x.Shape()...).To(x.DType()).PinMemory()
}
