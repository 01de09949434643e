package dist

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
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
	meeting              meeting // for tensors on GPUs
	options
	agreeing  bool         // whether ranks compare a call, as Debug asks
	behalf    *call        // for which ranks exchange what the program knows nothing of; nil for none
	elsewhere []int        // ranks on other machines
	pids      []int        // by rank: its process where this one can see it, 0 elsewhere; under MPI alone
	called    atomic.Int64 // collective operations that have begun
	roll      roll
	mu        sync.Mutex
	broken    error // why the group is of no more use
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

// Engine returns what carries out the operations: "local", "mpi" or "nccl". It is "mpi+cuda" for CUDAAwareMPI, and "mpi+nccl", or "local+nccl", once NCCL exchanges
// tensors that are on GPUs, as the first of their operations finds out: where each rank has a GPU of its own and the library.
func (g *Group) Engine() string {
	switch {
	case g.meeting.gpus.Load() != nil:
		return g.name + "+nccl"
	case g.cudaAware && g.name == "mpi":
		return g.name + "+cuda"
	}
	return g.name
}

// String returns "rank 0 of 4 (mpi)".
func (g *Group) String() string {
	return fmt.Sprintf("rank %d of %d (%s)", g.rank, g.size, g.Engine())
}

// Split returns the group of the ranks that give the same color, numbered in the order of their keys, and where these are equal of their ranks.
// All ranks call it.
func (g *Group) Split(ctx context.Context, color, key int) (*Group, error) {
	if color < 0 || color > math.MaxInt32 || key < math.MinInt32 || key > math.MaxInt32 {
		panic(fault("split", tensor.ErrValue, fmt.Sprintf("color %d and key %d have to fit into 32 bits, and the color must not be negative", color, key)))
	}
	if err := g.brokenBy(); err != nil {
		return nil, err
	}
	come := &Work{group: g, call: call{kind: split, from: callSite()}}
	if err := g.agree(&come.call); err != nil {
		return nil, err
	}
	come.number = g.called.Add(1)
	come.pending = g.engine.begin(&call{kind: split, from: come.call.from}) // which tells who is late, or calls something else
	if err := come.Wait(ctx); err != nil {
		return nil, err
	}
	e, rank, size, err := g.engine.split(ctx, g.timeout, color, key)
	if late := g.late(ctx, come, err); late != nil {
		return nil, late
	}
	if err != nil {
		g.breakBy(err)
		return nil, err
	}
	part := &Group{rank: rank, size: size, name: g.name, engine: e, options: g.options}
	defer part.onBehalf(&come.call)()
	return withNeighbours(ctx, part)
}

// Abort ends all ranks of the job, as far as the engine can: under MPI their processes, with an exit code; in one program their operations.
func (g *Group) Abort(code int) {
	if n := g.meeting.gpus.Load(); n != nil {
		n.abort(code)
	}
	g.engine.abort(code)
}

// Close ends the group; under MPI it waits for the others to close, for at most the group's timeout. A process that ends without it is an error
// under most launchers. Another Close returns the same. Where it does not end in time, that is a *TimeoutError.
func (g *Group) Close(ctx context.Context) error {
	g.mu.Lock()
	if g.broken == nil {
		g.broken = errClosed
	}
	g.mu.Unlock()
	ends := call{kind: leaving, from: callSite()}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	var err error
	if n := g.meeting.gpus.Load(); n != nil {
		err = n.close(ctx)
	}
	err = errors.Join(err, g.engine.close(ctx))
	if !isLate(ctx, err) {
		return err
	}
	late := &TimeoutError{Call: ends.String(), Site: ends.place(), Err: err}
	if knows, ok := g.engine.(latecomers); ok {
		late.Missing = knows.missing()
	} else {
		late.Missing, late.unsure = g.halted(), true
	}
	return late
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
func (g *Group) begin(w *Work) *Work {
	w.group, w.behalf = g, g.behalf
	c := &w.call
	if w.behalf != nil {
		c.from = w.behalf.from
	} else if g.debug || g.name != "mpi" { // MPI does not compare places, and a wait that lasts can tell its own: to look here takes a tenth of a short message
		c.from = callSite()
	}
	if err := g.brokenBy(); err != nil {
		w.pending = failed{err}
		return w
	}
	for _, x := range []*tensor.Tensor{c.in, c.out} {
		if x == nil {
			continue
		}
		if graph := inner.CaptureOf(x); graph != nil {
			w.pending = failed{graph.Refuse(string(c.kind), "capture what lies before and behind it: ranks meet between replays")}
			return w
		}
	}
	carrier, home, err := g.carrierOf(c)
	if err != nil {
		w.pending = failed{err}
		return w
	}
	w.results = c.out
	if c.inPlace() {
		c.in = brought(c.in, home, true)
		if c.out != nil {
			c.out = c.in
		}
	} else {
		c.in, c.out = brought(c.in, home, true), brought(c.out, home, false)
		if c.in != nil && c.out != nil && inner.StorageOf(c.in) == inner.StorageOf(c.out) {
			c.in = c.in.Clone() // engines write results before they have read all
		}
	}
	if err := g.agree(c); err != nil {
		w.pending = failed{err}
		return w
	}
	if c.kind != send && c.kind != receive {
		w.number = g.called.Add(1)
	}
	w.pending = carrier.begin(c)
	return w
}

// brought returns a tensor without its gradient, itself where it has none, or one like it on the device where it is wanted, which is in pinned memory on the CPU, with its values where those are wanted;
// nil for nil.
func brought(x *tensor.Tensor, home device.Device, values bool) *tensor.Tensor {
	if x == nil {
		return nil
	}
	if x.RequiresGrad() {
		x = x.Detach()
	}
	switch {
	case x.Device() == home:
		return x
	case values:
		x = x.To(home)
	default:
		x = tensor.On(home).Empty(x.Shape()...).To(x.DType())
	}
	if home.IsCPU() {
		x = x.PinMemory()
	}
	return x
}
