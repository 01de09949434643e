package kernels

// A ProductForm is a family of kernels for products that add in float32: how a block computes its part of the result.
type ProductForm uint8

const (
	LargeTiles ProductForm = iota // product_128x128
	SmallTiles                    // product_64x64
	ThinDeep                      // product_thin_COLUMNS_k
	ThinWide                      // product_thin_COLUMNS_m
	productForms
)

// A Lie is how the operands of a product in tiles lie: along the common axis or across it, as vectors of 4 can be loaded, or anyhow.
type Lie uint8

const (
	KK    Lie = iota // both along
	KN               // a along, b across
	MK               // a across, b along
	MN               // both across
	Loose            // anyhow
	lies
)

// Lies are the names of all, in kernels.
var Lies = [lies]string{"kk", "kn", "mk", "mn", "loose"}

// ThinColumns are how many columns the thin kernels compute at most.
var ThinColumns = [...]uint64{1, 4, 8, 16}

// A ProductPlan says how a product is computed.
type ProductPlan struct {
	Form        ProductForm
	Lie         Lie // of tiles
	Thin        int // of thin products: which of ThinColumns
	Grid        Grid
	Parts, Part uint64 // into how many parts of how many steps the common axis is divided
}

// PlanProduct chooses how a device of so many multiprocessors computes a product of elements of a size in bytes, and exchanges the operands
// where the transposed product is the thin one. How large the matrices are and how they lie decides, never how busy the device is:
// results are the same each time.
func PlanProduct(p *Product, size, multiprocessors int) ProductPlan {
	most := ThinColumns[len(ThinColumns)-1]
	if p.M < p.N && p.M <= most {
		p.exchange()
	}
	if p.N <= most && p.K >= 64 {
		return p.thin(multiprocessors)
	}
	return p.tiles(size, multiprocessors)
}

// exchange makes a product of its transpose.
func (p *Product) exchange() {
	p.M, p.N = p.N, p.M
	p.A, p.B = p.B, p.A
	p.AStrides, p.BStrides = turned(p.BStrides), turned(p.AStrides)
	p.OutStrides, p.AddStrides = turned(p.OutStrides), turned(p.AddStrides)
}

func turned(s [3]int64) [3]int64 { return [3]int64{s[0], s[2], s[1]} }

// thin plans a product of few columns. The large operand is read once: blocks enough for that to keep the device busy matter alone.
func (p *Product) thin(multiprocessors int) ProductPlan {
	plan := ProductPlan{Form: ThinWide}
	for ThinColumns[plan.Thin] < p.N {
		plan.Thin++
	}
	if p.AStrides[2] == 1 && (p.AStrides[1] >= int64(p.K) || p.M == 1) {
		plan.Form = ThinDeep
	}
	wanted, worth := 2*uint64(multiprocessors), uint64(128)
	if plan.Form == ThinDeep && p.N == 1 {
		wanted, worth = uint64(multiprocessors), 1024
	}
	blocks := DivideProduct(p, &plan, 1).Blocks[0]
	DivideProduct(p, &plan, min(wanted/max(uint64(blocks), 1), p.K/worth))
	return plan
}

// DivideProduct completes the plan of a product in so many parts at most, each of whole steps of its kernel, and returns its grid.
func DivideProduct(p *Product, plan *ProductPlan, parts uint64) Grid {
	step, rows, columns, threads := uint64(128), uint64(32), p.N, uint32(512)
	if plan.Form < ThinDeep {
		t := &productTiles[plan.Form]
		step, rows, columns, threads = 8, t.rows, t.columns, t.threads
	} else if plan.Form == ThinDeep && p.N == 1 {
		rows, threads = 8, 128
	}
	plan.Part = max(divideUp(divideUp(p.K, step), max(parts, 1))*step, step)
	plan.Parts = max(divideUp(p.K, plan.Part), 1)
	blocks := p.Count * divideUp(p.M, rows) * divideUp(p.N, columns) * plan.Parts
	plan.Grid = Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{threads, 1, 1}}
	return plan.Grid
}

// A productTile is a kernel's tile, and what is known of it.
type productTile struct {
	form          ProductForm
	rows, columns uint64
	threads       uint32
	resident      uint64 // blocks of a multiprocessor
}

var productTiles = [...]productTile{{LargeTiles, 128, 128, 256, 2}, {SmallTiles, 64, 64, 128, 4}}

// tiles plans a product in tiles: of the ways to divide the result and the common axis, that which takes the fewest clocks of the
// multiprocessor that has the most to do.
func (p *Product) tiles(size, multiprocessors int) ProductPlan {
	plan := ProductPlan{Lie: p.lie(size)}
	least := 0.0
	for _, t := range productTiles {
		for parts := uint64(1); parts <= 64 && (parts == 1 || parts*32 <= p.K); parts *= 2 {
			c := ProductPlan{Form: t.form, Lie: plan.Lie}
			DivideProduct(p, &c, parts)
			if clocks := p.clocks(&c, t, multiprocessors); least == 0 || clocks < least {
				plan, least = c, clocks
			}
		}
	}
	return plan
}

// clocks estimates how long a plan takes: rounds of blocks, each with its start and end, and the sum of the parts.
func (p *Product) clocks(c *ProductPlan, t productTile, multiprocessors int) float64 {
	const (
		ends     = 4000. // clocks of a block outside its loop
		waiting  = 500.  // in 8 steps, however many blocks share the multiprocessor
		overhead = 1.32  // of a multiplication, which takes each of 128 lanes a clock
		join     = 3500. // of another launch
		width    = 1500. // bytes of memory that the device moves in a clock
	)
	each := divideUp(uint64(c.Grid.Blocks[0]), uint64(multiprocessors)) // blocks of a multiprocessor
	rounds := divideUp(each, t.resident)
	products := overhead * float64(t.rows*t.columns*8) / 128
	steps := float64(divideUp(c.Part, 8))
	clocks := steps*(waiting*float64(rounds)+products*float64(each)) + ends*float64(rounds)
	if c.Parts > 1 {
		clocks += join + float64(2*4*c.Parts*p.Count*p.M*p.N)/width
	}
	return clocks
}

// lie says how the operands lie.
func (p *Product) lie(size int) Lie {
	vectors := func(extent uint64, at uint64, batch, line int64) bool {
		return extent%4 == 0 && at%uint64(4*size) == 0 && (batch%4 == 0 || p.Count == 1) && line%4 == 0
	}
	var across Lie
	switch {
	case p.AStrides[2] == 1 && vectors(p.K, p.A, p.AStrides[0], p.AStrides[1]):
	case p.AStrides[1] == 1 && vectors(p.M, p.A, p.AStrides[0], p.AStrides[2]):
		across = MK
	default:
		return Loose
	}
	switch {
	case p.BStrides[1] == 1 && vectors(p.K, p.B, p.BStrides[0], p.BStrides[2]):
		return across
	case p.BStrides[2] == 1 && vectors(p.N, p.B, p.BStrides[0], p.BStrides[1]):
		return across + KN
	}
	return Loose
}
