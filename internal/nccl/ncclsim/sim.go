// Package ncclsim stands in NCCL's place for tests: it exchanges memory between simulated GPUs, of ranks that are goroutines of one process. What it cannot
// join it refuses, as NCCL does, and an operation is in progress until all ranks have called it.
package ncclsim

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"cresset/internal/dl/dltest"
	"cresset/internal/driver"
	"cresset/internal/nccl"
)

// NCCL's results that the library returns.
const (
	invalidArgument nccl.Result = 4
	invalidUsage    nccl.Result = 5
	remoteError     nccl.Result = 6
)

// New returns the library for the GPUs of a driver.
func New(gpus *driver.API) *nccl.API {
	l := &library{memory: memory{api: gpus}, worlds: map[nccl.ID]*world{}, comms: map[uintptr]*comm{}}
	return &nccl.API{
		Library: "simulated", Version: 23000, Simulated: true,
		GetUniqueID:        l.newID,
		CommInitRankConfig: l.join,
		CommSplit:          l.split,
		CommCount:          l.of(func(c *comm, args []uintptr) nccl.Result { write32(args[0], c.world.size); return nccl.Success }),
		CommUserRank:       l.of(func(c *comm, args []uintptr) nccl.Result { write32(args[0], c.rank); return nccl.Success }),
		CommFinalize:       l.of(func(c *comm, _ []uintptr) nccl.Result { return c.meet(operation{kind: "finalize"}) }),
		CommDestroy:        l.of(func(c *comm, _ []uintptr) nccl.Result { delete(l.comms, c.handle); return nccl.Success }),
		CommAbort:          l.of((*comm).abort),
		CommGetAsyncError:  l.of(func(c *comm, args []uintptr) nccl.Result { write32(args[0], int(c.state)); return nccl.Success }),
		AllReduce:          l.reduction("all_reduce"),
		ReduceScatter:      l.reduction("reduce_scatter"),
		Reduce: l.ofStream(7, 6, func(c *comm, a []uintptr) nccl.Result {
			return c.meet(operation{kind: "reduce", from: a[0], to: a[1], count: int(a[2]), typ: nccl.Type(a[3]), op: nccl.Op(a[4]), root: int(a[5])})
		}),
		Broadcast: l.ofStream(6, 5, func(c *comm, a []uintptr) nccl.Result {
			return c.meet(operation{kind: "broadcast", from: a[0], to: a[1], count: int(a[2]), root: int(a[4])})
		}),
		AllGather: l.ofStream(5, 4, func(c *comm, a []uintptr) nccl.Result {
			return c.meet(operation{kind: "all_gather", from: a[0], to: a[1], count: int(a[2])})
		}),
		Send: l.ofStream(5, 4, func(c *comm, a []uintptr) nccl.Result {
			return c.post(int(a[3]), letter{from: c, at: a[0], bytes: int(a[1])})
		}),
		Receive: l.ofStream(5, 4, func(c *comm, a []uintptr) nccl.Result {
			return c.post(int(a[3]), letter{to: c, at: a[0], bytes: int(a[1])})
		}),
		GroupStart: func(...uintptr) nccl.Result { return nccl.Success },
		GroupEnd:   func(...uintptr) nccl.Result { return nccl.InProgress }, // the communicator tells
	}
}

// library is what all communicators share.
type library struct {
	mu     sync.Mutex // held by each call
	memory memory
	ids    uint64
	worlds map[nccl.ID]*world
	comms  map[uintptr]*comm
	last   uintptr // handle that was given
}

// world is the ranks of a communicator.
type world struct {
	lib     *library
	size    int
	ranks   []*comm
	calls   []operation // of the round that is under way, by rank
	letters []letter    // that have not met
}

// comm is one rank.
type comm struct {
	world   *world
	handle  uintptr
	rank    int
	state   nccl.Result
	waiting int // messages that have not met
}

// of returns a function whose first argument is a communicator.
func (l *library) of(f func(c *comm, args []uintptr) nccl.Result) func(args ...uintptr) nccl.Result {
	return func(args ...uintptr) nccl.Result {
		l.mu.Lock()
		defer l.mu.Unlock()
		c := l.comms[args[0]]
		if c == nil {
			return invalidArgument
		}
		return f(c, args[1:])
	}
}

// ofStream returns a function whose arguments have a stream and a communicator at these places: what was issued to the stream before is done.
func (l *library) ofStream(stream, comm int, f func(c *comm, args []uintptr) nccl.Result) func(args ...uintptr) nccl.Result {
	return func(args ...uintptr) nccl.Result {
		l.mu.Lock()
		defer l.mu.Unlock()
		c := l.comms[args[comm]]
		if c == nil || !l.memory.drain(driver.Stream(args[stream])) {
			return invalidArgument
		}
		return f(c, args)
	}
}

func (l *library) newID(args ...uintptr) nccl.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids++
	binary.LittleEndian.PutUint64(dltest.Memory(args[0], 128), l.ids)
	return nccl.Success
}

// join takes arguments as a processor passes them that has six registers for them, or eight.
func (l *library) join(args ...uintptr) nccl.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	var id nccl.ID
	out, size, rank := args[0], int(args[1]), int(args[2])
	if runtime.GOARCH == "arm64" {
		copy(id[:], dltest.Memory(args[2], 128))
		rank = int(args[3])
	} else {
		for i, word := range args[6:] {
			binary.LittleEndian.PutUint64(id[8*i:], uint64(word))
		}
	}
	w := l.worlds[id]
	if w == nil {
		w = newWorld(l, size)
		l.worlds[id] = w
	}
	if w.size != size || rank >= size || w.ranks[rank] != nil {
		return invalidArgument
	}
	return w.enter(rank, out)
}

func newWorld(l *library, size int) *world {
	return &world{lib: l, size: size, ranks: make([]*comm, size), calls: make([]operation, size)}
}

// enter makes a rank, which is in progress until all are there.
func (w *world) enter(rank int, out uintptr) nccl.Result {
	w.lib.last++
	c := &comm{world: w, handle: w.lib.last, rank: rank}
	w.ranks[rank], w.lib.comms[c.handle] = c, c
	binary.LittleEndian.PutUint64(dltest.Memory(out, 8), uint64(c.handle))
	return c.meet(operation{kind: "join"})
}

// split is called by all ranks, which wait for each other here.
func (l *library) split(args ...uintptr) nccl.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.comms[args[0]]
	if c == nil {
		return invalidArgument
	}
	return c.meet(operation{kind: "split", color: int(int32(args[1])), key: int(int32(args[2])), to: args[3]})
}

// abort fails the others, as NCCL's watchdogs find a rank that has gone.
func (c *comm) abort([]uintptr) nccl.Result {
	delete(c.world.lib.comms, c.handle)
	for _, other := range c.world.ranks {
		if other != nil && other != c {
			other.state = remoteError
		}
	}
	return nccl.Success
}

// memory reaches the GPUs' memory by whichever context has it.
type memory struct {
	api *driver.API
	ctx []driver.Context
}

func (m *memory) contexts() []driver.Context {
	n, _ := m.api.DeviceGetCount()
	for i := int32(len(m.ctx)); i < n; i++ {
		dev, _ := m.api.DeviceGet(i)
		ctx, _ := m.api.DevicePrimaryCtxRetain(dev)
		m.ctx = append(m.ctx, ctx)
	}
	return m.ctx
}

// drain waits for a stream, and reports whether it is one.
func (m *memory) drain(s driver.Stream) bool {
	for _, ctx := range m.contexts() {
		if m.api.StreamSynchronize(ctx, s) == driver.Success {
			return true
		}
	}
	return false
}

// read returns bytes of a GPU.
func (m *memory) read(at uintptr, bytes int) []byte {
	b := make([]byte, bytes)
	for _, ctx := range m.contexts() {
		if bytes == 0 || m.api.MemcpyDtoHAsync(ctx, b, driver.Ptr(at), 0) == driver.Success && m.api.CtxSynchronize(ctx) == driver.Success {
			return b
		}
	}
	panic(fmt.Sprintf("no GPU has %d bytes at %#x", bytes, at))
}

// write changes bytes of a GPU.
func (m *memory) write(at uintptr, b []byte) {
	for _, ctx := range m.contexts() {
		if len(b) == 0 || m.api.MemcpyHtoDAsync(ctx, driver.Ptr(at), b, 0) == driver.Success && m.api.CtxSynchronize(ctx) == driver.Success {
			return
		}
	}
	panic(fmt.Sprintf("no GPU has %d bytes at %#x", len(b), at))
}

func write32(address uintptr, v int) {
	binary.LittleEndian.PutUint32(dltest.Memory(address, 4), uint32(v))
}
