package vec

import (
	"unsafe"

	"cresset/dtype"
)

// PairMax is max-pooling by windows of three columns, two apart, in Rows rows of Cols windows, each of Lines lines. Window j of
// row i has of line l, which begins at X[First+i*RowX+l*LineX], the columns 2j-1, 2j and 2j+1. Columns from Width on do not count,
// nor, where Border holds, does the one before a line. It saves max_pool3x3 a third; windows of two columns gain nothing by it.
type PairMax[T dtype.Float] struct {
	Rows, Cols, Lines int
	X                 []T
	First             int
	RowX, LineX       int
	Width             int
	Border            bool
	Y                 []T
	RowY              int
}

// Largest computes the largest element of each window, Y[i*RowY+j], the first of equal ones. It returns false where there was a
// NaN, and then Y is of no use. Each window has an element, and only the last may extend beyond Width.
func (h *PairMax[T]) Largest() bool {
	size, lanes := sizeOf[T](), Lanes[T]()
	last := h.First + (h.Rows-1)*h.RowX + (h.Lines-1)*h.LineX + min(2*h.Cols, h.Width) - 1
	// These fail where an operand is too short.
	_, _ = h.X[last], h.Y[(h.Rows-1)*h.RowY+h.Cols-1]
	if !h.Border {
		_ = h.X[h.First-1]
	}
	whole := (h.Cols - 1) / lanes
	rest := min(h.Width, 2*h.Cols) - 2*whole*lanes
	c := pairMaxCall{
		x: pointer(h.X, h.First), y: pointer(h.Y, 0),
		low: maskOf(min(rest, lanes), size), high: maskOf(min(max(rest-lanes, 0), lanes), size), out: maskOf(h.Cols-whole*lanes, size),
		rows: h.Rows, whole: whole, lines: h.Lines,
		rowX: h.RowX * size, rowY: h.RowY * size, lineX: h.LineX * size, last: h.Cols - whole*lanes, rest: rest,
	}
	if h.Border {
		c.border = 1
	}
	runPairMax[T](unsafe.Pointer(&c))
	return c.nan == 0
}
