package vec

import (
	"slices"
	"unsafe"

	"cresset/dtype"
)

// RowTaps tell which rows each row of a result is a weighted sum of: row i has Counts[i] taps, from element i*Width of Offsets and
// Weights on. An offset counts bytes from the start of the operand; Last is the largest, in elements.
type RowTaps[T dtype.Float] struct {
	Width           int
	Counts, Offsets []int64
	Weights         []T
	Last            int
}

// OffsetBytes is what the offset of an element counts.
func OffsetBytes[T dtype.Float](element int) int64 { return int64(element * sizeOf[T]()) }

// Combine computes
//
//	y[i*rowY+j] = Σ Weights[i*Width+t] * x[Offsets[i*Width+t]+j]
//
// for so many rows i of whole vectors, whose products are rounded and added in order. Rows without taps are zero. There is assembly:
// see TileRows. Of next, which is written then, rowNext elements are prefetched with each row.
func Combine[T dtype.Float](y []T, rowY int, x []T, taps *RowTaps[T], first, rows, vectors int, next []T, rowNext int) {
	if rows <= 0 || vectors <= 0 {
		return
	}
	n := vectors * Lanes[T]()
	// These fail where an operand is too short.
	_, _ = y[(rows-1)*rowY+n-1], x[taps.Last+n-1]
	_, _, _ = taps.Counts[first+rows-1], taps.Offsets[(first+rows)*taps.Width-1], taps.Weights[(first+rows)*taps.Width-1]
	c := combineCall{
		x: pointer(x, 0), y: pointer(y, 0), taps: pointer(taps.Offsets, first*taps.Width), weights: pointer(taps.Weights, first*taps.Width),
		counts: pointer(taps.Counts, first), rows: rows, vectors: vectors,
		rowTaps: taps.Width * 8, rowWeights: taps.Width * sizeOf[T](), rowY: rowY * sizeOf[T](),
		ahead: pointer(next, 0), rowAhead: rowNext * sizeOf[T](), bytesAhead: rowNext * sizeOf[T](),
	}
	runCombine[T](unsafe.Pointer(&c))
}

// Columns are weighted sums of a row's elements for whole vectors of results, which tables describe.
type Columns[T dtype.Float] struct {
	taps    []int64
	index   []int32
	weights []T
	blocks  int
	reach   int      // elements of a row that are read, with what a vector reads beyond them
	end     int      // of the results
	rest    [][2]int // the results, from the first up to the second, that no block has
}

// NewColumns describes to results: result i is the sum of the elements places[i*width+t] times weights[i*width+t], of those t that come
// before a negative place.
func NewColumns[T dtype.Float](places []int64, weights []T, width, to int) *Columns[T] {
	lanes, taps := Lanes[T](), to*width+Lanes[T]()*width
	c := &Columns[T]{end: to, index: make([]int32, 0, taps*sizeOf[T]()/4), weights: make([]T, 0, taps)}
	for i := 0; i < to; i += max(lanes, 1) {
		switch {
		case lanes == 0 || to < lanes:
			c.rest = [][2]int{{0, to}}
			return c
		case !c.add(min(i, to-lanes), places, weights, width):
			c.rest = append(c.rest, [2]int{i, min(i+lanes, to)})
		}
	}
	return c
}

// Rest returns the results that Run leaves out: ranges, from the first up to the second.
func (c *Columns[T]) Rest() [][2]int { return c.rest }

// Reach returns how many elements Run reads of a row.
func (c *Columns[T]) Reach() int { return c.reach }

// add adds the block of results from i on, unless their taps differ in number or are too far apart for a vector.
func (c *Columns[T]) add(i int, places []int64, weights []T, width int) bool {
	lanes := Lanes[T]()
	count := tapCount(places[i*width:][:width])
	taps := []int64{OffsetBytes[T](i), int64(count)}
	index, factors, at := c.index, c.weights, make([]int64, lanes)
	reach := 0
	for t := range count {
		for l := range at {
			row := places[(i+l)*width:][:width]
			if tapCount(row) != count {
				return false
			}
			at[l] = row[t]
			factors = append(factors, weights[(i+l)*width+t])
		}
		first := slices.Min(at)
		if slices.Max(at)-first >= int64(lanes) {
			return false
		}
		taps = append(taps, OffsetBytes[T](int(first)))
		reach = max(reach, int(first)+lanes)
		for _, p := range at {
			index = appendPicks[T](index, int32(p-first))
		}
	}
	if count == 0 {
		return false
	}
	c.taps, c.index, c.weights = append(c.taps, taps...), index, factors
	c.blocks++
	c.reach = max(c.reach, reach)
	return true
}

func tapCount(row []int64) int {
	if n := slices.IndexFunc(row, func(p int64) bool { return p < 0 }); n >= 0 {
		return n
	}
	return len(row)
}

// appendPicks appends the number of an element of a vector as a permutation's instruction takes it: for each 4 bytes their number, under NEON
// the numbers of the bytes.
func appendPicks[T dtype.Float](words []int32, element int32) []int32 {
	n := int32(sizeOf[T]() / 4)
	for word := element * n; word < (element+1)*n; word++ {
		if current == NEON {
			words = append(words, word*0x04040404+0x03020100)
		} else {
			words = append(words, word)
		}
	}
	return words
}

// Run computes the results of so many rows of x.
func (c *Columns[T]) Run(y []T, rowY int, x []T, rowX, rows int) {
	if rows <= 0 || c.blocks == 0 {
		return
	}
	_, _ = y[(rows-1)*rowY+c.end-1], x[(rows-1)*rowX+c.reach-1] // These fail where an operand is too short.
	call := resampleCall{
		x: pointer(x, 0), y: pointer(y, 0), taps: pointer(c.taps, 0), index: pointer(c.index, 0), weights: pointer(c.weights, 0),
		rows: rows, blocks: c.blocks, rowX: rowX * sizeOf[T](), rowY: rowY * sizeOf[T](),
	}
	runResample[T](unsafe.Pointer(&call))
}
