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
	// minPackCols is the least number of columns that pay for packing A.
	minPackCols = 256
	// pieceRows bounds the rows of a piece of work, whose packed A stays in the second cache level.
	pieceRows = 112
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
	height      int // rows of a tile
	width       int // columns of a tile
	rows, cols  int // of a piece of work
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
		height: ceilDiv(p.m, ceilDiv(p.m, vec.TileRows())), width: 2 * vec.Lanes[T]()}
	t.packA = p.alpha != 1 || p.n >= minPackCols && p.m > 1
	if p.b.Col == 1 && (p.m <= t.height || p.k*p.n <= maxInPlace) {
		if p.m <= t.height {
			t.width = vec.TileCols[T](p.m)
		}
		t.compute(split)
		return
	}
	steps := packSteps / t.length * t.length
	space := borrow[T](min(steps, p.k) * min(packCols, ceilDiv(p.n, t.width)*t.width))
	defer space.giveBack()
	t.packedB = space.data
	for t.col = 0; t.col < p.n; t.col += packCols {
		t.colEnd = min(t.col+packCols, p.n)
		for t.step = 0; t.step < p.k; t.step += steps {
			t.end = min(t.step+steps, p.k)
			t.packB(split)
			t.compute(split)
		}
	}
}

// asRow returns a product with one column as one with one row.
func (p *product[T]) asRow() *product[T] {
	q := &product[T]{m: 1, n: p.m, k: p.k, alpha: p.alpha, a: p.b.Transposed(), b: p.a.Transposed(), beta: p.beta, c: p.c, ldc: p.m}
	if p.bias != nil {
		fillWith(p.c[:p.m], p.bias[0])
		q.beta = 1
	}
	return q
}

// compute computes the part in pieces.
func (t *tiling[T]) compute(split splitter) {
	t.cut()
	across := ceilDiv(t.colEnd-t.col, t.cols)
	if pieces := ceilDiv(t.m, t.rows) * across; pieces > 1 {
		t.share(split, pieces, across)
		return
	}
	t.piece(0, t.m, t.col, t.colEnd)
}

// share computes the pieces beside each other. It is on its own because what its closure captures is allocated.
func (t *tiling[T]) share(split splitter, pieces, across int) {
	shared := *t
	split(pieces, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, col := i/across*shared.rows, shared.col+i%across*shared.cols
			shared.piece(row, min(row+shared.rows, shared.m), col, min(col+shared.cols, shared.colEnd))
		}
	})
}

// cut decides on the pieces: several for each thread, where the product is large enough.
func (t *tiling[T]) cut() {
	down, across := ceilDiv(t.m, t.height), ceilDiv(t.colEnd-t.col, t.width)
	rows, cols := ceilDiv(down, ceilDiv(t.m, pieceRows)), across
	tile := 2 * t.height * t.width * (t.end - t.step)
	wanted := 1
	if threads := par.NumThreads(); threads > 1 {
		wanted = 4 * threads
	}
	for ceilDiv(down, rows)*ceilDiv(across, cols) < wanted && rows*cols > 1 && rows*cols*tile >= 2*minTiled {
		if rows > 1 && (rows >= cols || cols*t.width <= minPackCols) {
			rows = ceilDiv(rows, 2)
		} else {
			cols = ceilDiv(cols, 2)
		}
	}
	t.rows, t.cols = rows*t.height, cols*t.width
}

// piece computes what lies between two corners of C.
func (t *tiling[T]) piece(row, rowEnd, col, colEnd int) {
	tile := vec.Tile[T]{RowA: t.a.Row, ColA: t.a.Col, RowB: t.b.Row, RowC: t.ldc}
	if t.packedB != nil {
		tile.RowB = t.width
	}
	var packedA []T
	if t.packA {
		space := borrow[T]((rowEnd-row)*min(t.length, t.end-t.step) + 2*t.width)
		defer space.giveBack()
		packedA = space.data
	}
	for k := t.step; k < t.end; k += t.length {
		tile.K = min(t.length, t.end-k)
		if t.packA {
			t.packRows(packedA, row, rowEnd, k, tile.K)
		}
		for j := col; j < colEnd; j += t.width {
			tile.Cols, tile.B = min(t.width, colEnd-j), t.columns(j, k)
			next := tile.B
			if j+t.width < colEnd {
				next = t.columns(j+t.width, k)
			}
			for i := row; i < rowEnd; i += t.height {
				tile.Rows = min(t.height, rowEnd-i)
				if t.packA {
					tile.A, tile.RowA, tile.ColA = packedA[(i-row)*tile.K:], 1, tile.Rows
				} else {
					tile.A = t.a.Data[i*t.a.Row+k*t.a.Col:]
				}
				tile.C = t.c[i*t.ldc+j:]
				tile.From, tile.RowFrom = t.from(tile.C, j, k)
				// Eight tiles bring the next panel closer, a part each.
				tile.Next = next[min((i-row)/t.height%8*tile.K*t.width/8, len(next)-1):]
				tile.Run()
			}
		}
	}
}

// columns returns B from a column and a step on.
func (t *tiling[T]) columns(col, k int) []T {
	if t.packedB != nil {
		return t.packedB[(col-t.col)*(t.end-t.step)+(k-t.step)*t.width:]
	}
	return t.b.Data[k*t.b.Row+col:]
}
