package kernels

import (
	"fmt"

	"cresset/dtype"
)

// A Number is what a product's elements are. Each has families of tiles of its own.
type Number uint8

const (
	Single Number = iota // float32
	Double               // float64
	Half                 // float16 or bfloat16, which add in float32
)

// NumberOf returns which a dtype is.
func NumberOf(dt dtype.DType) Number {
	switch dt {
	case dtype.Float32:
		return Single
	case dtype.Float64:
		return Double
	}
	return Half
}

// SumSize returns the bytes of what elements add in.
func (n Number) SumSize() int {
	if n == Double {
		return 8
	}
	return 4
}

// A ProductTile is a family of kernels that compute a tile of a product in each block: a kernel for each way in which operands lie.
type ProductTile struct {
	tiling
	family  string // what is in their names after the tile
	Of      Number // elements; all but float32 lie along or across
	Mapped  bool   // they take MappedProduct, and clusters of two blocks compute tiles below each other, over which they walk,
	beside  bool   // or tiles beside each other, a cluster for each two,
	lone    bool   // or a block walks over tiles by itself, and over their parts
	TF32    bool   // they round elements of float32 to 11 bits
	Plain   bool   // they store the result without what follows it
	Joins   bool   // the block of a tile that ends last can add the tile's parts
	float16 bool   // of the half types they have that one alone
	need    need   // how operands of a half type have to lie
}

// ProductTiles are all families. Their clocks were measured on an H100, but for those of float64, which are its datasheet's, 128 products of a
// multiprocessor in a clock, those of 7.5, which are a T4's, 512, those for lines that are not aligned, to which the time of their loads was added,
// and those of tiles beside each other, where the cache gives 46 bytes to a multiprocessor in a clock. Nobody has measured those of 10.0: they suppose 52 bytes from
// the cache in a clock, which takes longer than the products. Those of product_mma are an A100's, which no kernel of ours has run on: there cuBLAS is told to reach 244
// and 262 TFLOP/s for 4096 and 8192, which are both 1193 clocks for each step of a tile of 128x256, of 1024 of its tensor cores; and kernels with tiles of 128x128
// whose warps wait behind barriers 221, where an H100 took 331 µs by ours.
var ProductTiles = [...]ProductTile{
	{tiling: tiling{rows: 128, columns: 128, threads: 256, resident: 2, steps: 8, waiting: 500, busy: 1350, ends: 4000}},
	{tiling: tiling{rows: 64, columns: 64, threads: 128, resident: 4, steps: 8, waiting: 500, busy: 340, ends: 4000}},
	{family: "_async", Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 8 * 264 * 4, resident: 2, steps: 8, waiting: 820, busy: 900, ends: 4000}},
	{family: "_async", Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 16 * 136 * 4, resident: 4, steps: 16, waiting: 325, busy: 640, ends: 4000}},
	{family: "_tf32", TF32: true, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 3 * 16 * 272 * 4, resident: 2, steps: 16, waiting: 500, busy: 700, ends: 8000}},
	{family: "_tf32", TF32: true, Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 16 * 144 * 4, resident: 4, steps: 16, waiting: 300, busy: 250, ends: 4000}},
	{family: "_mma", Of: Half, Joins: true, tiling: tiling{rows: 128, columns: 256, threads: 256, shared: 3 * 384 * 64, resident: 1, steps: 32, busy: 1250, ends: 9000}},
	{family: "_mma", Of: Half, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 256 * 64, resident: 2, steps: 32, waiting: 300, busy: 530, ends: 8000}},
	{family: "_mma", Of: Half, Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 4 * 128 * 64, resident: 4, steps: 32, waiting: 220, busy: 240, ends: 3000}},
	{family: "_wgmma", Of: Half, Mapped: true, tiling: tiling{rows: 128, columns: 256, threads: 384, shared: (3*6+8)*8<<10 + 48, resident: 1, steps: 64, busy: 1250, ends: 9500}},
	{family: "_wgmma", Of: Half, Mapped: true, tiling: tiling{rows: 128, columns: 128, threads: 384, shared: (6*4+4)*8<<10 + 96, resident: 1, steps: 64, busy: 655, ends: 3700}},
	{family: "_pairs", Of: Half, Plain: true, need: pairs, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 256 * 64, resident: 2, steps: 32, waiting: 300, busy: 720, ends: 8000}},
	{family: "_pairs", Of: Half, Plain: true, need: pairs, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 4 * 128 * 64, resident: 4, steps: 32, waiting: 220, busy: 340, ends: 3000}},
	{family: "_any", Of: Half, Plain: true, need: nothing, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 2 * 128 * 64, resident: 4, steps: 32, waiting: 600, busy: 600, ends: 3000}},
	{family: "_mma8", Of: Half, float16: true, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 256, shared: 2 * 256 * 64, resident: 1, steps: 32, waiting: 150, busy: 1150, ends: 8000}},
	{family: "_mma8", Of: Half, float16: true, Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 2 * 128 * 64, resident: 4, steps: 32, waiting: 400, busy: 330, ends: 3000}},
	{family: "_beside", Of: Half, Plain: true, Mapped: true, beside: true, Joins: true, tiling: tiling{rows: 128, columns: 192, threads: 384, shared: 5*5*8<<10 + 80, resident: 1, steps: 64, busy: 990, ends: 6500}},
	{family: "_beside", Of: Half, Plain: true, Mapped: true, beside: true, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 384, shared: 6*4*8<<10 + 96, resident: 1, steps: 64, busy: 680, ends: 5000}},
	{family: "_beside", Of: Half, Plain: true, Mapped: true, beside: true, Joins: true, tiling: tiling{rows: 128, columns: 64, threads: 384, shared: 4*3*8<<10 + 64, resident: 2, steps: 64, waiting: 150, busy: 400, ends: 4500}},
	{family: "_dmma", Of: Double, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 256, shared: 3 * 256 * 20 * 8, resident: 1, steps: 16, waiting: 300, busy: 2150, ends: 5000}},
	{family: "_dmma", Of: Double, Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 128 * 20 * 8, resident: 2, steps: 16, waiting: 300, busy: 560, ends: 3000}},
	{family: "_dmma16", Of: Double, Joins: true, tiling: tiling{rows: 128, columns: 128, threads: 256, shared: 3 * 256 * 20 * 8, resident: 1, steps: 16, waiting: 300, busy: 2100, ends: 5000}},
	{family: "_dmma16", Of: Double, Joins: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 128 * 20 * 8, resident: 2, steps: 16, waiting: 300, busy: 540, ends: 3000}},
	{family: "_tcgen05", Of: Half, Mapped: true, lone: true, tiling: tiling{rows: 128, columns: 256, threads: 192, shared: (4*6+4)*8<<10 + 104, resident: 1, steps: 64, busy: 920, ends: 5500}},
	{family: "_tcgen05", Of: Half, Mapped: true, lone: true, tiling: tiling{rows: 128, columns: 128, threads: 192, shared: (6*4+4)*8<<10 + 136, resident: 1, steps: 64, busy: 620, ends: 4500}},
}

// Overlapped are the bits of the families whose tiles come by asynchronous copies, or which have tensor cores: all but the first two.
const Overlapped = 1<<len(ProductTiles) - 1 - 3

// Kernel returns the name of a family's kernel for operands that lie so, but for the dtype.
func (t *ProductTile) Kernel(a, b Lie) string {
	lies := "loose"
	switch {
	case t.family == "_async" || t.TF32: // elements are copied one by one, unless they lie across
		lies = "xmx"[a:a+1] + "xnx"[b:b+1]
	case a != Anyhow && b != Anyhow:
		lies = "km"[a:a+1] + "kn"[b:b+1]
	}
	return fmt.Sprintf("product_%dx%d%s_%s", t.rows, t.columns, t.family, lies)
}

// Has reports whether the family is for a dtype.
func (t *ProductTile) Has(dt dtype.DType) bool {
	return t.Of == NumberOf(dt) && !(t.float16 && dt != dtype.Float16)
}

// linesUp reports whether operands that do not lie in aligned lines are copied to such.
func (t *ProductTile) linesUp() bool { return t.Of == Half && t.need == lines }

// Walks reports whether blocks walk over tiles, and the TMA stores the result.
func (t *ProductTile) Walks() bool { return t.Mapped && !t.beside }

// Divides reports whether the common axis can be divided.
func (t *ProductTile) Divides() bool { return !t.Walks() || t.lone }

// Shared returns how many bytes of shared memory a block has.
func (t *ProductTile) Shared() uint32 { return t.shared }

// ThinColumns are how many columns the kernels for few of them compute at most.
var ThinColumns = [...]uint64{1, 4, 8, 16}

// A ProductPlan says how a product is computed.
type ProductPlan struct {
	Tile        int // which of ProductTiles; -1 for a kernel for few columns
	A, B        Lie // of the operands in tiles; Along or Anyhow of a
	Thin        int // which of ThinColumns
	Grid        Grid
	Parts, Part uint64  // into how many parts of how many steps the common axis is divided
	Whole       uint64  // tiles ahead of those for which it is; 0 where it is for all
	Joins       bool    // the block of a tile that ends last adds its parts; else another launch does
	LineUp      bool    // operands that do not lie in aligned lines have to be copied to such
	Clocks      float64 // of the multiprocessor with the most to do; 0 for few columns
}

// PlanThin plans a product of few columns or few rows, at most so many, for a device of so many multiprocessors, and reports whether it is one; the operands
// of one with few rows are exchanged. The large operand is to be read once, by blocks enough to keep the device busy.
func PlanThin(p *Product, most uint64, multiprocessors int) (plan ProductPlan, ok bool) {
	if min(p.M, p.N) > most || p.K < 64 {
		return plan, false
	}
	if p.M < p.N {
		p.exchange()
	}
	plan = ProductPlan{Tile: -1, A: Anyhow}
	for ThinColumns[plan.Thin] < p.N {
		plan.Thin++
	}
	if p.AStrides[2] == 1 && (p.AStrides[1] >= int64(p.K) || p.M == 1) {
		plan.A = Along
	}
	wanted, worth := 2*uint64(multiprocessors), uint64(256)
	if plan.byWarps() {
		wanted, worth = uint64(multiprocessors), 1024
	}
	plan.Divide(p, 1)
	plan.Divide(p, min(wanted/max(uint64(plan.Grid.Blocks[0]), 1), p.K/worth))
	return plan, true
}

// byWarps reports whether warps compute rows, and not lanes.
func (plan *ProductPlan) byWarps() bool { return plan.Tile < 0 && plan.Thin == 0 && plan.A == Along }

// exchange makes a product of its transpose.
func (p *Product) exchange() {
	p.M, p.N = p.N, p.M
	p.A, p.B = p.B, p.A
	p.AStrides, p.BStrides = turned(p.BStrides), turned(p.AStrides)
	p.OutStrides, p.AddStrides = turned(p.OutStrides), turned(p.AddStrides)
}

func turned(s [3]int64) [3]int64 { return [3]int64{s[0], s[2], s[1]} }

// PlanTiles plans a product for a device of so many multiprocessors: of the tiles whose bits are set and the ways to divide the common
// axis, it chooses those that take the fewest clocks. Shapes alone decide, and how operands lie, never how busy the device is: results
// are the same each time.
func PlanTiles(p *Product, tiles uint, multiprocessors int) (plan ProductPlan) {
	var even ProductPlan
	for i := range ProductTiles {
		t := &ProductTiles[i]
		a, b, ok := t.lies(p)
		if !ok || tiles&(1<<i) == 0 {
			continue
		}
		whole, copies := ProductPlan{Tile: i, A: a, B: b, LineUp: t.linesUp()}, t.copies(p)
		for parts := uint64(1); parts <= mostDivided && (parts == 1 || parts*4*t.steps <= p.K && t.Divides()); parts *= 2 {
			c := whole
			c.Divide(p, parts)
			c.sooner(&plan, c.clocks(p, multiprocessors)+copies)
		}
		if whole.Even(p, multiprocessors) {
			whole.Joins = true
			whole.sooner(&even, whole.clocks(p, multiprocessors)+copies)
		}
	}
	plan.join(p, multiprocessors)
	if even.Clocks > 0 {
		even.sooner(&plan, even.Clocks)
	}
	plan.Grid.Walks = ProductTiles[plan.Tile].Walks()
	return plan
}

// sooner makes c the best plan if it takes so many clocks, fewer than that, or if there is none.
func (c *ProductPlan) sooner(best *ProductPlan, clocks float64) {
	if c.Clocks = clocks; best.Clocks == 0 || clocks < best.Clocks {
		*best = *c
	}
}

// join decides who adds the parts. Both ways give the same bits, and the common axis is divided as if it was another launch.
func (plan *ProductPlan) join(p *Product, multiprocessors int) {
	if plan.Parts == 1 || !ProductTiles[plan.Tile].Joins {
		return
	}
	if saved := another + plan.passing(p) - plan.joining(p, multiprocessors); saved > 0 {
		plan.Joins, plan.Clocks = true, plan.Clocks-saved
	}
}

// Kept returns how many sums of parts there are.
func (plan *ProductPlan) Kept(p *Product) uint64 {
	if plan.Whole == 0 {
		return plan.Parts * p.Count * p.M * p.N
	}
	t := &ProductTiles[plan.Tile]
	return plan.Parts * plan.Tiles() * t.rows * t.columns
}

// passing estimates the clocks in which the parts are written, or read, by all multiprocessors.
func (plan *ProductPlan) passing(p *Product) float64 {
	return float64(uint64(ProductTiles[plan.Tile].Of.SumSize())*plan.Kept(p)) / width
}

// joining estimates how many clocks the blocks take that add the parts of their tiles.
func (plan *ProductPlan) joining(p *Product, multiprocessors int) float64 {
	t := &ProductTiles[plan.Tile]
	each := float64(uint64(t.Of.SumSize()) * plan.Parts * t.rows * t.columns)
	return max(plan.passing(p), each*float64(divideUp(plan.Tiles(), uint64(multiprocessors)))/t.draws())
}

// draws returns how many bytes a block reads in a clock when it adds the parts of its tile, by the words that its threads have on their way.
func (t *ProductTile) draws() float64 {
	threads := t.threads
	switch {
	case t.beside && t.columns == 64: // 256 threads, of half as many rows each
		threads = 128
	case t.beside:
		threads = 256
	}
	return drawn * float64(threads) / 128
}

// Tiles returns how many tiles of the result a plan for tiles divides, or has where it divides none.
func (plan *ProductPlan) Tiles() uint64 {
	return (uint64(plan.Grid.Blocks[0]) - plan.Whole) / plan.Parts
}

// MostEven is how many tiles are divided alone at most: a stream has as many counters.
const MostEven = 1000

// Even completes a plan that divides the common axis of those tiles alone which are left when all multiprocessors have had as many as they run at once, into as
// many parts as keep them busy: where 20 of 128 tiles are left for 108 multiprocessors, they would take as long as the others. Blocks add the parts. It reports
// whether there is such a plan.
func (plan *ProductPlan) Even(p *Product, multiprocessors int) bool {
	t := &ProductTiles[plan.Tile]
	if !t.Joins || t.Mapped {
		return false
	}
	plan.Divide(p, 1)
	tiles, once := uint64(plan.Grid.Blocks[0]), uint64(multiprocessors)*t.resident
	rest := tiles % once
	parts := min(once/max(rest, 1), p.K/(4*t.steps), mostDivided)
	if rest == 0 || rest > MostEven || parts < 2 {
		return false
	}
	plan.Divide(p, parts)
	plan.Whole = tiles - rest
	plan.Grid.Blocks[0] = uint32(plan.Whole + rest*plan.Parts)
	return true
}

// Divide completes a plan with so many parts at most, each of whole steps.
func (plan *ProductPlan) Divide(p *Product, parts uint64) {
	steps, rows, columns := uint64(256), uint64(32), p.N
	plan.Grid = Grid{Blocks: [3]uint32{1, 1, 1}, Threads: [3]uint32{512, 1, 1}}
	if plan.Tile >= 0 {
		t := &ProductTiles[plan.Tile]
		steps, rows, columns = t.steps, t.rows, t.columns
		plan.Grid.Threads[0], plan.Grid.Shared = t.threads, t.shared
		plan.Grid.Programmatic = t.Mapped
		if t.Mapped && !t.lone { // clusters of two tiles
			plan.Grid.Cluster = [3]uint32{2, 1, 1}
			if t.beside {
				columns *= 2
			} else {
				rows *= 2
			}
		}
	} else if plan.byWarps() {
		rows, plan.Grid.Threads[0] = 8, 128
	}
	plan.Part = max(divideUp(divideUp(p.K, steps), max(parts, 1))*steps, steps)
	plan.Parts = max(divideUp(p.K, plan.Part), 1)
	plan.Grid.Blocks[0] = uint32(p.Count*divideUp(p.M, rows)*divideUp(p.N, columns)*plan.Parts) * max(plan.Grid.Cluster[0], 1)
}

const (
	another = 3500. // clocks of another launch
	width   = 1500. // bytes of memory that the device moves in a clock
	drawn   = 24.   // and those that a multiprocessor reads alone: 32 words for each of 128 threads, in the time of an access
)

// clocks estimates how long a plan for tiles takes on the multiprocessor that has the most to do, but for copies.
func (plan *ProductPlan) clocks(p *Product, multiprocessors int) float64 {
	t := &ProductTiles[plan.Tile]
	clocks := t.tiling.clocks(uint64(plan.Grid.Blocks[0])-plan.Whole, plan.Part, multiprocessors)
	if plan.Whole > 0 {
		clocks += t.tiling.clocks(plan.Whole, p.K, multiprocessors)
	}
	switch {
	case plan.Joins:
		clocks += plan.passing(p) + plan.joining(p, multiprocessors)
	case plan.Parts > 1:
		clocks += another + 2*plan.passing(p)
	}
	return clocks
}

// copies estimates how long operands take to be copied to aligned lines for a family, and the result from there.
func (t *ProductTile) copies(p *Product) (clocks float64) {
	if t.Walks() && LieOf(p.Out, p.OutStrides, p.Count, p.M, p.N, Half) != Along { // the TMA needs another place for the result
		clocks += another + float64(2*2*p.Count*p.M*p.N)/width
	}
	if t.linesUp() {
		for _, elements := range p.unaligned() {
			clocks += another + float64(2*2*elements)/width
		}
	}
	return clocks
}
