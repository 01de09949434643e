package kernels

import "fmt"

// ByteTiles are the tiles of products of int8 with int8 on tensor cores. A step of 64 numbers takes them the clocks that 32 halves take product_mma.cu.
var ByteTiles = [...]tiling{
	{rows: 64, columns: 128, threads: 128, shared: 4 * 192 * 64, resident: 3, steps: 64, waiting: 300, busy: 340, ends: 5000},
	{rows: 128, columns: 128, threads: 128, shared: 4 * 256 * 64, resident: 2, steps: 64, waiting: 440, busy: 560, ends: 8000},
}

// ByteTile names the kernel of one of them, but for the dtype.
func ByteTile(i int) string {
	return fmt.Sprintf("product_quantized_imma_%dx%d", ByteTiles[i].rows, ByteTiles[i].columns)
}

// MostBytes is how many products of int8 a sum of 32 bits holds.
const MostBytes = 1 << 17

// A BytePlan says how rows of int8 are multiplied on tensor cores.
type BytePlan struct {
	Tile        int // which of ByteTiles
	Grid        Grid
	Parts, Part uint64  // into how many parts of how many numbers the common axis is divided
	Clocks      float64 // of the multiprocessor with the most to do
}

// PlanBytes plans a product of rows of int8 for a device of so many multiprocessors, whose last blocks can join the parts of so many tiles. It is false where that takes more
// than nine tenths of the clocks of kernels that compute so many rows in a block, which read the weight again for each: the cache gives them cacheWidth bytes in a clock. Shapes
// alone decide.
func PlanBytes(p *Quantized, few, tiles uint64, multiprocessors int) (plan BytePlan, ok bool) {
	if p.K%16 != 0 || p.K == 0 || p.K > MostBytes {
		return plan, false
	}
	for i := range ByteTiles {
		t := &ByteTiles[i]
		across := divideUp(p.M, t.rows) * divideUp(p.N, t.columns)
		for parts := uint64(1); parts <= 64 && (parts == 1 || parts*4*t.steps <= p.K && across <= tiles); parts *= 2 {
			c := PartBytes(p, i, parts)
			c.Clocks = t.clocks(across*c.Parts, c.Part, multiprocessors)
			if c.Parts > 1 {
				c.Clocks += another + float64(8*c.Parts*p.M*p.N)/width
			}
			if plan.Clocks == 0 || c.Clocks < plan.Clocks {
				plan = c
			}
		}
	}
	again := float64(divideUp(p.M, few)) * float64(p.N*p.K) / (cacheWidth * float64(multiprocessors))
	return plan, plan.Clocks < 0.9*again
}

// PartBytes is a plan for one of ByteTiles with so many parts at most, each of whole steps.
func PartBytes(p *Quantized, tile int, parts uint64) BytePlan {
	t := &ByteTiles[tile]
	plan := BytePlan{Tile: tile, Part: divideUp(divideUp(p.K, t.steps), parts) * t.steps}
	plan.Parts = divideUp(p.K, plan.Part)
	blocks := divideUp(p.M, t.rows) * divideUp(p.N, t.columns) * plan.Parts
	plan.Grid = Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{t.threads, 1, 1}, Shared: t.shared}
	return plan
}

// cacheWidth is the bytes that a multiprocessor gets from the cache in a clock, as measured by ProductTiles of tiles beside each other.
const cacheWidth = 46.
