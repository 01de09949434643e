package vec

import (
	"unsafe"

	"cresset/dtype"
)

// A PairTile is a call of the micro-kernel for bfloat16, which computes
//
//	C[i*RowC+j] = Σ A[l*Rows+i] · B[l*RowB+j]
//
// for Rows rows i, Cols columns j, at most 32, and K steps l. Elements of A and B are pairs,
// whose two products are added to sums in float32: each sum is rounded to the nearest, but numbers below 2**-126 count
// as zero. C is rounded once.
type PairTile struct {
	Rows, Cols, K int
	A             []float32 // of pairs: 4 bytes each, whatever number that is
	InPlace       []dtype.BF16
	RowA          int // instead of A: pair l of row i is InPlace[i*RowA+2*l:], Step.A counts its elements
	B             []float32
	RowB          int
	C             []dtype.BF16
	RowC          int
	Next          []float32 // what will be read next, as in Tile
	Count         int       // of tiles, as in Tile
	Step          Steps
}

// Run computes the tile.
func (t *PairTile) Run() {
	// These fail where an operand is too short.
	last := max(t.Count-1, 0)
	_ = t.B[last*t.Step.B+(t.K-1)*t.RowB+2*16-1]
	_ = t.C[last*t.Step.C+(t.Rows-1)*t.RowC+t.Cols-1]
	c := call{
		b: pointer(t.B, 0), c: pointer(t.C, 0), next: pointer(t.Next, 0), rowB: 4 * t.RowB, rowC: 2 * t.RowC, k: t.K, cols: t.Cols,
		tiles: t.Count, stepB: 4 * t.Step.B, stepC: 2 * t.Step.C, stepNext: 4 * t.Step.Next,
	}
	if t.InPlace != nil {
		_ = t.InPlace[last*t.Step.A+(t.Rows-1)*t.RowA+2*t.K-1]
		c.a, c.rowA, c.colA, c.stepA = pointer(t.InPlace, 0), 2*t.RowA, 4, 2*t.Step.A
	} else {
		_ = t.A[last*t.Step.A+t.Rows*t.K-1]
		c.a, c.rowA, c.colA, c.stepA = pointer(t.A, 0), 4, 4*t.Rows, 4*t.Step.A
	}
	runPairs(t.Rows, unsafe.Pointer(&c))
}

// PairDots is a call of the micro-kernels for rows of A and columns of B that are contiguous, in which two steps follow each other as they are:
//
//	C[i*RowC+j] = Σ A[i*RowA+l] · B[j*RowB+l]
//
// for Rows rows i, 2 to 4, Cols columns j, at most 4, and K steps l, an even number. The sums are those of PairTile in another order: its lanes are
// added at the end.
type PairDots struct {
	Rows, Cols, K int
	A             []dtype.BF16
	RowA          int
	B             []dtype.BF16
	RowB          int
	C             []float32
	RowC          int
	Count         int // of tiles, as in Tile
	Step          Steps
}

const (
	PairDotRows = 4 // rows that PairDots takes at most
	PairDotCols = 4 // columns
)

// Run computes the tile.
func (t *PairDots) Run() {
	// These fail where an operand is too short.
	last := max(t.Count-1, 0)
	_ = t.A[last*t.Step.A+(t.Rows-1)*t.RowA+t.K-1]
	_ = t.B[last*t.Step.B+(t.Cols-1)*t.RowB+t.K-1]
	_ = t.C[last*t.Step.C+(t.Rows-1)*t.RowC+t.Cols-1]
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0),
		rowA: 2 * t.RowA, rowB: 2 * t.RowB, rowC: 4 * t.RowC, k: t.K / 2, cols: t.Cols,
		tiles: t.Count, stepA: 2 * t.Step.A, stepB: 2 * t.Step.B, stepC: 4 * t.Step.C,
	}
	runPairDots(t.Rows, unsafe.Pointer(&c))
}

// PairRows packs rows of up to 32 columns: dst[l*rowDst+j] is the pair of src[2*l*rowSrc+j] and src[(2*l+1)*rowSrc+j]
// for l < pairs and j < cols. It writes anything to dst beyond cols, up to the next whole vector.
func PairRows(dst []float32, rowDst int, src []dtype.BF16, rowSrc, pairs, cols int) {
	_ = src[(2*pairs-1)*rowSrc+cols-1]
	_ = dst[(pairs-1)*rowDst+(cols+15)/16*16-1]
	c := call{a: pointer(src, 0), c: pointer(dst, 0), rowA: 2 * rowSrc, rowC: 4 * rowDst, k: pairs, cols: cols}
	runPairRows(unsafe.Pointer(&c))
}

// PairColumns packs up to 16 columns: dst[l*rowDst+i] is the pair of src[i*rowSrc+2*l] and src[i*rowSrc+2*l+1] for
// i < rows and l < pairs, at least 16. It writes anything to dst beyond rows, up to a whole vector.
func PairColumns(dst []float32, rowDst int, src []dtype.BF16, rowSrc, rows, pairs int) {
	const lanes = 16
	_ = src[(rows-1)*rowSrc+2*pairs-1]
	_ = dst[(pairs-1)*rowDst+lanes-1]
	c := call{a: pointer(src, 0), c: pointer(dst, 0), rowA: 2 * rowSrc, rowC: 4 * rowDst, k: pairs &^ (lanes - 1), cols: rows}
	runTranspose[float32](unsafe.Pointer(&c))
	if pairs%lanes != 0 { // the last square overlaps the one before
		c.a, c.c, c.k = pointer(src, 2*(pairs-lanes)), pointer(dst, (pairs-lanes)*rowDst), lanes
		runTranspose[float32](unsafe.Pointer(&c))
	}
}
