package kernels

import "fmt"

// A ByteTile is a family of kernels that compute a tile of a product of int8 with int8 on tensor cores in each block.
type ByteTile struct {
	tiling
	family string // what is in their names before the tile
	Mapped bool   // they take MappedQuantized, and clusters of two blocks compute tiles beside each other
}

// ByteTiles are all families. A step of 64 numbers takes them the clocks that 32 halves take product_mma.cu, and one of 128 those of 64 halves in product_beside.cu.
var ByteTiles = [...]ByteTile{
	{family: "imma", tiling: tiling{rows: 64, columns: 128, threads: 128, shared: 4 * 192 * 64, resident: 3, steps: 64, waiting: 220, busy: 320, ends: 5000}},
	{family: "imma", tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 256 * 64, resident: 2, steps: 64, waiting: 300, busy: 530, ends: 8000}},
	{family: "wgmma", Mapped: true, tiling: tiling{rows: 128, columns: 128, threads: 384, shared: 6*4*8<<10 + 96, resident: 1, steps: 128, busy: 680, ends: 5000}},
}

// Kernel names a family's kernel, but for the dtype.
func (t *ByteTile) Kernel() string {
	return fmt.Sprintf("product_quantized_%s_%dx%d", t.family, t.rows, t.columns)
}

// Shared returns how many bytes of shared memory a block has.
func (t *ByteTile) Shared() uint32 { return t.shared }

// MostBytes is how many products of int8 a sum of 32 bits holds.
const MostBytes = 1 << 17

// A BytePlan says how rows of int8 are multiplied on tensor cores.
type BytePlan struct {
	Tile        int // which of ByteTiles
	Grid        Grid
	Parts, Part uint64  // into how many parts of how many numbers the common axis is divided
	Clocks      float64 // of the multiprocessor with the most to do
}

// PlanBytes plans a product of rows of int8 for a device of so many multiprocessors, by those of ByteTiles whose bits are set. Blocks that end last can join the parts of
// so many tiles. It is false where that takes more than nine tenths of the clocks of kernels that compute so many rows in a block, which read the weight again for each:
// the cache gives them cacheWidth bytes in a clock. Shapes alone decide.
func PlanBytes(p *Quantized, few uint64, taken uint, tiles uint64, multiprocessors int) (plan BytePlan, ok bool) {
	if p.K%16 != 0 || p.K == 0 || p.K > MostBytes {
		return plan, false
	}
	for i := range ByteTiles {
		t := &ByteTiles[i]
		if taken&(1<<i) == 0 {
			continue
		}
		count := uint64(PartBytes(p, i, 1).Grid.Blocks[0]) // with those of clusters that lie outside
		for parts := uint64(1); parts <= mostDivided && (parts == 1 || parts*4*t.steps <= p.K && count <= tiles); parts *= 2 {
			c := PartBytes(p, i, parts)
			c.Clocks = t.clocks(uint64(c.Grid.Blocks[0]), c.Part, multiprocessors)
			if c.Parts > 1 {
				c.Clocks += another + float64(8*c.Parts*p.M*p.N)/width
			}
			if plan.Clocks == 0 || c.Clocks < plan.Clocks {
				plan = c
			}
		}
	}
	again := float64(divideUp(p.M, few)) * float64(p.N*p.K) / (cacheWidth * float64(multiprocessors))
	return plan, plan.Clocks != 0 && plan.Clocks < 0.9*again
}

// PartBytes is a plan for one of ByteTiles with so many parts at most, each of whole steps.
func PartBytes(p *Quantized, tile int, parts uint64) BytePlan {
	t := &ByteTiles[tile]
	plan := BytePlan{Tile: tile, Part: divideUp(divideUp(p.K, t.steps), parts) * t.steps}
	plan.Parts = divideUp(p.K, plan.Part)
	plan.Grid = Grid{Threads: [3]uint32{t.threads, 1, 1}, Shared: t.shared}
	columns, blocks := t.columns, uint64(1)
	if t.Mapped {
		columns, blocks = 2*t.columns, 2
		plan.Grid.Cluster, plan.Grid.Programmatic = [3]uint32{2, 1, 1}, true
	}
	plan.Grid.Blocks = [3]uint32{uint32(blocks * divideUp(p.M, t.rows) * divideUp(p.N, columns) * plan.Parts), 1, 1}
	return plan
}

// cacheWidth is the bytes that a multiprocessor gets from the cache in a clock, as measured by ProductTiles of tiles beside each other.
const cacheWidth = 46.
