package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

const (
	maxBlockRows  = 96      // of A, beyond which the conversion of all of B is a small part of the time
	dotBlockElems = 1 << 13 // of B, about the first cache level, for dot products
	rowBlockElems = 1 << 17 // of B, about the second, where rows of a block ought to be long
)

// takesBlocks reports whether GemmHalf widens some columns of B at a time, where AVX2 would do so for each of several rows of A, or for all of B before it begins, as AVX-512
// would for float16: linear_bf16/8x1024x1024 takes a quarter less time so, and 64x1024x1024 of float16 under AVX-512 half.
func takesBlocks[H Half](m, k int, a, b Matrix[H]) bool {
	if m > maxBlockRows || m*k > maxScratch || a.Col != 1 {
		return false
	}
	if !vec.SmallCaches() {
		return dtype.Of[H]() == dtype.Float16 && m > thinRows && (b.Row == 1 || b.Col == 1)
	}
	return b.Row == 1 && m > 1 || b.Col == 1 && m > thinRows/2
}

// blocks computes some columns of C from fewer at a time, which are widened into a cache that the products of all rows of A then read.
func (t *thin[H]) blocks(col, colEnd int) {
	cols := colEnd - col
	p := product[float32]{m: t.m, k: t.k, alpha: 1, a: Matrix[float32]{t.a, t.k, 1}, b: Matrix[float32]{Row: 1, Col: t.k}, ldc: cols}
	elems := rowBlockElems
	if t.b.Row == 1 && p.dots() {
		elems = dotBlockElems
	}
	width := min(max(vec.HalfDotCols, elems/t.k/vec.HalfDotCols*vec.HalfDotCols), cols)
	if t.b.Row != 1 {
		p.b.Row, p.b.Col = width, 1
	}
	sums, space := newScratch[float32](t.m*cols), newScratch[float32](t.k*width)
	defer sums.release()
	defer space.release()
	p.b.Data = space.data
	for j := 0; j < cols; j += width {
		p.n, p.c = min(width, cols-j), sums.data[j:]
		t.widenBlock(space.data, col+j, p.n, width)
		p.run(inline)
	}
	t.finish(sums.data, col, cols)
}

// widenBlock widens columns of B from col on, as rows that are so far apart or as columns.
func (t *thin[H]) widenBlock(dst []float32, col, cols, row int) {
	if t.b.Row == 1 {
		for j := range cols {
			widen(dst[j*t.k:][:t.k], t.b.Data[(col+j)*t.b.Col:])
		}
		return
	}
	for l := range t.k {
		widen(dst[l*row:][:cols], t.b.Data[l*t.b.Row+col:])
	}
}
