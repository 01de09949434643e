package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

const (
	// maxInPlace bounds k*n of a B that tiles read where it lies: up to there the second cache level holds it.
	maxInPlace = 1 << 18
	// packCols and packSteps bound the part of B that is packed at a time.
	packCols, packSteps = 1024, 2048
	// minPackCols is the least number of columns that pay for packing A. Half of them do where its rows lie a multiple of
	// pageBytes apart: those of a tile take each other's place in the first cache level.
	minPackCols, pageBytes = 512, 4 << 10
	// pieceRows bounds the rows of a piece of work, whose packed A stays in the second cache level.
	pieceRows = 112
	// blockBytes bounds what is packed of a row of A at a time: of a piece half the second cache level.
	blockBytes = 4 << 10
	// minTiled is the least piece of work in flops, some microseconds.
	minTiled = 1 << 19
)

// tiling is a product on the tiles of package vec, or the part of it whose B is packed together. The products of an
// element are added in the same order however it is cut and packed.
type tiling[T dtype.Float] struct {
	product[T]
	col, colEnd int // the part
	step, end   int // of k
	packedB     []T // of the part, in panels of width columns; nil where B is read in place
	packA       bool
	length      int // steps between two sights of C
	block       int // steps whose A is packed together
	height      int // rows of a tile
	width       int // columns of a tile
}

// runTiles computes the product by tiles.
func (p *product[T]) runTiles(split splitter) {
	if p.n == 1 && p.ldc == 1 && p.m > 1 && (p.a.Row == 1 || p.a.Col == 1) {
		p.asRow().runTiles(split)
		return
	}
	if p.runDots(split) {
		return
	}
	if p.bias == nil && p.beta != 0 && p.beta != 1 {
		p.scale(0, p.m, 0, p.n)
	}
	t := tiling[T]{product: *p, colEnd: p.n, end: p.k, length: runLength(p.k),
		height: ceilDiv(p.m, ceilDiv(p.m, vec.TileRows())), width: vec.PanelCols[T]()}
	t.block = max(1, blockBytes/dtype.Of[T]().Size()/t.length) * t.length
	t.packA = p.packsA()
	if p.b.Col == 1 && (p.m <= t.height || p.k*p.n <= maxInPlace) {
		if p.m <= t.height {
			t.width = vec.TileCols[T](p.m)
		}
		t.compute(split)
		return
	}
	steps := packSteps / t.length * t.length
	cols := packCols / t.width * t.width
	space := borrow[T](min(steps, p.k) * min(cols, ceilDiv(p.n, t.width)*t.width))
	defer space.giveBack()
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

// packsA reports whether tiles read A from a copy.
func (p *product[T]) packsA() bool {
	cols := minPackCols
	if p.a.Row*dtype.Of[T]().Size()%pageBytes == 0 {
		cols /= 2
	}
	return p.alpha != 1 || p.m > 1 && p.n >= cols
}

// asRow returns a product with one column as one with one row.
func (p *product[T]) asRow() *product[T] {
	q := &product[T]{m: 1, n: p.m, k: p.k, alpha: p.alpha, a: p.b.Transposed(), b: p.a.Transposed(), beta: p.beta, then: p.then, c: p.c, ldc: p.m}
	if p.bias != nil {
		fillWith(p.c[:p.m], p.bias[0])
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

// share computes the pieces beside each other, those of a packed B from left to right: a thread meets the panels that it has
// packed itself, which are in its own caches. It is on its own because what its closure captures is allocated.
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

// cut decides on the pieces, so many below and beside each other: several for each thread, where the product is large enough,
// and as many for each.
func (t *tiling[T]) cut() (down, across int) {
	threads, cols := par.NumThreads(), t.colEnd-t.col
	down, across = ceilDiv(t.m, pieceRows), 1
	if threads == 1 {
		return down, across
	}
	if down > 1 {
		down = ceilDiv(down, threads) * threads
	}
	tiles, panels := ceilDiv(t.m, t.height), ceilDiv(cols, t.width)
	for down*across < 4*threads && 2*t.m*cols*(t.end-t.step)/(down*across) >= 2*minTiled {
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

// piece computes what lies between two corners of C. Runs of k follow each other panel by panel, while a cache holds what
// they add to.
func (t *tiling[T]) piece(row, rowEnd, col, colEnd int) {
	var packedA []T
	if t.packA {
		space := borrow[T]((rowEnd-row)*min(t.block, t.end-t.step) + 2*t.width)
		defer space.giveBack()
		packedA = space.data
	}
	for k := t.step; k < t.end; k += t.block {
		t.pieceBlock(packedA, row, rowEnd, col, colEnd, k, min(k+t.block, t.end))
	}
	if t.end == t.k {
		follow(t.then, t.c[row*t.ldc+col:], rowEnd-row, colEnd-col, t.ldc)
	}
}

// pieceBlock adds what steps from k to kEnd give.
func (t *tiling[T]) pieceBlock(packedA []T, row, rowEnd, col, colEnd, k, kEnd int) {
	strips := stripsOf(row, rowEnd, t.height)
	// packed is A's strip for the run of steps from l on.
	packed := func(s strip, l, steps int) []T {
		if !t.packA {
			return nil
		}
		return packedA[(l-k)*(rowEnd-row)+(s.row-row)*steps:]
	}
	for l := k; t.packA && l < kEnd; l += t.length {
		steps := min(t.length, kEnd-l)
		for _, s := range strips {
			t.packRows(packed(s, l, steps), s, l, steps)
		}
	}
	for j := col; j < colEnd; j += t.width {
		for l := k; l < kEnd; l += t.length {
			steps := min(t.length, kEnd-l)
			for _, s := range strips {
				if s.tiles > 0 {
					t.multiply(s, packed(s, l, steps), j, colEnd, l, steps)
				}
			}
		}
	}
}

// multiply computes a strip of the panel from column j on, for some steps from k on.
func (t *tiling[T]) multiply(s strip, packedA []T, j, colEnd, k, steps int) {
	part := steps * t.width / nextParts
	tile := vec.Tile[T]{Rows: s.height, Cols: min(t.width, colEnd-j), K: steps, B: t.columns(j, k), RowB: t.b.Row, C: t.c[s.row*t.ldc+j:], RowC: t.ldc,
		Count: s.tiles, Step: vec.Steps{C: s.height * t.ldc, Next: part}}
	tile.Next = tile.B
	if t.packedB != nil {
		tile.RowB = t.width
		tile.Next = tile.B[min(steps*t.width+s.before*part, len(tile.B)-1):]
	}
	if t.packA {
		tile.A, tile.RowA, tile.ColA, tile.Step.A = packedA, 1, s.height, s.height*steps
	} else {
		tile.A, tile.RowA, tile.ColA, tile.Step.A = t.a.Data[s.row*t.a.Row+k*t.a.Col:], t.a.Row, t.a.Col, s.height*t.a.Row
	}
	tile.From, tile.RowFrom = t.from(tile.C, j, k)
	tile.Step.From = s.height * tile.RowFrom
	tile.Run()
}

// columns returns B from a column and a step on.
func (t *tiling[T]) columns(col, k int) []T {
	if t.packedB != nil {
		return t.packedB[(col-t.col)*(t.end-t.step)+(k-t.step)*t.width:]
	}
	return t.b.Data[k*t.b.Row+col:]
}
