package ptx

import (
	"fmt"
	"strings"
)

// gang is the blocks of a cluster, which run together: their warps take turns. A launch without clusters has gangs of one.
type gang struct {
	n      uint64 // number of the cluster in its launch, in the order of running
	blocks []*block
	watch  *watch // nil where nothing has to be watched
	events int    // counts what may let a waiting warp go on

	random uint64 // state of a generator, 0 where copies land in order and late

	cluster clusterBarrier
	copies  []bulkCopy     // in flight, oldest first
	commits []tensorCommit // of products that have not ended, oldest first
}

// borrow returns registers for a launch from the pool k.idle, or new ones where it has none of that shape.
func borrow(k *Kernel, cfg *LaunchConfig) *gang {
	g, _ := k.idle.Get().(*gang)
	if g == nil || !g.fits(cfg) {
		return newGang(k, cfg)
	}
	for _, b := range g.blocks {
		b.cfg, b.count = cfg, Counters{}
		for i := range b.warps {
			b.warps[i].fillLaunch()
		}
	}
	return g
}

func (g *gang) fits(cfg *LaunchConfig) bool {
	b, shape := g.blocks[0], cfg.cluster()
	return b.shape == cfg.Block && len(b.shared) == b.k.Shared+int(cfg.Shared) && (g.watch != nil) == (b.k.async || cfg.Watch) &&
		len(g.blocks) == int(shape[0]*shape[1]*shape[2])
}

func newGang(k *Kernel, cfg *LaunchConfig) *gang {
	shape := cfg.cluster()
	g := &gang{blocks: make([]*block, shape[0]*shape[1]*shape[2])}
	for rank := range g.blocks {
		g.blocks[rank] = newBlock(k, cfg, g, rank)
	}
	if k.async || cfg.Watch {
		g.watch = newWatch(g)
	}
	return g
}

// giveBack returns g to the pool, without the launch and the memory that it used.
func (g *gang) giveBack() {
	for _, b := range g.blocks {
		b.cfg, b.turns = nil, nil
		clear(b.regions)
	}
	g.blocks[0].k.idle.Put(g)
}

// run runs cluster n of the launch; its place in the grid is at.
func (g *gang) run(n, at uint64) *Fault {
	g.n = n
	g.cluster = clusterBarrier{}
	g.copies, g.commits = g.copies[:0], g.commits[:0]
	g.random = g.blocks[0].cfg.Shuffle * (2*at + 1)
	if g.watch != nil {
		g.watch.begin()
	}
	cfg := g.blocks[0].cfg
	shape := cfg.cluster()
	x, y := uint64(cfg.Grid[0]/shape[0]), uint64(cfg.Grid[1]/shape[1])
	first := [3]uint32{uint32(at%x) * shape[0], uint32(at/x%y) * shape[1], uint32(at/x/y) * shape[2]}
	for rank, b := range g.blocks {
		r := uint32(rank)
		b.start([3]uint32{first[0] + r%shape[0], first[1] + r/shape[0]%shape[1], first[2] + r/shape[0]/shape[1]})
	}
	return g.turn()
}

// patience is how often all warps may find nothing new before they count as locked up: code may look at several barriers
// in turn.
const patience = 64

// turn lets warps run in turn until all have ended.
func (g *gang) turn() *Fault {
	for idle := 0; ; {
		before, alive := g.events, false
		for _, b := range g.blocks {
			for i := range b.warps {
				w := &b.warps[i]
				if w.live == 0 {
					continue
				}
				alive = true
				if w.waits != nil {
					continue
				}
				if f := w.run(); f != nil {
					return f
				}
				if w.live == 0 {
					if f := b.left(w); f != nil {
						return f
					}
				}
			}
		}
		if g.random != 0 && g.underway() > 0 && g.draw()%2 == 0 {
			if f := g.deliver(); f != nil {
				return f
			}
		}
		switch {
		case !alive:
			return nil
		case g.events != before:
			idle = 0
		case g.underway() > 0:
			if f := g.deliver(); f != nil {
				return f
			}
			idle = 0
		case idle == patience || g.allWait():
			return g.deadlock()
		default:
			idle++
		}
	}
}

// draw returns a number that Shuffle decides.
func (g *gang) draw() uint64 {
	g.random ^= g.random << 13
	g.random ^= g.random >> 7
	g.random ^= g.random << 17
	return g.random
}

// allWait reports whether no warp can come to anything by itself.
func (g *gang) allWait() bool {
	for _, b := range g.blocks {
		for i := range b.warps {
			if w := &b.warps[i]; w.live != 0 && w.waits == nil {
				return false
			}
		}
	}
	return true
}

// deadlock is the fault of a gang whose warps all wait for what does not come.
func (g *gang) deadlock() (f *Fault) {
	about := ""
	for _, b := range g.blocks {
		for i := range b.warps {
			w := &b.warps[i]
			if w.live != 0 && w.wants != "" {
				f = w.misuse(0, "waits for %s", w.wants)
				return f
			}
			if w.live == 0 || w.asks == nil {
				continue
			}
			if f == nil {
				f = w.fault(Deadlock, w.mask)
			}
			about += fmt.Sprintf("; warp %d of block %s waits for the end of a phase of parity %d of %v", i, triple(b.id), w.asked, w.asks)
		}
	}
	if f != nil {
		f.Detail = strings.TrimPrefix(about, "; ")
		return f
	}
	for _, b := range g.blocks {
		if f := b.deadlock(); f != nil {
			return f
		}
	}
	f = g.blocks[0].warps[0].fault(Deadlock, allLanes)
	f.Detail = "no warp goes on"
	return f
}

// executed is how many lane instructions its blocks have executed since it was borrowed.
func (g *gang) executed() (n uint64) {
	for _, b := range g.blocks {
		n += b.count.LaneInstructions
	}
	return n
}
