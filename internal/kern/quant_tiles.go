package kern

import (
	"unsafe"

	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// How an int8 weight meets many rows of x on AMX, as Cᵀ = W·Xᵀ: 32 rows of the weight are read where they are, 64 bytes of each a step, and meet 32 columns, 16 rows of x in one of
// their digits beside 16 others. Digits are packed once, four of a row that follow each other as a word. Sums are int32, and exact, so that results have the bits of vec.Int8Rows.
//
// A step of 32 rows and 32 columns has 4 TDPBSSD for the 1024 VPDPBUSD of vec.Int8Rows, 64 cycles for 512. It takes about 110, since a tile comes from the second cache level in 21.
// Weights that are packed too, or prefetched from memory, take no less with what that costs, nor do blocks of 8 or 32 steps.

const (
	minTiledRows  = 4       // rows of x that pay for packing: of 512x512 a fifth with four, of 4096x4096 a quarter
	maxTiledRows  = 128     // of the weight, whose sums with all columns are made before what they stand for is
	tiledRowBytes = 1 << 18 // of those rows, which are read for each panel from the second cache level
)

// A tiledInt8 is an Int8Linear with its packed digits: half h has digit h%Digits of the rows of x from 16*(h/Digits) on.
type tiledInt8 struct {
	Int8Linear
	halves int
	panel  int       // words of two halves
	packed []float32 // panels, [16*steps, 32] of words
}

// tiled reports whether the product runs on AMX.
func (p Int8Linear) tiled() bool {
	if !vec.HasByteTiles() || p.X.M < minTiledRows || p.X.K < vec.QuantBlock || p.X.K > vec.QuantSteps {
		return false
	}
	t := p.onTiles()
	return ceilDiv(t.halves, 2)*t.panel <= maxScratch
}

func (p Int8Linear) onTiles() tiledInt8 {
	return tiledInt8{Int8Linear: p, halves: ceilDiv(p.X.M, vec.ByteCols) * p.X.Digits, panel: FixedRow(p.X.K) / 4 * vec.AMXCols}
}

// runTiles computes y.
func (p Int8Linear) runTiles(split splitter) {
	t := p.onTiles()
	space := newScratch[float32](ceilDiv(t.halves, 2) * t.panel)
	defer space.release()
	t.packed = space.data
	split(t.halves, grainOf(4*t.panel), t.pack)
	rows := max(vec.AMXRows, min(maxTiledRows, tiledRowBytes/p.X.K/vec.AMXRows*vec.AMXRows))
	for rows > vec.AMXRows && ceilDiv(p.N, rows) < 2*par.NumThreads() {
		rows = ceilDiv(rows/2, vec.AMXRows) * vec.AMXRows
	}
	flops := 2 * rows * vec.ByteCols * t.halves * p.X.K
	split(ceilDiv(p.N, rows), max(1, amxPieceFlops/flops), func(lo, hi int) {
		n := (rows + 1) * vec.AMXCols * ceilDiv(t.halves, 2)
		space := newScratch[float32](n + rows*vec.ByteCols)
		defer space.release()
		for i := lo; i < hi; i++ {
			t.rows(i*rows, min((i+1)*rows, p.N), asInts(space.data[:n]), space.data[n:])
		}
	})
}

// pack copies the digits of halves.
func (t *tiledInt8) pack(lo, hi int) {
	x, row := asWords(t.X.X), FixedRow(t.X.K)/4
	for h := lo; h < hi; h++ {
		first := h / t.X.Digits * vec.ByteCols
		to := t.packed[h/2*t.panel+h%2*vec.ByteCols:]
		vec.Transpose(to, vec.AMXCols, x[(first*t.X.Digits+h%t.X.Digits)*row:], t.X.Digits*row, min(vec.ByteCols, t.X.M-first), row)
	}
}

// rows computes rows of the weight; y is room for their results with 16 rows of x.
func (t *tiledInt8) rows(lo, hi int, sums []int32, y []float32) {
	apart := (hi - lo + 1) * vec.AMXCols
	for n := range ceilDiv(t.halves, 2) {
		t.multiply(lo, hi, t.packed[n*t.panel:], sums[n*apart:][:apart])
	}
	r := vec.ByteResults{Rows: hi - lo, Step: new([vec.ByteCols]float64), Scale: t.Scale[lo:hi], Y: y}
	if t.Bias != nil {
		r.Bias = t.Bias[lo:hi]
	}
	for first := 0; first < t.X.M; first += vec.ByteCols {
		cols := copy(r.Step[:], t.X.Step[first:])
		for d := range t.X.Digits {
			h := first/vec.ByteCols*t.X.Digits + d
			r.Sums[d] = sums[h/2*apart+h%2*vec.ByteCols:]
		}
		r.Run()
		t.store(first, lo, hi, cols, y)
	}
}

// multiply computes the sums of rows of the weight with a panel, a block of k after the other: what the first cache level holds of the panel meets all rows.
func (t *tiledInt8) multiply(lo, hi int, panel []float32, sums []int32) {
	k := t.X.K
	tile := vec.ByteTile{RowA: k}
	run := func(at, l, steps int) { // steps from step l on, whose bytes begin at one of each row
		tile.K, tile.B, tile.Fresh = steps, panel[l*vec.ByteSteps/4*vec.AMXCols:], l == 0
		for i := lo; i < hi; i += tile.Count * tile.Rows {
			tile.Rows = min(hi-i, vec.AMXRows)
			tile.Count = (hi - i) / tile.Rows
			tile.A, tile.Sums = t.W[i*k+at:], sums[(i-lo)*vec.AMXCols:]
			tile.Run()
		}
	}
	whole := k / vec.ByteSteps
	for l := 0; l < whole; l += amxBlock {
		run(l*vec.ByteSteps, l, min(amxBlock, whole-l))
	}
	if k%vec.ByteSteps > 0 { // the last bytes, some of which meet the zeros before the last digits
		run(k-vec.ByteSteps, whole, 1)
	}
}

// store writes results of rows of the weight with up to 16 rows of x.
func (t *tiledInt8) store(first, lo, hi, cols int, y []float32) {
	const square = vec.ByteCols * vec.ByteCols
	squares := vec.Transposes[float32]{Count: (hi - lo) / vec.ByteCols, Rows: vec.ByteCols, Cols: cols, RowDst: t.N, RowSrc: vec.ByteCols, StepDst: vec.ByteCols, StepSrc: square}
	if squares.Count > 0 {
		squares.Dst, squares.Src = t.Y[first*t.N+lo:], y
		squares.Run()
	}
	for l := squares.Count * vec.ByteCols; l < hi-lo; l++ {
		for i, v := range y[l*vec.ByteCols:][:cols] {
			t.Y[(first+i)*t.N+lo+l] = v
		}
	}
}

// asInts returns the same memory as whole numbers, and asWords bytes as words, whose bits nobody computes with.
func asInts(x []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func asWords(x []int8) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/4) // rows begin at cache lines
}

// asBytes returns words as the bytes that they were made of.
func asBytes(x []float32) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x)) // a word has room for four
}
