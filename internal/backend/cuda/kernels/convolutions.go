package kernels

import (
	"fmt"

	"cresset/dtype"
)

// A ConvolutionTile is a family of kernels that compute a tile of a convolution, or of one of its gradients, in each block.
type ConvolutionTile struct {
	tiling
	family string // what is in their names after the tile
	Half   bool   // elements are of a half type, else of float32
	TF32   bool   // they round elements of float32 to 11 bits
	Mapped bool   // they take MappedConvolution; clusters of two blocks compute tiles beside each other, in dw with taps and channels as columns
	Held   bool   // tiles pass through registers, for GPUs that have no asynchronous copies
	large  bool   // there is no kernel for few channels, nor for weights

	float16 bool // of the half types they have that one alone
}

// ConvolutionTiles are all families. Their clocks are those of the products of the same tiles and what gathering operands adds by its number of
// instructions; those that the TMA fills are products of tiles beside each other, but that the smaller ones draw 20 KB instead of 16 from the cache.
var ConvolutionTiles = [...]ConvolutionTile{
	{family: "tile", Held: true, large: true, tiling: tiling{rows: 128, columns: 128, threads: 256, resident: 2, steps: 8, waiting: 500, busy: 1500, ends: 5000}},
	{family: "tile", Held: true, tiling: tiling{rows: 64, columns: 64, threads: 128, resident: 4, steps: 8, waiting: 500, busy: 400, ends: 4500}},
	{family: "tile", Held: true, tiling: tiling{rows: 32, columns: 128, threads: 128, resident: 4, steps: 8, waiting: 500, busy: 420, ends: 4500}},
	{family: "async", tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 8 * 264 * 4, resident: 2, steps: 8, waiting: 820, busy: 1000, ends: 5000}},
	{family: "async", tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 16 * 136 * 4, resident: 4, steps: 16, waiting: 325, busy: 720, ends: 4500}},
	{family: "async", tiling: tiling{rows: 32, columns: 128, threads: 128, shared: 3 * 16 * 168 * 4, resident: 4, steps: 16, waiting: 325, busy: 780, ends: 4500}},
	{family: "tf32", TF32: true, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 3 * 16 * 272 * 4, resident: 2, steps: 16, waiting: 500, busy: 800, ends: 9000}},
	{family: "tf32", TF32: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 3 * 16 * 144 * 4, resident: 4, steps: 16, waiting: 300, busy: 340, ends: 4500}},
	{family: "tf32", TF32: true, tiling: tiling{rows: 32, columns: 128, threads: 128, shared: 3 * 16 * 176 * 4, resident: 4, steps: 16, waiting: 300, busy: 420, ends: 4500}},
	{family: "mma", Half: true, tiling: tiling{rows: 128, columns: 128, threads: 128, shared: 4 * 256 * 64, resident: 2, steps: 32, waiting: 300, busy: 550, ends: 9000}},
	{family: "mma", Half: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 4 * 128 * 64, resident: 4, steps: 32, waiting: 220, busy: 260, ends: 3500}},
	{family: "mma", Half: true, tiling: tiling{rows: 32, columns: 128, threads: 128, shared: 4 * 160 * 64, resident: 4, steps: 32, waiting: 220, busy: 290, ends: 3500}},
	{family: "mma8", Half: true, float16: true, Held: true, large: true, tiling: tiling{rows: 128, columns: 128, threads: 256, shared: 2 * 256 * 64, resident: 1, steps: 32, waiting: 150, busy: 1170, ends: 9000}},
	{family: "mma8", Half: true, float16: true, Held: true, tiling: tiling{rows: 64, columns: 64, threads: 128, shared: 2 * 128 * 64, resident: 4, steps: 32, waiting: 400, busy: 350, ends: 3500}},
	{family: "mma8", Half: true, float16: true, Held: true, tiling: tiling{rows: 32, columns: 128, threads: 128, shared: 2 * 160 * 64, resident: 4, steps: 32, waiting: 400, busy: 380, ends: 3500}},
	{family: "wgmma", Half: true, Mapped: true, tiling: tiling{rows: 64, columns: 128, threads: 384, shared: 4*3*8<<10 + 64, resident: 2, steps: 64, waiting: 150, busy: 480, ends: 5000}},
	{family: "wgmma", Half: true, Mapped: true, tiling: tiling{rows: 128, columns: 128, threads: 384, shared: 6*4*8<<10 + 96, resident: 1, steps: 64, busy: 680, ends: 5500}},
}

// CommonConvolutions are the bits of the families that every GPU has, MappedConvolutions of those that the TMA fills.
const (
	CommonConvolutions = 1<<3 - 1
	MappedConvolutions = 1<<len(ConvolutionTiles) - 1<<(len(ConvolutionTiles)-2)
)

// A ConvolutionKind is what of a convolution a kernel computes.
type ConvolutionKind uint8

const (
	Outputs    ConvolutionKind = iota // y of x, or dx of dy
	FewOutputs                        // y of x of few channels
	Weights                           // dw
	ConvolutionKinds
)

// Of reports whether a family's elements are of a dtype.
func (t *ConvolutionTile) Of(dt dtype.DType) bool {
	return t.Half == (NumberOf(dt) == Half) && !(t.float16 && dt != dtype.Float16)
}

// Has reports whether a family has a kernel of a kind.
func (t *ConvolutionTile) Has(k ConvolutionKind) bool {
	return k == Outputs || !t.large && !(t.Half && k == FewOutputs)
}

// Shared returns how many bytes of shared memory a block has.
func (t *ConvolutionTile) Shared() uint32 { return t.shared }

// Kernel returns the name of a family's kernel, but for the dtype.
func (t *ConvolutionTile) Kernel(k ConvolutionKind) string {
	prefix, suffix := "conv", ""
	switch k {
	case Weights:
		prefix = "conv_weight"
	case FewOutputs:
		suffix = "_few"
	}
	return fmt.Sprintf("%s_%dx%d_%s%s", prefix, t.rows, t.columns, t.family, suffix)
}

// A ConvolutionPlan says by which tiles a convolution is computed.
type ConvolutionPlan struct {
	Tile   int // which of ConvolutionTiles
	Kind   ConvolutionKind
	Grid   Grid
	Clocks float64
	Box    Box // of pixels, where the TMA may copy them

	lines, across, parts, part uint64
}

// PlanConvolution plans a convolution for a device of so many multiprocessors: of the tiles whose bits are set and the ways to divide the common
// axis, it chooses those that take the fewest clocks, and reports whether there are any. The shape and the device alone decide, so that results
// are the same each time.
func PlanConvolution(p *TiledConvolution, weights bool, tiles uint, multiprocessors int) (plan ConvolutionPlan, ok bool) {
	var box Box
	switch {
	case tiles&MappedConvolutions == 0:
	case weights: // of a stage's steps
		box = p.box(64, true)
	default: // of a tile's columns
		box = p.box(128, false)
	}
	least := 0.0
	for i := range ConvolutionTiles {
		t := &ConvolutionTiles[i]
		kind := p.kind(t, weights)
		whole := ConvolutionPlan{Tile: i, Kind: kind, Box: box}
		if tiles&(1<<i) == 0 || !t.Has(kind) || !whole.divide(p, 1) {
			continue
		}
		for parts := range t.divisions(uint64(whole.Grid.Blocks[0]), multiprocessors) {
			c := whole
			if !c.divide(p, parts) || parts > 1 && c.parts*4*t.steps > c.depth(p) {
				continue
			}
			c.estimate(p, multiprocessors)
			worth := c.Clocks
			if weights && t.Mapped { // whose clocks no GPU has told: they have to be a tenth fewer
				worth *= 1.1
			}
			if !ok || worth < least {
				plan, ok, least = c, true, worth
			}
		}
	}
	return plan, ok
}

// mostReaches is how many elements a window may have for FewOutputs.
const mostReaches = 512

// kind is that of the kernel for a convolution by a family's tiles: few channels leave most of a step empty, unless a table tells where each
// element of the window lies.
func (p *TiledConvolution) kind(t *ConvolutionTile, weights bool) ConvolutionKind {
	switch taps := uint64(p.Window[0]) * uint64(p.Window[1]); {
	case weights:
		return Weights
	case !t.Half && !t.large && p.Gradient == 0 && uint64(p.Channels)%t.steps != 0 && taps*uint64(p.Channels) <= mostReaches:
		return FewOutputs
	}
	return Outputs
}

// RowsOfTile returns how many rows of the result a block computes.
func (plan *ConvolutionPlan) RowsOfTile() uint64 { return ConvolutionTiles[plan.Tile].rows }

// Apply writes what the kernel must know of the plan.
func (plan *ConvolutionPlan) Apply(p *TiledConvolution) {
	p.Lines, p.Across = uint32(plan.lines), uint32(plan.across)
	p.Parts, p.PartSteps = uint32(plan.parts), uint32(plan.part)
}

// PaddedChannels is how many channels a tap has in operands of a half type, which are packed in chunks.
func PaddedChannels(channels uint32) uint32 { return max((channels+7)&^7, 8) }

// divide completes a plan with so many parts at most, each of whole steps, and reports whether a launch takes it.
func (plan *ConvolutionPlan) divide(p *TiledConvolution, parts uint64) bool {
	t := &ConvolutionTiles[plan.Tile]
	if t.Mapped && (plan.Box == Box{} || plan.Kind == Outputs && p.Groups > 1 && uint64(p.Channels)%t.steps != 0) { // sums would be over channels of two groups
		return false
	}
	plan.lines = max(uint64(p.Channels), 1)
	switch {
	case t.Half:
		plan.lines = uint64(PaddedChannels(p.Channels))
	case plan.Kind == Outputs:
		plan.lines = divideUp(plan.lines, t.steps) * t.steps
	}
	depth := plan.depth(p)
	plan.part = max(divideUp(divideUp(depth, t.steps), parts)*t.steps, t.steps)
	plan.parts = max(divideUp(depth, plan.part), 1)
	plan.across = divideUp(plan.columns(p), t.columns)
	switch {
	case t.Mapped && plan.Kind == Weights: // a box of columns has channels of one tap
		plan.across = divideUp(uint64(p.Window[0])*uint64(p.Window[1])*divideUp(plan.lines, 64)*64, 2*t.columns)
	case t.Mapped:
		plan.across = divideUp(plan.Box.count(p), 2)
	}
	tiles := divideUp(uint64(p.Rows), t.rows) * plan.across
	blocks := float64(tiles) * float64(p.Phases[0]) * float64(p.Phases[1]) * float64(p.Groups) * float64(plan.parts)
	plan.Grid = Grid{Blocks: [3]uint32{uint32(min(blocks, mostBlocks)), 1, 1}, Threads: [3]uint32{t.threads, 1, 1}, Shared: t.shared}
	if t.Mapped {
		blocks *= 2
		plan.Grid.Blocks[0] *= 2
		plan.Grid.Cluster, plan.Grid.Programmatic = [3]uint32{2, 1, 1}, true
	}
	return blocks <= mostBlocks && depth < 1<<31 && !(t.Half && p.chunks() >= 1<<31)
}

// chunks is how many chunks of 8 channels packed pixels have, of which kernels count in 32 bits.
func (p *TiledConvolution) chunks() float64 {
	pixels := float64(p.Images) * float64(p.InSize[0]) * float64(p.InSize[1])
	return pixels * float64(p.Groups) * float64(PaddedChannels(p.Channels)/8)
}

// columns is how many columns of the result the largest phase has.
func (plan *ConvolutionPlan) columns(p *TiledConvolution) uint64 {
	if plan.Kind == Weights {
		return uint64(p.Window[0]) * uint64(p.Window[1]) * plan.lines
	}
	n := uint64(p.Images)
	for i := range 2 {
		n *= divideUp(uint64(p.OutSize[i]), uint64(p.Phases[i]))
	}
	return n
}

// depth is how many steps the common axis has, in the phase with the most.
func (plan *ConvolutionPlan) depth(p *TiledConvolution) uint64 {
	t, n := &ConvolutionTiles[plan.Tile], plan.lines
	switch {
	case t.Mapped && plan.Kind == Weights:
		return plan.Box.count(p) * t.steps
	case plan.Kind == Weights:
		return uint64(p.Images) * uint64(p.OutSize[0]) * uint64(p.OutSize[1])
	case t.Mapped:
		n = divideUp(n, t.steps) * t.steps
	}
	for i := range 2 {
		taps := uint64(p.Window[i])
		if p.Gradient != 0 {
			taps = divideUp(taps, uint64(p.Stride[i]/common(p.Stride[i], p.Dilation[i])))
		}
		n *= taps
	}
	return n
}

// common is the greatest common divisor.
func common(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// estimate says how many clocks the plan takes on the multiprocessor that has the most to do.
func (plan *ConvolutionPlan) estimate(p *TiledConvolution, multiprocessors int) {
	t := &ConvolutionTiles[plan.Tile]
	plan.Clocks = t.clocks(uint64(plan.Grid.Blocks[0]), plan.part, multiprocessors)
	if plan.parts > 1 {
		plan.Clocks += another + 2*4*float64(plan.parts)*float64(p.Groups)*float64(p.Rows)*float64(plan.columns(p))/width
	}
}
