package kernels

import "strconv"

// An AttentionTile is what a block of attention on tensor cores computes at a time, for heads of a width or narrower ones.
type AttentionTile struct {
	Width   uint64
	lines   uint64 // queries, or keys where their gradients are computed
	columns uint64 // of the others
	threads uint32
}

// AttentionTiles are those of attention_mma, narrow ones first, AttentionGradTiles those of attention_keys_mma and attention_queries_mma for the same widths,
// AttentionMaskTiles those of attention_mask_mma, MappedAttentionTiles those of attention_wgmma, and MappedQueriesTiles and MappedKeysTiles those of
// attention_queries_wgmma and attention_keys_wgmma.
var (
	AttentionTiles = [...]AttentionTile{
		{32, 128, 64, 128}, {64, 128, 64, 128}, {96, 128, 64, 256}, {128, 128, 64, 256}, {192, 128, 32, 256}, {256, 64, 32, 128},
	}
	AttentionGradTiles = [len(AttentionTiles)]AttentionTile{
		{32, 128, 64, 256}, {64, 128, 64, 256}, {96, 128, 32, 256}, {128, 128, 32, 256}, {192, 64, 32, 128}, {256, 64, 16, 128},
	}
	AttentionMaskTiles   = [...]AttentionTile{{64, 128, 64, 256}, {128, 128, 64, 256}, {256, 64, 32, 128}}
	MappedAttentionTiles = [len(AttentionTiles)]AttentionTile{
		{32, 128, 128, 384}, {64, 128, 128, 384}, {96, 128, 128, 384}, {128, 128, 128, 384}, {192, 128, 96, 384}, {256, 128, 64, 384},
	}
	MappedQueriesTiles = [len(AttentionTiles)]AttentionTile{
		{32, 128, 128, 384}, {64, 128, 128, 384}, {96, 128, 128, 384}, {128, 128, 128, 384}, {192, 128, 64, 384}, {256, 128, 64, 384},
	}
	MappedKeysTiles = [len(AttentionTiles)]AttentionTile{
		{32, 128, 64, 384}, {64, 128, 64, 384}, {96, 128, 64, 384}, {128, 128, 64, 384}, {192, 64, 64, 384}, {256, 64, 64, 384},
	}
)

// Kernel returns the name of a family's kernel for the tile, but for the dtype: attention_mma_64.
func (t *AttentionTile) Kernel(family string) string {
	return family + "_" + strconv.FormatUint(t.Width, 10)
}

// Grid returns the grid for the results of queries of so many heads, and whether the device can have it. A block has its queries, and two stages of columns
// of two operands, in shared memory.
func (t *AttentionTile) Grid(heads, queries uint64) (g Grid, ok bool) {
	return t.grid(heads*divideUp(queries, t.lines), (t.lines+4*t.columns)*t.Width*2)
}

// MappedGrid is Grid for attention_wgmma: a block has its queries, two stages of columns of two operands, in boxes of 64 elements, and barriers.
func (t *AttentionTile) MappedGrid(batch, heads, queries uint64) (g Grid, ok bool) {
	return t.mappedGrid(batch, heads, queries, t.lines+4*t.columns, 0)
}

// MappedQueriesGrid is Grid for attention_queries_wgmma: a block has two operands of queries, and two stages of columns of two others, or of one where they are wide.
func (t *AttentionTile) MappedQueriesGrid(batch, heads, queries uint64) (g Grid, ok bool) {
	stages := uint64(4)
	if t.Width > 192 {
		stages = 3
	}
	return t.mappedGrid(batch, heads, queries, 2*t.lines+stages*t.columns, 0)
}

// MappedKeysGrid is Grid for attention_keys_wgmma, whose blocks have what is known of queries with each stage of them.
func (t *AttentionTile) MappedKeysGrid(batch, groups, keys uint64) (g Grid, ok bool) {
	return t.mappedGrid(batch, groups, keys, 2*t.lines+4*t.columns, 2*t.columns*8)
}

// mappedGrid is of blocks that have so many rows, and more bytes, in shared memory.
func (t *AttentionTile) mappedGrid(batch, heads, lines, rows, more uint64) (g Grid, ok bool) {
	shared := divideUp(t.Width, mappedBox)*mappedBox*2*rows + more + 128
	blocks := divideUp(lines, t.lines)
	g = Grid{Blocks: [3]uint32{uint32(blocks), uint32(heads), uint32(batch)}, Threads: [3]uint32{t.threads, 1, 1}, Shared: uint32(shared)}
	return g, blocks <= mostBlocks && heads <= mostParts && batch <= mostParts
}

const mappedBox = 64

// Boxes returns how many rows boxes of lines have, which are a warpgroup's, and those of columns.
func (t *AttentionTile) Boxes() (lines, columns uint32) { return mappedLines, uint32(t.columns) }

const mappedLines = 64

// DeltaRows is how many rows of delta a head of so many queries has: the TMA brings those of 64 at once.
func DeltaRows(queries uint64) uint64 { return divideUp(queries, 64) * 64 }

// Drops reports whether attention_wgmma has registers for dropout.
func (t *AttentionTile) Drops() bool { return t.Width <= 192 }

// QueriesGrid is Grid for the gradients of queries: a block has two operands of lines.
func (t *AttentionTile) QueriesGrid(heads, queries uint64) (g Grid, ok bool) {
	return t.grid(heads*divideUp(queries, t.lines), (2*t.lines+4*t.columns)*t.Width*2)
}

// KeysGrid is Grid for the gradients of keys and values: wide ones are computed in two pieces. A block has two operands of lines and, with each stage, what is
// known of its columns.
func (t *AttentionTile) KeysGrid(heads, keys uint64) (g Grid, ok bool) {
	pieces := uint64(1)
	if t.Width > 128 {
		pieces = 2
	}
	return t.grid(pieces*heads*divideUp(keys, t.lines), (2*t.lines+4*t.columns)*t.Width*2+2*t.columns*8)
}

// SharesMask reports whether the gradient of a mask has elements of several scores, or of scores with a soft cap: then attention_mask_mma computes it, and else
// attention_queries_mma, which has the gradient of what a soft cap is given.
func (p *Attention) SharesMask() bool {
	extents, shares := [4]uint64{p.Batch, p.Heads, p.Queries, p.Keys}, p.SoftCap > 0
	for i, step := range p.DMaskStrides {
		shares = shares || step == 0 && extents[i] > 1
	}
	return shares
}

// MaskGrid is Grid for attention_mask_mma: a block has a tile of the mask's gradient, and one of queries and keys at a time, whose scores it adds up.
func (t *AttentionTile) MaskGrid(p *Attention) (g Grid, ok bool) {
	blocks := uint64(1)
	for i, n := range [...]uint64{p.Batch, p.Heads, divideUp(p.Queries, t.lines), divideUp(p.Keys, t.columns)} {
		if p.DMaskStrides[i] != 0 {
			blocks *= n
		}
	}
	return t.grid(blocks, max(2*(t.lines+t.columns)*t.Width*2, t.lines*(t.columns+4)*4))
}

// MaskClocks is Clocks for attention_mask_mma, whose blocks wait for what they copy.
func (t *AttentionTile) MaskClocks(p *Attention, g *Grid, multiprocessors int) float64 {
	const wait = 2000 // for the operands of a tile
	tiles, _ := t.walk(p, p.Queries, p.Keys, false)
	tiles *= float64(p.Batch * p.Heads)
	busy := t.busy(2, g)
	return max((busy+wait/2)*tiles/float64(multiprocessors), (busy+wait)*tiles/float64(g.Blocks[0])) // two blocks run at once
}

func (t *AttentionTile) grid(blocks, shared uint64) (g Grid, ok bool) {
	return Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{t.threads, 1, 1}, Shared: uint32(shared)}, blocks <= mostBlocks
}

// FewGrid is FewGrid for attention_few_mma, of the tile's width.
func (t *AttentionTile) FewGrid(groups, rows, keys uint64, multiprocessors int) (g Grid, parts, part uint64) {
	const each, turn, worth = 16, 16, 256 // rows of a block, keys of a warp's turn, and of a part
	warps, stages := uint64(4), uint64(3)
	if t.Width > 128 {
		warps = 2
	}
	if t.Width == 128 || t.Width == 256 {
		stages = 2
	}
	blocks := max(groups*divideUp(rows, each), 1)
	parts = max(min(uint64(multiprocessors)*2/blocks, keys/worth), 1) // as many blocks as run at once
	part = max(divideUp(divideUp(keys, parts), turn*warps)*turn*warps, turn*warps)
	parts = max(divideUp(keys, part), 1)
	shared := (each + warps*stages*2*turn) * t.Width * 2
	return Grid{Blocks: [3]uint32{uint32(min(blocks*parts, mostBlocks)), 1, 1}, Threads: [3]uint32{uint32(warps) * 32, 1, 1}, Shared: uint32(shared)}, parts, part
}

// Clocks returns how many a multiprocessor takes for so many products of a tile with each tile of columns that is seen, by a model: what tensor cores or matrix
// loads take, whichever is more, and powers of 2. Blocks have keys where byKeys, else queries.
func (t *AttentionTile) Clocks(p *Attention, g *Grid, products int, byKeys bool, multiprocessors int) float64 {
	most, rows, shares := p.Queries, p.Keys, 1.
	if byKeys {
		most, rows, shares = rows, most, float64(p.Heads/p.Groups) // a block walks over all heads that share its keys
	}
	tiles, longest := t.walk(p, most, rows, byKeys)
	return 2000 + t.busy(products, g)*max(tiles*float64(p.Batch*p.Heads)/float64(multiprocessors), longest*shares)
}

// busy is how many clocks so many products of a tile with one of columns take.
func (t *AttentionTile) busy(products int, g *Grid) float64 {
	warps, steps := float64(g.Threads[0]/32), float64(t.Width/16)
	fragments := float64(t.lines) / 16 / warps * float64(t.columns) / 8 // of 16 lines and 8 columns, of a warp
	tensor, loads := 2*fragments*steps, 4*steps*(float64(t.columns)/16+float64(t.lines)/16/warps)
	return warps * (float64(products)*max(tensor, loads) + 8*fragments)
}

// MappedClocks is Clocks for attention_wgmma, whose products and exponentials go on side by side: products reach three quarters of the tensor cores' peak, and
// exponentials, with the instructions around them, half of that of the special function units, as in FlashAttention-3 on an H100 (Shah et al., 2024).
func (t *AttentionTile) MappedClocks(p *Attention, multiprocessors int) float64 {
	tiles, longest := t.walk(p, p.Queries, p.Keys, false)
	return t.mappedClocks(2, 0.75, divideUp(p.Queries, t.lines)*p.Batch*p.Heads, tiles*float64(p.Batch*p.Heads), longest, multiprocessors)
}

// MappedGradClocks are those of attention_queries_wgmma and attention_keys_wgmma. Their products are supposed to reach 0.57 of the peak, as those of
// FlashAttention-3's backward pass do, which has other ones besides.
func MappedGradClocks(queries, keys *AttentionTile, p *Attention, multiprocessors int) (ofQueries, ofKeys float64) {
	const reached = 0.57
	heads, shares := float64(p.Batch*p.Heads), float64(p.Heads/p.Groups)
	tiles, longest := queries.walk(p, p.Queries, p.Keys, false)
	ofQueries = queries.mappedClocks(3, reached, divideUp(p.Queries, queries.lines)*p.Batch*p.Heads, tiles*heads, longest, multiprocessors)
	products := 4
	if keys.Width > 128 { // scores are computed by both groups
		products = 5
	}
	tiles, longest = keys.walk(p, p.Keys, p.Queries, true)
	ofKeys = keys.mappedClocks(products, reached, divideUp(p.Keys, keys.lines)*p.Batch*p.Groups, tiles*heads, longest*shares, multiprocessors)
	return ofQueries, ofKeys
}

// mappedClocks is of so many products of each tile, which reach a share of the tensor cores' peak, by blocks of which one has the longest walk.
func (t *AttentionTile) mappedClocks(products int, reached float64, blocks uint64, tiles, longest float64, multiprocessors int) float64 {
	const start = 4000 // of a block, before there are scores, and at its end
	scores, all := float64(t.lines*t.columns), float64(multiprocessors)
	busy := max(float64(products)*scores*float64(t.Width)/2048/reached, scores/16/0.5)
	return start*max(float64(blocks)/all, 1) + busy*max(tiles/all, longest)
}

// walk is over how many tiles of columns the blocks of a head walk, together and the one that has most.
func (t *AttentionTile) walk(p *Attention, most, rows uint64, byKeys bool) (tiles, longest float64) {
	for line := uint64(0); line < most; line += t.lines {
		n := float64(divideUp(p.seen(line, min(line+t.lines, most), rows, byKeys), t.columns))
		tiles, longest = tiles+n, max(longest, n)
	}
	return tiles, longest
}

// seen is how many of some rows, keys or queries, the lines between two see.
func (p *Attention) seen(from, to, rows uint64, byKeys bool) uint64 {
	least, most := int64(-FarthestKey), int64(FarthestKey) // how far queries lie behind the keys that they see
	if p.Window > 0 {
		least, most = 1-p.Window, p.Window-1
	}
	if p.Causal != 0 {
		least = 0
	}
	first, last := p.First+int64(from)-most, p.First+int64(to)-least
	if byKeys {
		first, last = int64(from)-p.First+least, int64(to)-p.First+most
	}
	return uint64(max(min(last, int64(rows))-max(first, 0), 0))
}

// FarthestKey is more queries or keys than kernels of attention on tensor cores count.
const FarthestKey = 1 << 29
