package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// How a product runs, C[m, n] = A[m, k]·B[k, n], with a product of two 512×512 matrices of float32 as the example:
//
//	C is cut into pieces, the unit of work of a thread
//	└─ k is cut into blocks of at most 512 steps
//	   └─ a piece is cut into panels of columns, one or two vectors wide each
//	      └─ a panel is cut into tiles of rows × panel width, several of which are one call of a micro-kernel
//
// Micro-kernel (vec.Tile, written by internal/kgen/tile). It keeps a tile of C in vector registers while k passes. A step of k
// loads a row of the panel of B, broadcasts one element of A for each row of the tile, and makes a fused multiply-add for each
// vector of sums. Tiles have up to 14×32 elements of float32 under AVX-512 (28 of 32 registers are sums), 6×16 under AVX2 (12
// of 16), 8×12 under NEON (24 of 32); of float64 half as many columns. A's and B's elements are found by strides, so the same
// micro-kernel reads a matrix, its transpose and a packed copy. In the example the rows of a piece, about a hundred, are divided
// evenly into tiles of at most 14 or 6 rows. Several tiles below each other are computed by one call, since what Go does between two calls takes as long as seven steps.
//
// Blocking of k. The sums of a block start from zero, and what C holds, the bias or nothing is added before they are stored: C
// is read and written once a block. 512 steps are one block; 600 would be two of 300. The length depends on k alone. So an
// element's products are added in the same order and with the same roundings whatever the tile, the packing, the number of
// threads, or which thread computes it: bits do not depend on threads (TestGemmThreadsKeepBits).
//
// Packing. A copy costs time and pays where memory is read badly. B of at most 1 MiB, which the
// second cache level holds (without AVX-512 packsB asks for less), is read where it is if its rows are contiguous: so in the example. Larger or transposed ones are
// packed, 1024 columns and up to 2048 steps at a time, as panels: [steps, panel width], contiguous. Where a piece has all rows it packs a panel just before
// its tiles read it, from a near cache: linear/64x1024x1024 takes four fifths of the time so. A is packed if there are
// 512 columns or more to multiply it by, so in the example: as panels of a tile's rows, [steps, rows], so that each step
// reads neighbours, and rows a power of two apart do not evict each other from the first cache level. A piece packs its own
// rows, at most 4 KiB of each at a time.
//
// Caches. The panel of B (512×32 elements, 64 KiB under AVX-512; 32 KiB under AVX2) is read again by every tile of a piece, from
// the first or second cache level; the packed rows of A (up to 112 of them) stay in the second level, and are read again for
// every panel.
//
// Prefetch. On amd64 tiles of at least four rows prefetch the row of B that they need 8 steps later: rows of a B that is not
// packed are too far apart for the hardware's prefetcher. The lines of C's tile are prefetched 48 steps before the sums are done.
// While tiles of a packed panel are computed, each prefetches a part of the next panel into the second level (vec.Tile.Next), on
// arm64 too.
//
// Threads. Pieces are at most 112 rows high; with one thread the example has 5 of them. With more threads, cut rounds the
// number of pieces below each other up to a multiple of the threads, and then halves columns or rows until there are four
// pieces for each thread, or pieces have fewer than 2**20 floating-point operations: two threads get 6×2 pieces of about 86 rows
// and 256 columns. The threads of package par claim pieces. A product of at most 112 rows and little work is one piece, on the
// caller's thread.
//
// Epilogue. ReLU, if asked for, is applied to a piece by the thread that computed it, while its cache holds the piece.
//
// Other shapes: few rows of A and columns of B that are contiguous are dot products (gemm_dots.go); one row of A and a B that no cache holds read rows of B
// as streams (gemm_streams.go); bfloat16 has a
// micro-kernel of its own (gemm_bf16.go); integers add rows of B (gemm_int.go); without assembly there is gemm_portable.go.

const (
	// maxInPlace bounds the bytes of a B that tiles read where it is: mm_f64/512, whose B has twice as many, takes four fifths of the time packed.
	maxInPlace = 1 << 20
	// With small caches a B is packed for so many rows of A, and for fewer where it has more bytes than smallInPlace and rows a part of a page apart, which share few sets of a cache:
	// mm/512 takes two thirds of the time so, mm/64x784x256 three quarters, mm_f64/512 half.
	manyRows, someRows, smallInPlace = 128, 24, 512 << 10
	// packCols and packSteps bound the part of B that is packed at a time.
	packCols, packSteps = 1024, 2048
	// minPackCols is the least number of columns that pay for packing A: the copy is read once for every panel. Half as many do
	// where A's rows, or of a transpose its columns, are a multiple of pageBytes apart, since those of a tile then share a set of the first cache level: mm/1024
	// takes a tenth less time so; a quarter where A is the transpose of a matrix that a cache does not hold, of whose lines each step reads
	// another: lstm_grad/128x64x256, whose gradients of weights have such a one. With small caches an eighth does, for half a page and all transposes.
	minPackCols, pageBytes = 512, 4 << 10
	// pieceRows bounds the rows of a piece, whose packed A stays in the second cache level.
	pieceRows = 112
	// packBytes bounds what is packed of a row of A at a time: of a piece, half the second cache level.
	packBytes = 4 << 10
	// minPieceFlops is the least piece of work that is worth handing to a thread: some microseconds.
	minPieceFlops = 1 << 19
	// ownRows bounds the rows of a product whose pieces have all rows and pack B themselves, and ownPanels is the least number of panels for each thread:
	// einsum/8x8x128x64 takes eight ninths of the time so.
	ownRows, ownPanels = 128, 4
	// nextParts is how many tiles prefetch the next panel, a part each.
	nextParts = 8
)

// tiling is a product on the micro-kernels of package vec, or the part of it whose B is packed together.
type tiling[T dtype.Float] struct {
	product[T]
	col, colEnd int  // columns of the part
	step, end   int  // steps of k of the part
	packedB     []T  // the part of B as panels of width columns; nil where B is read where it is, or pieces pack it
	ownB        bool // pieces pack the panels of B that they read
	packA       bool
	length      int // steps of a block of k
	packed      int // steps for which a piece packs A together, a multiple of length
	height      int // rows of a tile
	width       int // columns of a panel
}

// runTiles computes the product on micro-kernels.
func (p *product[T]) runTiles(split splitter) {
	// mv/1024x1024 takes half the time as a row.
	if p.n == 1 && p.ldc == 1 && p.m > 1 && (p.a.Row == 1 || p.a.Col == 1) {
		p.asRow().runTiles(split)
		return
	}
	if p.runDots(split) {
		return
	}
	if p.streams() {
		p.runStreams(split)
		return
	}
	if p.bias == nil && p.beta != 0 && p.beta != 1 {
		p.scale(0, p.m, 0, p.n)
	}
	t := p.tiling()
	if !p.packsB() {
		if p.m <= t.height {
			t.width = vec.TileCols[T](p.m)
		}
		t.compute(split)
		return
	}
	if t.ownB = p.m <= ownRows && ceilDiv(p.n, t.width) >= ownPanels*par.NumThreads(); t.ownB {
		t.compute(split)
		return
	}
	steps := packSteps / t.length * t.length
	cols := packCols / t.width * t.width
	space := newScratch[T](min(steps, p.k) * min(cols, ceilDiv(p.n, t.width)*t.width))
	defer space.release()
	t.packedB = space.data
	for t.col = 0; t.col < p.n; t.col += cols {
		t.colEnd = min(t.col+cols, p.n)
		for t.step = 0; t.step < p.k; t.step += steps {
			t.end = min(t.step+steps, p.k)
			t.packB(split)
			t.compute(split)
		}
	}
}

// tiling returns the product as a whole, before B is packed.
func (p *product[T]) tiling() tiling[T] {
	t := tiling[T]{product: *p, colEnd: p.n, end: p.k, length: stepsOf(p.k),
		height: ceilDiv(p.m, ceilDiv(p.m, vec.TileRows())), width: vec.PanelCols[T]()}
	t.packed = max(1, packBytes/dtype.Of[T]().Size()/t.length) * t.length
	t.packA = p.packsA()
	return t
}

// packsA reports whether tiles read A from a packed copy.
func (p *product[T]) packsA() bool {
	size := dtype.Of[T]().Size()
	cols, apart, turned := minPackCols, max(p.a.Row, p.a.Col)*size, p.a.Row == 1 && p.a.Col != 1
	switch {
	case vec.SmallCaches() && (turned || apart%(pageBytes/2) == 0):
		cols /= 8
	case turned && p.m*p.k*size > maxInPlace/2:
		cols /= 4
	case apart%pageBytes == 0:
		cols /= 2
	}
	return p.alpha != 1 || p.m > 1 && p.n >= cols
}

// packsB reports whether tiles read B from a packed copy.
func (p *product[T]) packsB() bool {
	switch {
	case p.b.Col != 1:
		return true
	case p.m <= vec.TileRows():
		return false
	case p.bytesOfB() > maxInPlace:
		return true
	case !vec.SmallCaches():
		return false
	}
	far := p.b.Row*dtype.Of[T]().Size()%(pageBytes/4) == 0 && p.bytesOfB() > smallInPlace
	return p.m >= manyRows || far && p.m >= someRows
}

func (p *product[T]) bytesOfB() int { return p.k * p.n * dtype.Of[T]().Size() }

// asRow returns a product with one column, A·b, as one with one row, bᵀ·Aᵀ.
func (p *product[T]) asRow() *product[T] {
	q := &product[T]{m: 1, n: p.m, k: p.k, alpha: p.alpha, a: p.b.Transposed(), b: p.a.Transposed(), beta: p.beta, then: p.then, c: p.c, ldc: p.m}
	if p.bias != nil {
		for i := range p.c[:p.m] {
			p.c[i] = p.bias[i*p.biasRow]
		}
		q.beta = 1
	}
	return q
}

// compute computes the part in pieces.
func (t *tiling[T]) compute(split splitter) {
	if down, across := t.cut(); down*across > 1 {
		t.share(split, down, across)
		return
	}
	t.piece(0, t.m, t.col, t.colEnd)
}

// share divides the pieces among threads, with a packed B column by column: neighbouring pieces then read the panels that the
// same thread has packed, from its caches. It is a function of its own because what its closure captures is allocated.
func (t *tiling[T]) share(split splitter, down, across int) {
	shared := *t
	panels := ceilDiv(t.colEnd-t.col, t.width)
	split(down*across, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r, c := i/across, i%across
			if shared.packedB != nil {
				r, c = i%down, i/down
			}
			col, colEnd := shared.col+panels*c/across*shared.width, shared.col+panels*(c+1)/across*shared.width
			shared.piece(shared.m*r/down, shared.m*(r+1)/down, col, min(colEnd, shared.colEnd))
		}
	})
}

// cut returns into how many rows and columns of pieces the part is cut: as many pieces for each thread, and at least four of
// them while a piece has minPieceFlops. It changes no bits.
func (t *tiling[T]) cut() (down, across int) {
	threads, cols := par.NumThreads(), t.colEnd-t.col
	down, across = ceilDiv(t.m, pieceRows), 1
	if t.ownB {
		down = 1
	}
	if threads == 1 {
		return down, across
	}
	tiles, panels := ceilDiv(t.m, t.height), ceilDiv(cols, t.width)
	if t.ownB {
		tiles = 1 // pieces below each other would pack the same panels
	}
	if down > 1 {
		down = min(ceilDiv(down, threads)*threads, tiles)
	}
	for down*across < 4*threads && 2*t.m*cols*(t.end-t.step)/(down*across) >= 2*minPieceFlops {
		narrow := t.packA && cols/across <= minPackCols/2 // each piece packs its rows of A
		switch {
		case 2*down <= tiles && (narrow || t.m/down >= cols/across):
			down *= 2
		case down < tiles && narrow:
			down = tiles
		case 2*across <= panels:
			across *= 2
		case 2*down <= tiles:
			down *= 2
		default:
			return down, across
		}
	}
	return down, across
}

// piece computes the part of C between two corners.
func (t *tiling[T]) piece(row, rowEnd, col, colEnd int) {
	var packedA []T
	if t.packA {
		space := newScratch[T]((rowEnd-row)*min(t.packed, t.end-t.step) + 2*t.width)
		defer space.release()
		packedA = space.data
	}
	var panelB []T
	if t.ownB {
		space := newScratch[T](min(t.packed, t.end-t.step) * t.width)
		defer space.release()
		panelB = space.data
	}
	for k := t.step; k < t.end; k += t.packed {
		t.pieceBlocks(packedA, panelB, row, rowEnd, col, colEnd, k, min(k+t.packed, t.end))
	}
	if t.end == t.k {
		epilogue(t.then, t.c[row*t.ldc+col:], rowEnd-row, colEnd-col, t.ldc)
	}
}

// pieceBlocks adds to a piece the products of steps k to kEnd, whole blocks whose A is packed together. All blocks of a panel
// follow each other, while a cache holds its tiles of C.
func (t *tiling[T]) pieceBlocks(packedA, panelB []T, row, rowEnd, col, colEnd, k, kEnd int) {
	groups := tileGroups(row, rowEnd, t.height)
	// packed is the packed A of a group for the block of steps from l on.
	packed := func(g tileGroup, l, steps int) []T {
		if !t.packA {
			return nil
		}
		return packedA[(l-k)*(rowEnd-row)+(g.row-row)*steps:]
	}
	for l := k; t.packA && l < kEnd; l += t.length {
		steps := min(t.length, kEnd-l)
		for _, g := range groups {
			t.packRows(packed(g, l, steps), g, l, steps)
		}
	}
	part := t
	if t.ownB {
		own := *t
		own.packedB, own.step, own.end = panelB, k, kEnd
		part = &own
	}
	for j := col; j < colEnd; j += t.width {
		if t.ownB {
			part.col = j
			part.packPanel(panelB, j, min(t.width, colEnd-j))
		}
		for l := k; l < kEnd; l += t.length {
			steps := min(t.length, kEnd-l)
			for _, g := range groups {
				if g.tiles > 0 {
					part.multiply(g, packed(g, l, steps), j, colEnd, l, steps)
				}
			}
		}
	}
}

// multiply computes a group of tiles in the panel from column j on, for the block of steps from k on.
func (t *tiling[T]) multiply(g tileGroup, packedA []T, j, colEnd, k, steps int) {
	tile := vec.Tile[T]{Rows: g.height, Cols: min(t.width, colEnd-j), K: steps, B: t.panel(j, k), RowB: t.b.Row, C: t.c[g.row*t.ldc+j:], RowC: t.ldc,
		Count: g.tiles, Step: vec.Steps{C: g.height * t.ldc}}
	tile.Next = tile.B
	switch {
	case t.ownB && t.b.Row == 1: // columns from which the next panel will be packed
		tile.Step.Next = t.width / nextParts * t.b.Col
		tile.Next = t.b.Data[min((j+t.width)*t.b.Col+k+g.before*tile.Step.Next, len(t.b.Data)-1):]
	case t.packedB != nil:
		tile.Step.Next = steps * t.width / nextParts
		tile.Next = tile.B[min(steps*t.width+g.before*tile.Step.Next, len(tile.B)-1):]
	}
	if t.packedB != nil {
		tile.RowB = t.width
	}
	if t.packA {
		tile.A, tile.RowA, tile.ColA, tile.Step.A = packedA, 1, g.height, g.height*steps
	} else {
		tile.A, tile.RowA, tile.ColA, tile.Step.A = t.a.Data[g.row*t.a.Row+k*t.a.Col:], t.a.Row, t.a.Col, g.height*t.a.Row
	}
	tile.From, tile.RowFrom = t.from(tile.C, g.row, j, k)
	tile.Step.From = g.height * tile.RowFrom
	tile.Run()
}

// panel returns B from a column and a step on.
func (t *tiling[T]) panel(col, k int) []T {
	if t.packedB != nil {
		return t.packedB[(col-t.col)*(t.end-t.step)+(k-t.step)*t.width:]
	}
	return t.b.Data[k*t.b.Row+col:]
}

// from returns what a tile c of C starts from, at a row, a column and a step of k, and how far its rows are apart: C itself, which has
// been multiplied by beta, the bias, or nothing.
func (p *product[T]) from(c []T, row, col, k int) (from []T, apart int) {
	switch {
	case k > 0:
		return c, p.ldc
	case p.bias != nil:
		return p.bias[row*p.biasRow+col:], p.biasRow
	case p.beta != 0:
		return c, p.ldc
	}
	return nil, 0
}

// A tileGroup is tiles of one height below each other, which one call of a micro-kernel computes.
type tileGroup struct {
	row    int
	tiles  int // there may be none
	height int
	before int // tiles of the group above
}

// tileGroups divides rows into tiles of at most height rows, whose heights differ by one at most: the end of a tile takes as
// long whatever its height. The higher ones come first.
func tileGroups(row, rowEnd, height int) [2]tileGroup {
	rows := rowEnd - row
	tiles := ceilDiv(rows, height)
	high, low := rows%tiles, rows/tiles
	return [2]tileGroup{{row, high, low + 1, 0}, {row + high*(low+1), tiles - high, low, high}}
}
