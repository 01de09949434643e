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
	Params  []byte    // Kernel.ParamBytes bytes, each parameter at its offset
	Memory  Memory
	Globals []uint64 // addresses of Module.Globals
	Profile bool     // count sectors and bank conflicts too
	Workers int      // goroutines; 0 for GOMAXPROCS
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

// check validates the launch and returns its number of blocks.
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
	switch {
	case len(cfg.Params) != k.ParamBytes:
		return fail("%d bytes of parameters, and the kernel takes %d", len(cfg.Params), k.ParamBytes)
	case len(cfg.Globals) != len(k.Module.Globals):
		return fail("%d addresses of globals, and the module has %d", len(cfg.Globals), len(k.Module.Globals))
	case cfg.Memory == nil:
		return fail("no memory")
	}
	return uint64(g[0]) * uint64(g[1]) * uint64(g[2]), nil
}

// grid hands blocks to workers in order.
type grid struct {
	k      *Kernel
	cfg    *LaunchConfig
	blocks uint64
	next   atomic.Uint64
	failed atomic.Bool
	turns  *turns

	mu    sync.Mutex // guards the fields below
	count Counters
	first uint64 // block of fault
	fault *Fault
}

// work runs blocks until none is left or one has failed. Blocks are taken in order and always run to their end, so the
// lowest that fails is always found.
func (g *grid) work() {
	b := borrow(g.k, g.cfg)
	defer b.giveBack()
	b.turns = g.turns
	for !g.failed.Load() {
		n := g.next.Add(1) - 1
		if n >= g.blocks {
			break
		}
		f := b.run(n)
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
	g.count.Add(b.count)
	g.mu.Unlock()
}

func (g *grid) result() (Counters, error) {
	if g.fault != nil {
		return g.count, g.fault
	}
	return g.count, nil
}
