package vec

import (
	"unsafe"

	"cresset/dtype"
)

// A Tile is a call of a micro-kernel, which computes
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
	Next          []T // what will be needed next, not nil: K lines of 16 bytes are brought closer
}

// call is a Tile as the assembly reads it: distances in bytes.
type call struct {
	a, b, c, from, next             unsafe.Pointer
	mask                            unsafe.Pointer
	rowA, colA, rowB, rowC, rowFrom int
	k, cols                         int
	maskK, taps                     unsafe.Pointer
}

// TileRows returns how many rows a tile has at most, 0 where there are no tiles.
func TileRows() int {
	switch current {
	case AVX512:
		return 14
	case AVX2:
		return 6
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
	}
	return 0
}

func sizeOf[T dtype.Float]() int { return int(unsafe.Sizeof(*new(T))) }

// TileCols returns how many columns a tile of so many rows has at most: two vectors, and more for few rows.
func TileCols[T dtype.Float](rows int) int { return Lanes[T]() * mostVectors(rows) }

func mostVectors(rows int) int {
	switch {
	case rows == 1:
		return 8
	case rows == 2, rows == 3 && current == AVX512:
		return 4
	}
	return 2
}

// Run computes the tile.
func (t *Tile[T]) Run() {
	size := sizeOf[T]()
	lanes := Lanes[T]()
	vectors := 1
	if t.Cols > lanes {
		vectors = 2
		if t.Cols > 2*lanes {
			vectors = mostVectors(t.Rows)
		}
	}
	// These fail where an operand is too short.
	_ = t.A[(t.Rows-1)*t.RowA+(t.K-1)*t.ColA]
	_ = t.B[(t.K-1)*t.RowB+t.Cols-1]
	_ = t.C[(t.Rows-1)*t.RowC+t.Cols-1]
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0), next: pointer(t.Next, 0), mask: maskOf(t.Cols, size),
		rowA: t.RowA * size, colA: t.ColA * size, rowB: t.RowB * size, rowC: t.RowC * size,
		k: t.K, cols: t.Cols,
	}
	if t.From != nil {
		_ = t.From[(t.Rows-1)*t.RowFrom+t.Cols-1]
		c.from, c.rowFrom = pointer(t.From, 0), t.RowFrom*size
	}
	runTile[T](t.Rows, vectors, unsafe.Pointer(&c))
}

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

// RunDot computes the tile where A lies in rows and B in columns, RowB apart: ColA is not read. The products of an
// element are added in as many sums as a vector has lanes, and these in pairs.
func (t *Tile[T]) RunDot() {
	size, lanes := sizeOf[T](), Lanes[T]()
	cols := 4
	if t.Cols > cols {
		cols = 8
	}
	// These fail where an operand is too short.
	_ = t.A[(t.Rows-1)*t.RowA+t.K-1]
	_ = t.B[(t.Cols-1)*t.RowB+t.K-1]
	_ = t.C[(t.Rows-1)*t.RowC+t.Cols-1]
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0),
		mask: maskOf(t.Cols-(cols-4), size), maskK: maskOf(t.K%lanes, size),
		rowA: t.RowA * size, rowB: t.RowB * size, rowC: t.RowC * size,
		k: t.K, cols: t.Cols,
	}
	if t.From != nil {
		_ = t.From[(t.Rows-1)*t.RowFrom+t.Cols-1]
		c.from, c.rowFrom = pointer(t.From, 0), t.RowFrom*size
	}
	runDot[T](t.Rows, cols, unsafe.Pointer(&c))
}

// RunTaps computes the tile, of two whole vectors, with row l of B where B[taps[l]:] starts; RowB is not read. The last
// tap is the largest.
func (t *Tile[T]) RunTaps(taps []int32) {
	size, cols := sizeOf[T](), 2*Lanes[T]()
	// These fail where an operand is too short.
	_ = t.A[(t.Rows-1)*t.RowA+(t.K-1)*t.ColA]
	_ = t.B[int(taps[t.K-1])+cols-1]
	_ = t.C[(t.Rows-1)*t.RowC+cols-1]
	c := call{
		a: pointer(t.A, 0), b: pointer(t.B, 0), c: pointer(t.C, 0), taps: pointer(taps, 0),
		rowA: t.RowA * size, colA: t.ColA * size, rowC: t.RowC * size, k: t.K,
	}
	if t.From != nil {
		_ = t.From[(t.Rows-1)*t.RowFrom+cols-1]
		c.from, c.rowFrom = pointer(t.From, 0), t.RowFrom*size
	}
	runTaps[T](t.Rows, unsafe.Pointer(&c))
}

// masks are lanes that are on, then lanes that are off: a mask of n lanes starts n before the middle.
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

// GatherRows copies rows of up to two vectors: dst[l*rowDst+j] = src[l*rowSrc+j] for l < rows and j < cols. It writes
// anything to dst behind cols, up to the next whole vector.
func GatherRows[T dtype.Float](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	size := sizeOf[T]()
	lanes := Lanes[T]()
	_ = src[(rows-1)*rowSrc+cols-1]
	_ = dst[(rows-1)*rowDst+(cols+lanes-1)/lanes*lanes-1]
	c := call{a: pointer(src, 0), c: pointer(dst, 0), mask: maskOf(cols, size), rowA: rowSrc * size, rowC: rowDst * size, k: rows, cols: cols}
	runGather[T](unsafe.Pointer(&c))
}

// Transpose copies columns: dst[l*rowDst+i] = src[i*rowSrc+l] for i < rows, at most one vector, and l < cols. It writes
// anything to dst behind rows, up to a whole vector.
func Transpose[T dtype.Float](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	size := sizeOf[T]()
	lanes := Lanes[T]()
	whole := cols &^ (lanes - 1)
	if whole == 0 {
		for l := range cols {
			for i := range rows {
				dst[l*rowDst+i] = src[i*rowSrc+l]
			}
		}
		return
	}
	_ = src[(rows-1)*rowSrc+cols-1]
	_ = dst[(cols-1)*rowDst+lanes-1]
	c := call{a: pointer(src, 0), c: pointer(dst, 0), rowA: rowSrc * size, rowC: rowDst * size, k: whole, cols: rows}
	runTranspose[T](unsafe.Pointer(&c))
	if whole < cols { // the last square overlaps the one before
		c.a, c.c, c.k = pointer(src, cols-lanes), pointer(dst, (cols-lanes)*rowDst), lanes
		runTranspose[T](unsafe.Pointer(&c))
	}
}
