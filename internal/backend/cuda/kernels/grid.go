package kernels

// A Grid is the shape of a launch.
type Grid struct {
	Blocks, Threads [3]uint32
	Shared          uint32    // bytes of dynamic shared memory
	Cluster         [3]uint32 // blocks that run together; zeros for none
	Walks           bool      // blocks walk along x over what there is: no more of them are wanted than run at once
	Programmatic    bool      // starts before the kernel ahead has ended, and waits for it (griddepcontrol.wait)
}

const mostBlocks = 1<<31 - 1

// Flat is the grid of kernels that walk over n elements with any number of blocks: no more than most, which is to fill the
// device.
func Flat(n uint64, most int) Grid {
	blocks := min(divideUp(n, 256), uint64(max(most, 1)))
	return Grid{Blocks: [3]uint32{uint32(max(blocks, 1)), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// VectorGrid is the grid of elementwise kernels over so many vectors: of short blocks that share the work evenly, two vectors for
// each thread, unless the device, which most blocks fill, has room for a thread for each.
func VectorGrid(vectors uint64, most int) Grid {
	blocks := divideUp(vectors, 256)
	if fill := uint64(max(most, 1)); blocks > fill {
		blocks = max(divideUp(blocks, 2), fill)
	}
	return Grid{Blocks: [3]uint32{uint32(min(max(blocks, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// longRow is the length from which a run has 256 threads instead of 32.
const longRow = 1024

// RowGrid is the grid of reductions of so many runs of n elements, and whether the device can have it.
func RowGrid(runs, n uint64) (g Grid, ok bool) {
	if n > longRow {
		return rowsOf(runs, 256)
	}
	return rowsOf(runs, 32)
}

// HeldGrid is the grid of kernels whose threads hold a run of n elements of 4 bytes, 16 of them each.
func HeldGrid(runs, n uint64) (g Grid, ok bool) {
	threads := uint64(32)
	for threads < 512 && threads*16 < n {
		threads *= 2
	}
	if n <= 128 {
		threads = 8
	}
	return rowsOf(runs, threads)
}

// GridOfRows is the grid of kernels of regions that reduce so many rows, of which each has so many threads.
func GridOfRows(rows, threads uint64) Grid {
	g, _ := rowsOf(rows, threads) // a region has fewer elements than a grid can have blocks
	return g
}

// NormGradGrid is the grid of layer_norm_grad for so many rows whose operands have n elements of 4 bytes, with other blocks in front of theirs, and whether
// the device can have it.
func NormGradGrid(rows, n uint64, sumBlocks uint32) (g Grid, ok bool) {
	g, ok = HeldGrid(rows, n)
	blocks := uint64(g.Blocks[0]) + uint64(sumBlocks)
	g.Blocks[0] = uint32(blocks)
	return g, ok && blocks <= mostBlocks
}

// rowsOf gives each run so many threads.
func rowsOf(runs, threads uint64) (g Grid, ok bool) {
	rows := max(256/threads, 1)
	blocks := divideUp(runs, rows)
	return Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{uint32(threads), uint32(rows), 1}}, blocks <= mostBlocks
}

// ColumnBlocks is how many blocks so many columns have, of 32 each.
func ColumnBlocks(columns uint64) uint64 { return divideUp(columns, 32) }

// ColumnGrid is the grid of the _columns forms of kernels of so many runs, in so many parts, and whether the device can have it.
func ColumnGrid(runs, parts uint64) (g Grid, ok bool) {
	blocks := ColumnBlocks(runs)
	return Grid{Blocks: [3]uint32{uint32(blocks), uint32(parts), 1}, Threads: [3]uint32{32, 8, 1}}, blocks <= mostBlocks
}

// In reductions, neighbours that a thread takes at once have so many bytes, what a thread of HeldGrid holds has so many, and a column of the _columns form
// has so many threads.
const (
	GroupBytes    = 16
	HeldBytes     = 64
	ColumnThreads = 8
)

// PrefersColumns reports whether a reduction of [outer][n][inner] is faster in its _columns form.
func PrefersColumns(n, inner uint64) bool { return inner > 1 || n < 32 }

// Parts is into how many parts, and of how many elements each, a reduction to so many results had better divide its runs of n
// elements: one if the runs are enough to fill a device of so many multiprocessors. In the _columns form a block has 32 results.
// The parts are joined by a second launch, or in the _columns form by the block that ends last.
func Parts(results, n uint64, columns bool, multiprocessors int) (parts, part uint64) {
	blocks, worth := max(results, 1), uint64(1<<12) // elements of a part that are worth a row of threads, or a column of them
	if columns {
		blocks, worth = ColumnBlocks(blocks), 64
	}
	parts = min(filling(uint64(multiprocessors)*8, blocks), n/worth, mostParts)
	if parts <= 1 {
		return 1, n
	}
	part = divideUp(divideUp(n, parts), worth) * worth
	return divideUp(n, part), part
}

// filling is how many parts of each make the blocks as many as a device runs at once, or twice as many, or a little less: a few more would have it to themselves
// for as long as all others.
func filling(once, blocks uint64) uint64 {
	if parts := once / blocks; parts*blocks*8 >= once*7 {
		return parts
	}
	return max(2*once/blocks, 1)
}

// ScanGrid returns the grid of a scan of so many runs of n elements in its _columns form, into how many parts it divides each, and how long
// a part is.
func ScanGrid(runs, n uint64, multiprocessors int) (g Grid, parts, part uint64) {
	const each, most = 8, 256 // elements of a thread, and threads
	x, y := uint64(1), uint64(1)
	for x < 32 && x < runs {
		x *= 2
	}
	for x*y < most && y*each < n && (y < 8 || x < 32) {
		y *= 2
	}
	x = max(x, min(most/y, divideUp(runs, 32)*32))
	blocks, turn := max(divideUp(runs, x), 1), y*each
	parts = max(min(divideUp(uint64(multiprocessors)*8, blocks), n/(4*turn), mostParts), 1)
	part = divideUp(divideUp(n, parts), turn) * turn
	parts = max(divideUp(n, max(part, 1)), 1)
	return Grid{Blocks: [3]uint32{uint32(min(blocks, mostBlocks)), uint32(parts), 1}, Threads: [3]uint32{uint32(x), uint32(y), 1}}, parts, part
}

// mostParts is how many blocks a grid can have along y.
const mostParts = 65535

// ProductGrid is the grid of a product of count times [m][k]·[k][n], and whether it is for product_small.
func ProductGrid(count, m, n uint64) (g Grid, small bool) {
	small = m <= 32 || n <= 32
	tile, threads := uint64(64), uint32(256)
	if small {
		tile, threads = 32, 64
	}
	tiles := count * divideUp(m, tile) * divideUp(n, tile)
	return Grid{Blocks: [3]uint32{uint32(min(max(tiles, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{threads, 1, 1}}, small
}

// AttentionGrid is the grid of kernels of attention over tiles of so many rows and columns for each of some heads, of elements of a size
// in bytes.
func AttentionGrid(heads, rows, columns uint64, size int) Grid {
	tile, threads := uint64(64), uint32(256)
	if size == 8 {
		tile, threads = 32, 64
	}
	tiles := heads * divideUp(rows, tile) * max(divideUp(columns, tile), 1)
	return Grid{Blocks: [3]uint32{uint32(min(max(tiles, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{threads, 1, 1}}
}

// FewGrid returns the grid of attention_few for so many rows of each of some groups, into how many parts it cuts the keys to fill a device,
// and how many keys a part has.
func FewGrid(groups, rows, keys uint64, multiprocessors int) (g Grid, parts, part uint64) {
	const each, turn, worth = 4, 32, 256 // rows of a block, and keys of a turn and of a part
	blocks := max(groups*divideUp(rows, each), 1)
	parts = max(min(divideUp(uint64(multiprocessors)*4, blocks), keys/worth), 1)
	part = max(divideUp(divideUp(keys, parts), turn)*turn, turn)
	parts = max(divideUp(keys, part), 1)
	return Grid{Blocks: [3]uint32{uint32(min(blocks*parts, mostBlocks)), 1, 1}, Threads: [3]uint32{256, 1, 1}}, parts, part
}

// ConvolutionGrid is the grid of a convolution's results of rows × columns, of which there are so many, and whether it is for
// the _small form.
func ConvolutionGrid(count, rows, columns uint32) (g Grid, small bool) {
	small = rows <= 32
	tile, threads := uint64(64), uint32(256)
	if small {
		tile, threads = 16, 64
	}
	tiles := uint64(count) * divideUp(uint64(rows), tile) * divideUp(uint64(columns), 64)
	return Grid{Blocks: [3]uint32{uint32(min(max(tiles, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{threads, 1, 1}}, small
}

// ConvolutionParts is into how many parts the common axis of a convolution had better be divided. The size of the problem
// alone decides, so that results are the same on every device.
func ConvolutionParts(groups, rows, columns, depth uint32) uint32 {
	const (
		fill  = 512 // blocks that keep a large device busy
		worth = 256 // steps of a part
	)
	g, _ := ConvolutionGrid(groups, rows, columns)
	return max(min(fill/g.Blocks[0], depth/worth), 1)
}

// ConvolutionPart is how long a part is: whole tiles.
func ConvolutionPart(depth, parts uint32) uint32 {
	const tile = 16
	return uint32(divideUp(divideUp(uint64(depth), tile), uint64(parts)) * tile)
}

// NormalizationParts is into how many parts sums over n elements had better be divided, of which there are so many. The size
// of the problem alone decides, so that results are the same on every device.
func NormalizationParts(sums, n uint64) uint64 {
	const (
		fill  = 512     // rows of threads that keep a large device busy
		worth = 1 << 13 // elements of a part
	)
	return max(min(fill/max(sums, 1), n/worth), 1)
}

// TransposeGrid is the grid of transpose for so many matrices, and whether it is worth it and the device can have it.
func TransposeGrid(columns, rows, matrices uint64) (g Grid, ok bool) {
	const tile, worth = 32, 16
	g, ok = tilesOf(tile, columns, rows, matrices)
	g.Threads = [3]uint32{tile, 8, 1}
	return g, ok && columns >= worth && rows >= worth
}

// TransposeVectorsGrid is the grid of transpose_vectors for elements of so many bytes, and whether it is worth it and the device can have it.
func TransposeVectorsGrid(columns, rows, matrices, bytes uint64) (g Grid, ok bool) {
	squares := uint64(16) // of a block, along either axis
	if bytes < 4 {
		squares = 8
	}
	tile := squares * 16 / bytes
	g, ok = tilesOf(tile, columns, rows, matrices)
	g.Threads = [3]uint32{uint32(squares * squares), 1, 1}
	return g, ok && columns >= tile/2 && rows >= tile/2
}

// tilesOf has a block for each tile of some matrices, and says whether a device can have so many.
func tilesOf(tile, columns, rows, matrices uint64) (g Grid, ok bool) {
	x, y := divideUp(columns, tile), divideUp(rows, tile)
	return Grid{Blocks: [3]uint32{uint32(x), uint32(y), uint32(matrices)}}, y <= mostParts && matrices <= mostParts
}

// PooledTurns is how many threads max_pool and avg_pool have work for: each computes four results of a line.
func PooledTurns(p *Pool) int {
	return int(p.Planes) * int(p.OutSize[0]) * int(divideUp(uint64(p.OutSize[1]), 4))
}

// PlaneGrid is the grid of batch_norm_planes and batch_norm_grad_planes, and whether planes have enough pixels for them.
func PlaneGrid(planes, pixels uint64) (g Grid, ok bool) {
	const many = 256
	g = Flat(divideUp(pixels, 4), 1<<16)
	g.Blocks[1] = uint32(min(max(planes, 1), mostParts))
	return g, pixels >= many
}

// NonZeroGrid is the grid of nonzero for a mask of n elements, a block for each chunk, and the length of a chunk: blocks are few
// enough for each to add up the counts of those before it.
func NonZeroGrid(n uint64) (g Grid, chunk uint64) {
	const most, least = 1024, 8 // blocks, and elements of a thread
	chunk = 256 * max(divideUp(n, 256*most), least)
	return Grid{Blocks: [3]uint32{uint32(max(divideUp(n, chunk), 1)), 1, 1}, Threads: [3]uint32{256, 1, 1}}, chunk
}

// DrawGrid is the grid of n random draws on a device, which decides the numbers as it does in PyTorch, and how far they move
// the generator's offset; lanes is 4, or 2 for float64 and for wide integers.
func DrawGrid(n uint64, lanes, multiprocessors, threadsPerMultiprocessor int) (g Grid, offset uint64) {
	most := uint64(multiprocessors * (threadsPerMultiprocessor / 256))
	blocks := max(min(divideUp(n, 256), most), 1)
	offset = 4 * divideUp(n, blocks*256*uint64(lanes))
	return Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{256, 1, 1}}, offset
}

// EachGrid is DrawGrid for bernoulli_each.
func EachGrid(n uint64, multiprocessors, threadsPerMultiprocessor int) (g Grid, offset uint64) {
	most := uint64(multiprocessors * (threadsPerMultiprocessor / 512))
	blocks := max(min(divideUp(n, 4*512), most), 1)
	return Grid{Blocks: [3]uint32{uint32(blocks), 1, 1}, Threads: [3]uint32{512, 1, 1}}, 12
}

// AddRowsGrid is the grid of add_rows to rows of so many columns, on a device of so many multiprocessors.
func AddRowsGrid(columns uint64, multiprocessors int) Grid {
	x := min(max(divideUp(columns, 32), 1), mostBlocks)
	y := min(max(divideUp(uint64(multiprocessors)*8, x), 1), 64)
	return Grid{Blocks: [3]uint32{uint32(x), uint32(y), 1}, Threads: [3]uint32{32, 8, 1}}
}

// PieceGrid is the grid of copy_pieces and add_pieces over so many pieces, the largest of so many bytes. A thread has several
// elements to do: most pieces are small, and the threads that the largest wants are idle in them.
func PieceGrid(pieces int, largest uint64, most int) Grid {
	g := Flat(largest/32, max(most/max(pieces, 1), 1))
	g.Blocks[1] = uint32(min(max(pieces, 1), 65535))
	return g
}

// ChunkLength is into how long chunks many parameters of so many elements in all are cut for sgd_all and adam_all, so that a device
// that most blocks fill has several chunks for each of them.
func ChunkLength(elements uint64, most int) uint64 {
	const worth = 1 << 12 // elements of a chunk
	return max(divideUp(elements, 4*uint64(max(most, 1))*256)*256, worth)
}

// ChunkGrid is the grid of sgd_all and adam_all over so many chunks.
func ChunkGrid(chunks int) Grid {
	return Grid{Blocks: [3]uint32{uint32(min(max(chunks, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// LossGrid is the grid of nll over so many targets: a block for each part of the loss. The number of targets alone decides, so that
// results are the same on every device.
func LossGrid(targets uint64) Grid { return Flat(targets, 256) }

// OneBlock is the grid of nll_total.
func OneBlock() Grid { return Grid{Blocks: [3]uint32{1, 1, 1}, Threads: [3]uint32{256, 1, 1}} }

func divideUp(a, b uint64) uint64 { return (a + b - 1) / b }
