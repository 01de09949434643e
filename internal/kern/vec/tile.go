package vec

import (
	"unsafe"

	"cresset/dtype"
)

// A Tile is a call of the micro-kernel of matrix products, which computes
//
//	C[i*RowC+j] = From[i*RowFrom+j] + Σ A[i*RowA+l*ColA] * B[l*RowB+j]
//
// for Rows rows i, Cols columns j and K steps l. The products of an element are added in order from zero, each with one
// rounding, before From is; From is zero where it is nil, and may be C. K is at least 1.
type Tile[T dtype.Float] struct {
	Rows, Cols, K int
	A             []T
	RowA, ColA    int
	B             []T
	RowB          int
	C             []T
	RowC          int
	From          []T
	RowFrom       int
	Next          []T // what will be read next, not nil: its first 16*K bytes are prefetched into the second cache level, of one row and two vectors all K rows, RowB apart
	Count         int // of tiles that follow each other; 0 stands for 1
	Step          Steps
}

// Steps are the distances between operands of a tile and those of the next one.
type Steps struct{ A, B, C, From, Next int }

// TileRows returns how many rows a tile has at most, 0 where there are no tiles.
func TileRows() int {
	switch current {
	case AVX512:
		return 14
	case AVX2:
		return 6
	case NEON:
		return 8
	}
	return 0
}

// Lanes returns how many numbers a vector holds; there are none where there is no assembly.
func Lanes[T dtype.Float]() int {
	switch current {
	case AVX512:
		return 64 / sizeOf[T]()
	case AVX2:
		return 32 / sizeOf[T]()
	case NEON:
		return 16 / sizeOf[T]()
	}
	return 0
}

func sizeOf[T dtype.Float]() int { return int(unsafe.Sizeof(*new(T))) }

func isDouble[T dtype.Float]() bool { return sizeOf[T]() == 8 }

// TileCols returns how many columns a tile of so many rows has at most: those of a panel, and more for few rows.
func TileCols[T dtype.Float](rows int) int { return Lanes[T]() * mostVectors(rows) }

// PanelCols returns how many columns a tile of any number of rows may have: those of a packed panel.
func PanelCols[T dtype.Float]() int { return Lanes[T]() * mostVectors(TileRows()) }

// neonVectors is how many vectors a tile of so many rows has at most under NEON, which has one for each number up to that.
var neonVectors = [...]int{0, 8, 8, 6, 5, 4, 4, 3, 3}

func mostVectors(rows int) int {
	switch {
	case current == NEON:
		return neonVectors[rows]
	case rows == 1:
		return 8
	case rows == 2, rows == 3 && current == AVX512:
		return 4
	}
	return 2
}

// Run computes the tile.
func (t *Tile[T]) Run() {
	_ = t.B[t.last(t.Step.B)+(t.K-1)*t.RowB+t.Cols-1] // This fails where B is too short.
	c := t.call()
	c.next, c.rowB = pointer(t.Next, 0), t.RowB*sizeOf[T]()
	runTile[T](t.Rows, t.vectors(), unsafe.Pointer(&c))
}

// TapsAhead is how many taps are read at most beyond those of a tile: they tell which rows of B to prefetch.
const TapsAhead = 8

// RunTaps computes the tile with row l of B where B[taps[l]:] starts, as convolutions need it, and adds bias[i] to row i before
// From where bias is not nil; RowB and Next are not read. No tap is larger than last. TapsAhead more follow, of any value: their
// rows are prefetched only.
func (t *Tile[T]) RunTaps(taps []int32, last int, bias []T) {
	_, _ = taps[t.K-1+TapsAhead], t.B[t.last(t.Step.B)+last+t.Cols-1] // This fails where one is too short.
	c := t.call()
	c.taps = pointer(taps, 0)
	if bias != nil {
		_ = bias[t.Rows-1]
		c.bias = pointer(bias, 0)
	}
	runTaps[T](t.Rows, t.vectors(), unsafe.Pointer(&c))
}

// vectors returns how many vectors the micro-kernel has that computes the tile.
func (t *Tile[T]) vectors() int {
	lanes := Lanes[T]()
	vectors := (t.Cols + lanes - 1) / lanes
	if vectors > 2 && current != NEON {
		return mostVectors(t.Rows)
	}
	return vectors
}

// call returns what the assembly reads of A, C and From.
func (t *Tile[T]) call() call {
	size := sizeOf[T]()
	// These fail where an operand is too short.
	_ = t.A[t.last(t.Step.A)+(t.Rows-1)*t.RowA+(t.K-1)*t.ColA]
	if t.C != nil {
		_ = t.C[t.last(t.Step.C)+(t.Rows-1)*t.RowC+t.Cols-1]
	}
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0), mask: maskOf(t.Cols, size),
		rowA: t.RowA * size, colA: t.ColA * size, rowC: t.RowC * size,
		k: t.K, cols: t.Cols, tiles: t.Count,
		stepA: t.Step.A * size, stepB: t.Step.B * size, stepC: t.Step.C * size, stepNext: t.Step.Next * size,
	}
	if t.From != nil {
		_ = t.From[t.last(t.Step.From)+(t.Rows-1)*t.RowFrom+t.Cols-1]
		c.from, c.rowFrom, c.stepFrom = pointer(t.From, 0), t.RowFrom*size, t.Step.From*size
	}
	return c
}

// last returns where an operand of the last tile starts that moves so far from one to the next.
func (t *Tile[T]) last(step int) int { return max(t.Count-1, 0) * step }

// DotRows returns how many rows RunDot takes at most, and DotCols how many columns for that many rows.
func DotRows() int {
	if current == AVX512 {
		return 4
	}
	return 2
}

// DotCols returns how many columns RunDot takes at most for so many rows.
func DotCols(rows int) int {
	if rows == 1 {
		return 8
	}
	return 4
}

// dotCols returns how many columns the micro-kernel has that RunDot runs.
func (t *Tile[T]) dotCols() int {
	if t.Cols > 4 {
		return 8
	}
	return 4
}

// RunDot computes the tile where A is row-major and B column-major, its columns RowB apart: ColA is not read. The products of an
// element are added in as many sums as a vector has lanes, and these in pairs.
func (t *Tile[T]) RunDot() {
	size, lanes, cols := sizeOf[T](), Lanes[T](), t.dotCols()
	// These fail where an operand is too short.
	_ = t.A[t.last(t.Step.A)+(t.Rows-1)*t.RowA+t.K-1]
	_ = t.B[t.last(t.Step.B)+(t.Cols-1)*t.RowB+t.K-1]
	_ = t.C[t.last(t.Step.C)+(t.Rows-1)*t.RowC+t.Cols-1]
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0),
		mask: maskOf(t.Cols-(cols-4), size), maskK: maskOf(t.K%lanes, size),
		rowA: t.RowA * size, rowB: t.RowB * size, rowC: t.RowC * size,
		k: t.K, cols: t.Cols, tiles: t.Count, stepA: t.Step.A * size, stepB: t.Step.B * size, stepC: t.Step.C * size,
	}
	if t.From != nil {
		_ = t.From[t.last(t.Step.From)+(t.Rows-1)*t.RowFrom+t.Cols-1]
		c.from, c.rowFrom, c.stepFrom = pointer(t.From, 0), t.RowFrom*size, t.Step.From*size
	}
	runDot[T](t.Rows, cols, unsafe.Pointer(&c))
}

// masks are ones, then zeros: a mask with n lanes on starts n lanes before the middle.
var masks = func() (m [128]int32) {
	for i := range len(m) / 2 {
		m[i] = -1
	}
	return m
}()

// maskOf returns the masks of several vectors, of which the first so many elements are on.
func maskOf(elems, size int) unsafe.Pointer {
	return unsafe.Pointer(&masks[max(len(masks)/2-elems*size/4, 0)])
}

// GatherRows packs rows of up to two vectors, under NEON of any number: dst[l*rowDst+j] = src[l*rowSrc+j] for l < rows and
// j < cols. It writes anything to dst beyond cols, up to the next whole vector.
func GatherRows[T dtype.Float](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	size := sizeOf[T]()
	lanes := Lanes[T]()
	_ = src[(rows-1)*rowSrc+cols-1]
	_ = dst[(rows-1)*rowDst+(cols+lanes-1)/lanes*lanes-1]
	c := call{a: pointer(src, 0), c: pointer(dst, 0), mask: maskOf(cols, size), rowA: rowSrc * size, rowC: rowDst * size, k: rows, cols: cols}
	runGather[T](unsafe.Pointer(&c))
}
