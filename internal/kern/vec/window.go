package vec

import (
	"unsafe"

	"cresset/dtype"
)

// Windows is a call over windows of x, all of one form, in Rows rows of Cols: element l of window j in row i is
//
//	X[First+i*RowX+j*Stride+Taps[l]]
//
// and its result Y[i*RowY+j]. Taps is not empty, begins with 0 and ascends. No window is outside of X.
type Windows[T dtype.Float] struct {
	Rows, Cols  int
	X           []T
	First, RowX int
	Stride      int // at most WindowStride
	Taps        []int64
	Y           []T
	RowY        int
}

// windowFold is what becomes of a window's elements, in the order of the generator's list.
type windowFold uint8

const (
	largest windowFold = iota
	largestAt
	mean
)

// WindowStride returns how far apart windows in a row may be; there are none where there is no assembly.
func WindowStride() int {
	if TileRows() == 0 {
		return 0
	}
	return 2
}

// Largest computes the largest element of each window: the first of equal ones, the last of NaNs.
func (w *Windows[T]) Largest() { w.run(largest, nil, nil) }

// LargestAt does so and writes the index in X of each to index, which is laid out as Y.
func (w *Windows[T]) LargestAt(index []int64) { w.run(largestAt, index, nil) }

// Mean computes the sum of each window's elements, added in order from zero, over count.
func (w *Windows[T]) Mean(count T) { w.run(mean, nil, &count) }

func (w *Windows[T]) run(f windowFold, index []int64, count *T) {
	size, lanes := sizeOf[T](), Lanes[T]()
	last := w.First + (w.Rows-1)*w.RowX + (w.Cols-1)*w.Stride + int(w.Taps[len(w.Taps)-1])
	// These fail where an operand is too short.
	_, _, _ = w.X[w.First], w.X[last], w.Y[(w.Rows-1)*w.RowY+w.Cols-1]
	read := (w.Cols-1)*w.Stride + 1
	c := windowCall{
		x: pointer(w.X, w.First), y: pointer(w.Y, 0), plane: pointer(w.X, 0), taps: pointer(w.Taps, 0), count: unsafe.Pointer(count),
		low: maskOf(min(read, lanes), size), high: maskOf(min(max(read-lanes+1, 0), lanes), size),
		out: maskOf(min(w.Cols, lanes), size), outWide: maskOf(min(w.Cols, lanes), 8),
		rows: w.Rows, cols: w.Cols, tapped: len(w.Taps),
		rowX: w.RowX * size, rowY: w.RowY * size, rowI: w.RowY * 8,
	}
	if index != nil {
		_ = index[(w.Rows-1)*w.RowY+w.Cols-1]
		c.index = pointer(index, 0)
	}
	runWindows[T](f, w.Stride, unsafe.Pointer(&c))
}
