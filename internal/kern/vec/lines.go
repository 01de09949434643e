package vec

import (
	"unsafe"

	"cresset/dtype"
)

// Lines are rows of planes of X copied to Y, between zeros: element j of row i of plane p becomes
//
//	X[p*PlaneX+i*RowX+(j-Zeros)*Stride]
//
// for Cols columns from Zeros on, and zero for the others of Width; X is not read where there are none. There is at least
// one plane, one row and one column.
type Lines[T dtype.Float] struct {
	Planes, Rows       int
	Zeros, Cols, Width int
	X                  []T
	PlaneX, RowX       int
	Stride             int
	Y                  []T
	PlaneY, RowY       int
}

const (
	maxLineStride = 2       // the largest that assembly copies with
	maxLineWidth  = 1 << 16 // the longest line of one call, since Go cannot preempt assembly
	rowsAhead     = 8       // the prefetch distance in rows; where planes have few, it is that of planes
)

// Copy copies the rows.
func (l *Lines[T]) Copy() {
	size, lanes := sizeOf[T](), Lanes[T]()
	rest := l.Width - l.Zeros - l.Cols
	// These fail where an operand is too short.
	_ = l.Y[(l.Planes-1)*l.PlaneY+(l.Rows-1)*l.RowY+l.Width-1]
	if l.Cols > 0 {
		_ = l.X[(l.Planes-1)*l.PlaneX+(l.Rows-1)*l.RowX+(l.Cols-1)*l.Stride]
	}
	if lanes == 0 || l.Width > maxLineWidth || l.Cols > 0 && l.Stride > maxLineStride {
		l.pick()
		return
	}
	part := l.Cols % lanes
	read := max((part-1)*l.Stride+1, 0)
	c := linesCall{
		x: pointer(l.X, 0), y: pointer(l.Y, 0),
		low: maskOf(min(read, lanes), size), high: maskOf(min(max(read-lanes+1, 0), lanes), size), out: maskOf(part, size),
		before: maskOf(l.Zeros%lanes, size), behind: maskOf(rest%lanes, size),
		rows: l.Rows, rowX: l.RowX * size, rowY: l.RowY * size, zeros: l.Zeros, cols: l.Cols, rest: rest,
		planes: l.Planes, planeX: l.PlaneX * size, planeY: l.PlaneY * size, ahead: rowsAhead * l.RowX * size,
	}
	if l.Rows < 2*rowsAhead {
		c.ahead = c.planeX
	}
	runLines[T](min(l.Stride, maxLineStride), unsafe.Pointer(&c))
}

// pick copies the rows in Go.
func (l *Lines[T]) pick() {
	for p := range l.Planes {
		for i := range l.Rows {
			y := l.Y[p*l.PlaneY+i*l.RowY:][:l.Width]
			clear(y[:l.Zeros])
			clear(y[l.Zeros+l.Cols:])
			if l.Cols == 0 {
				continue
			}
			x := l.X[p*l.PlaneX+i*l.RowX:]
			if l.Stride == 1 {
				copy(y[l.Zeros:][:l.Cols], x)
				continue
			}
			for j := range l.Cols {
				y[l.Zeros+j] = x[j*l.Stride]
			}
		}
	}
}
