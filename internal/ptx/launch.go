package ptx

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// LaunchConfig says how to run a kernel.
type LaunchConfig struct {
	Grid    [3]uint32 // blocks
	Block   [3]uint32 // threads of a block
	Cluster [3]uint32 // blocks that run together; zeros for none
	Shared  uint32    // bytes of dynamic shared memory
	Params  []byte    // Kernel.ParamBytes bytes, each parameter at its offset
	Memory  Memory
	Globals []uint64 // addresses of Module.Globals
	Profile bool     // count sectors and bank conflicts too
	Workers int      // goroutines; 0 for GOMAXPROCS

	Capability int    // of the device, 80 for 8.0; 0 for the module's target. Tensor cores differ
	Nearest    bool   // tensor cores round each sum once, to nearest, instead of as the device does
	Shuffle    uint64 // chooses an order of the blocks, and when bulk copies land; 0 for the natural order, and late
	Watch      bool   // look for races in shared memory; kernels with asynchronous copies are always watched

	Programmatic bool // the kernel starts before the one ahead has ended, and waits for it (griddepcontrol.wait) before it touches global memory
}

// ErrLaunch is wrapped by the errors of launches that cannot start.
var ErrLaunch = errors.New("ptx: invalid launch")

// Launch runs a kernel and returns when it has ended. What a kernel does wrong is a *Fault: of several, that of the lowest
// block.
func Launch(k *Kernel, cfg LaunchConfig) (Counters, error) {
	blocks, err := cfg.check(k)
	if err != nil {
		return Counters{}, err
	}
	workers := cfg.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g := &grid{k: k, cfg: &cfg, blocks: blocks, first: blocks, turns: newTurns()}
	g.shuffle(cfg.Shuffle)
	if workers = int(min(uint64(workers), blocks)); workers == 1 {
		g.work()
		return g.result()
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(g.work)
	}
	wg.Wait()
	return g.result()
}

// check validates the launch, completes it, and returns its number of clusters.
func (cfg *LaunchConfig) check(k *Kernel) (blocks uint64, err error) {
	fail := func(format string, args ...any) (uint64, error) {
		return 0, fmt.Errorf("%w of %s: %s", ErrLaunch, k.Name, fmt.Sprintf(format, args...))
	}
	threads := uint64(1)
	for i, most := range [3]uint32{1024, 1024, 64} {
		if cfg.Block[i] == 0 || cfg.Block[i] > most {
			return fail("a block of %s threads", triple(cfg.Block))
		}
		threads *= uint64(cfg.Block[i])
	}
	allowed := uint64(1024)
	if m := k.MaxThreads; m[0] > 0 {
		allowed = uint64(m[0]) * uint64(m[1]) * uint64(m[2])
	}
	if threads > allowed {
		return fail("a block of %d threads, and the kernel allows %d", threads, allowed)
	}
	g := cfg.Grid
	if g[0] == 0 || g[1] == 0 || g[2] == 0 || g[0] > 1<<31-1 || g[1] > 65535 || g[2] > 65535 {
		return fail("a grid of %s blocks", triple(g))
	}
	if cfg.Cluster == [3]uint32{} {
		cfg.Cluster = k.Cluster
	}
	if cfg.Capability == 0 {
		cfg.Capability = k.Module.Capability
	}
	c := cfg.cluster()
	switch {
	case k.Cluster != [3]uint32{} && k.Cluster != cfg.Cluster:
		return fail("clusters of %s blocks, and the kernel asks for %s", triple(cfg.Cluster), triple(k.Cluster))
	case c[0] == 0 || c[1] == 0 || c[2] == 0 || uint64(c[0])*uint64(c[1])*uint64(c[2]) > 16:
		return fail("clusters of %s blocks", triple(c))
	case g[0]%c[0] != 0 || g[1]%c[1] != 0 || g[2]%c[2] != 0:
		return fail("a grid of %s blocks in clusters of %s", triple(g), triple(c))
	case cfg.Shared > 0 && k.Shared+int(cfg.Shared) > 227<<10:
		return fail("%d bytes of dynamic shared memory beside %d", cfg.Shared, k.Shared)
	case len(cfg.Params) != k.ParamBytes:
		return fail("%d bytes of parameters, and the kernel takes %d", len(cfg.Params), k.ParamBytes)
	case len(cfg.Globals) != len(k.Module.Globals):
		return fail("%d addresses of globals, and the module has %d", len(cfg.Globals), len(k.Module.Globals))
	case cfg.Memory == nil:
		return fail("no memory")
	}
	return uint64(g[0]/c[0]) * uint64(g[1]/c[1]) * uint64(g[2]/c[2]), nil
}

// cluster returns the shape of clusters.
func (cfg *LaunchConfig) cluster() [3]uint32 {
	if cfg.Cluster == [3]uint32{} {
		return [3]uint32{1, 1, 1}
	}
	return cfg.Cluster
}

// grid hands blocks, in clusters, to workers in order.
type grid struct {
	k      *Kernel
	cfg    *LaunchConfig
	blocks uint64
	next   atomic.Uint64
	failed atomic.Bool
	turns  *turns
	stride uint64 // the n-th to run is block n*stride + shift of the grid
	shift  uint64

	mu    sync.Mutex // guards the fields below
	count Counters
	first uint64 // block of fault
	fault *Fault
}

// shuffle chooses an order of the blocks.
func (g *grid) shuffle(seed uint64) {
	if g.stride = 1; seed == 0 {
		return
	}
	g.shift = seed % g.blocks
	for g.stride = (seed*0x9e3779b97f4a7c15>>33)%g.blocks | 1; common(g.stride, g.blocks) > 1; {
		g.stride += 2
	}
	if g.stride == 1 {
		g.stride = max(g.blocks, 2) - 1 // backwards
	}
}

func common(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// work runs blocks until none is left or one has failed. Blocks are taken in order and always run to their end, so the
// lowest that fails is always found.
func (g *grid) work() {
	team := borrow(g.k, g.cfg)
	defer team.giveBack()
	for _, one := range team.blocks {
		one.turns = g.turns
	}
	most := uint64(0)
	for !g.failed.Load() {
		n := g.next.Add(1) - 1
		if n >= g.blocks {
			break
		}
		before := team.executed()
		f := team.run(n, (n*g.stride+g.shift)%g.blocks)
		most = max(most, team.executed()-before)
		if g.k.Ordered {
			g.turns.end(n)
		}
		if f != nil {
			g.failed.Store(true)
			g.mu.Lock()
			if n < g.first {
				g.first, g.fault = n, f
			}
			g.mu.Unlock()
		}
	}
	g.mu.Lock()
	for _, one := range team.blocks {
		g.count.Add(one.count)
	}
	g.count.MostOfBlock = max(g.count.MostOfBlock, most)
	g.mu.Unlock()
}

func (g *grid) result() (Counters, error) {
	if g.fault != nil {
		return g.count, g.fault
	}
	return g.count, nil
}
