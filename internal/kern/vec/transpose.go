package vec

import (
	"unsafe"

	"cresset/dtype"
)

// Transpose packs columns: dst[l*rowDst+i] = src[i*rowSrc+l] for i < rows, at most one vector, and l < cols. It writes
// anything to dst beyond rows, up to a whole vector.
func Transpose[T dtype.Float](dst []T, rowDst int, src []T, rowSrc, rows, cols int) {
	t := Transposes[T]{Count: 1, Rows: rows, Cols: cols, Dst: dst, RowDst: rowDst, Src: src, RowSrc: rowSrc}
	t.Run()
}

// Transposes are calls of Transpose whose operands are StepDst and StepSrc further each time.
type Transposes[T dtype.Float] struct {
	Count, Rows, Cols int
	Dst, Src          []T
	RowDst, RowSrc    int
	StepDst, StepSrc  int
}

// Run makes the calls.
func (t *Transposes[T]) Run() {
	size := sizeOf[T]()
	lanes := Lanes[T]()
	dst, src := (t.Count-1)*t.StepDst, (t.Count-1)*t.StepSrc
	whole := t.Cols &^ (lanes - 1)
	if whole == 0 {
		t.each()
		return
	}
	_ = t.Src[src+(t.Rows-1)*t.RowSrc+t.Cols-1]
	_ = t.Dst[dst+(t.Cols-1)*t.RowDst+lanes-1]
	c := call{a: pointer(t.Src, 0), c: pointer(t.Dst, 0), rowA: t.RowSrc * size, rowC: t.RowDst * size, k: whole, cols: t.Rows,
		tiles: t.Count, stepA: t.StepSrc * size, stepC: t.StepDst * size}
	runTranspose[T](unsafe.Pointer(&c))
	if whole < t.Cols { // the last square overlaps the one before
		c.a, c.c, c.k, c.tiles = pointer(t.Src, t.Cols-lanes), pointer(t.Dst, (t.Cols-lanes)*t.RowDst), lanes, t.Count
		runTranspose[T](unsafe.Pointer(&c))
	}
}

// each makes the calls in Go.
func (t *Transposes[T]) each() {
	for n := range t.Count {
		dst, src := t.Dst[n*t.StepDst:], t.Src[n*t.StepSrc:]
		for l := range t.Cols {
			for i := range t.Rows {
				dst[l*t.RowDst+i] = src[i*t.RowSrc+l]
			}
		}
	}
}
