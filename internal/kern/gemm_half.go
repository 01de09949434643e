package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

const (
	// thinRows bounds the rows of A for which B is widened as it is read, a block of it for one row after the other.
	thinRows = 8
	// thinSteps bounds the steps of k, and thinElems is about how many elements of contiguous columns are a block.
	thinSteps, thinElems = 1 << 16, 1 << 15
)

// GemmHalf computes C = A·B of half types, with a bias for each column unless that is nil, where A has few rows, and reports whether it did. The sums are of
// float32, and are rounded once. gpt2_decode/bfloat16 takes two fifths of the time so.
func GemmHalf[H Half](m, n, k int, a, b Matrix[H], bias, c []H, ldc int) bool {
	if !vec.HasHalves() || m == 0 || n == 0 || k < minDotSteps || k > thinSteps {
		return false
	}
	blocks := takesBlocks(m, k, a, b)
	if !blocks && (m > thinRows || b.Row != 1 && (b.Col != 1 || n%vec.HalfStreamUnit > 0)) {
		return false
	}
	if dtype.Of[H]() == dtype.BFloat16 && (m >= minTurnedRows && b.Row == 1 && k%vec.AMXSteps == 0 && takesAMX(m, n, k) || takesPairDots(m, n, k, a.Col, b.Row)) {
		return false // GemmBF16 is faster
	}
	space := newScratch[float32](m * k)
	defer space.release()
	for i := range m {
		if a.Col == 1 {
			widen(space.data[i*k:][:k], a.Data[i*a.Row:])
			continue
		}
		for l := range k {
			widen(space.data[i*k+l:][:1], a.Data[i*a.Row+l*a.Col:])
		}
	}
	t := thin[H]{m: m, n: n, k: k, a: space.data, b: b, bias: bias, c: c, ldc: ldc}
	part, compute := vec.HalfStreamCols(), t.streams
	switch {
	case blocks:
		compute = t.blocks
	case b.Row == 1:
		part, compute = vec.HalfDotCols, t.dots
	}
	part = min(ceilDiv(ceilDiv(n, par.NumThreads()), part)*part, maxScratch/max(thinRows, m))
	par.For(ceilDiv(n, part), grainOf(2*m*k*part), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			compute(i*part, min((i+1)*part, n))
		}
	})
	return true
}

// thin is a product of few rows of A, which is widened and contiguous.
type thin[H Half] struct {
	m, n, k int
	a       []float32
	b       Matrix[H]
	bias, c []H
	ldc     int
}

// dots computes some columns of C from contiguous columns of B.
func (t *thin[H]) dots(col, colEnd int) {
	cols := colEnd - col
	sums := newScratch[float32](t.m * cols)
	defer sums.release()
	tile := vec.HalfTile[H]{K: t.k, RowB: t.b.Col, Step: vec.Steps{B: vec.HalfDotCols * t.b.Col, C: vec.HalfDotCols}}
	most := max(1, thinElems/t.k/vec.HalfDotCols)
	for j := 0; j < cols; j += tile.Count * vec.HalfDotCols {
		tile.Cols, tile.Count = min(vec.HalfDotCols, cols-j), max(1, min(most, (cols-j)/vec.HalfDotCols))
		tile.B = t.b.Data[(col+j)*t.b.Col:]
		for i := range t.m {
			tile.A, tile.C = t.a[i*t.k:][:t.k], sums.data[i*cols+j:]
			tile.RunDots()
		}
	}
	t.finish(sums.data, col, cols)
}

// streams computes some columns of C from contiguous rows of B.
func (t *thin[H]) streams(col, colEnd int) {
	cols := colEnd - col
	sums := newScratch[float32](t.m * cols)
	defer sums.release()
	width := vec.HalfStreamCols()
	tile := vec.HalfTile[H]{RowB: t.b.Row, Step: vec.Steps{B: width, C: width, Next: width}}
	for k := 0; k < t.k; k += streamSteps {
		tile.K, tile.Add = min(streamSteps, t.k-k), k > 0
		for j := 0; j < cols; j += tile.Count * width {
			tile.Cols, tile.Count = min(width, cols-j), max(1, (cols-j)/width)
			tile.B = t.b.Data[k*t.b.Row+col+j:]
			tile.Next = t.b.Data[min((k+tile.K)*t.b.Row+col+j, len(t.b.Data)-1):]
			for i := range t.m {
				tile.A, tile.C = t.a[i*t.k+k:][:tile.K], sums.data[i*cols+j:]
				tile.RunStreams()
			}
		}
	}
	t.finish(sums.data, col, cols)
}

// finish rounds sums of columns from col on, and the bias.
func (t *thin[H]) finish(sums []float32, col, cols int) {
	var bias *scratch[float32]
	if t.bias != nil {
		bias = newScratch[float32](cols)
		defer bias.release()
		widen(bias.data, t.bias[col:])
	}
	for i := range t.m {
		row := sums[i*cols:][:cols]
		if bias != nil {
			Add(row, row, bias.data)
		}
		narrow(t.c[i*t.ldc+col:][:cols], row)
	}
}

// widen converts as many elements as dst has.
func widen[H Half](dst []float32, src []H) {
	src = src[:len(dst)]
	Cast(dtype.Float32, dtype.Of[H]())(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(dst)) // both have so many
}

// narrow rounds all elements of src.
func narrow[H Half](dst []H, src []float32) {
	dst = dst[:len(src)]
	Cast(dtype.Of[H](), dtype.Float32)(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)) // both have so many
}
