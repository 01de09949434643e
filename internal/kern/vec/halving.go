package vec

import (
	"unsafe"

	"cresset/dtype"
)

// Halving is a call over windows two columns apart, in Rows rows of Cols, each of Lines lines. The window j of row i takes of
// line l, which begins at X[First+i*RowX+l*LineX], the columns 2j and 2j+1 and, where Before holds, 2j-1. Columns from
// Width on are not there, nor where Border holds is the one before a line.
type Halving[T dtype.Float] struct {
	Rows, Cols, Lines int
	X                 []T
	First             int
	RowX, LineX       int
	Width             int
	Before, Border    bool
	Y                 []T
	RowY              int
}

// Largest computes the largest element of each window, Y[i*RowY+j], the first of equal ones. It returns false where it met
// NaN, and then Y is of no use. No window may be without elements, nor end before Width but for the last.
func (h *Halving[T]) Largest() bool {
	size, lanes := sizeOf[T](), Lanes[T]()
	last := h.First + (h.Rows-1)*h.RowX + (h.Lines-1)*h.LineX + min(2*h.Cols, h.Width) - 1
	// These fail where an operand is too short.
	_, _ = h.X[last], h.Y[(h.Rows-1)*h.RowY+h.Cols-1]
	if h.Before && !h.Border {
		_ = h.X[h.First-1]
	}
	whole := (h.Cols - 1) / lanes
	rest := min(h.Width, 2*h.Cols) - 2*whole*lanes
	c := halvingCall{
		x: pointer(h.X, h.First), y: pointer(h.Y, 0),
		low: maskOf(min(rest, lanes), size), high: maskOf(min(max(rest-lanes, 0), lanes), size), out: maskOf(h.Cols-whole*lanes, size),
		rows: h.Rows, whole: whole, lines: h.Lines,
		rowX: h.RowX * size, rowY: h.RowY * size, lineX: h.LineX * size, last: h.Cols - whole*lanes, rest: rest,
	}
	form := 0 // in the order of the generator's list
	if h.Before {
		form = 1
	}
	if h.Border {
		c.border = 1
	}
	runHalving[T](form, unsafe.Pointer(&c))
	return c.nan == 0
}
