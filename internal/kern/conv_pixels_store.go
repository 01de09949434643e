package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// planes are those of some outputs that sums of pixels go to: from an element on, with distances of planes and of lines.
type planes[T dtype.Float] struct {
	at         []T
	plane, row int
}

// pixelLines are lines of sums of some outputs, those of a pixel beside each other in a row of some width. From a line to the next there are so many rows.
type pixelLines[T dtype.Float] struct {
	lines, cols, pitch int
	outputs, width     int
}

// store transposes sums to their planes. Working memory is for as many as there are.
func (s *pixelLines[T]) store(y planes[T], sums, space []T) {
	lanes := vec.Lanes[T]()
	if s.pitch == s.cols && y.row == s.cols {
		s.lines, s.cols = 1, s.lines*s.cols
	}
	if s.cols < lanes || s.outputs < lanes {
		s.storeNarrow(y, sums, space)
	} else {
		t := vec.Transposes[T]{Rows: lanes, Cols: s.outputs, RowDst: y.plane, RowSrc: s.width, StepDst: lanes, StepSrc: lanes * s.width}
		for l := range s.lines {
			t.Dst, t.Src, t.Count = y.at[l*y.row:], sums[l*s.pitch*s.width:], s.cols/lanes
			t.Run()
			if s.cols%lanes > 0 { // the last square overlaps the one before
				t.Dst, t.Src, t.Count = t.Dst[s.cols-lanes:], t.Src[(s.cols-lanes)*s.width:], 1
				t.Run()
			}
		}
	}
}

// epilogue applies an op to what is stored.
func (s *pixelLines[T]) epilogue(y planes[T], then op.Op) {
	lines, cols := s.lines, s.cols
	if y.row == cols {
		lines, cols = 1, lines*cols
	}
	for l := range lines {
		epilogue(then, y.at[l*y.row:], s.outputs, cols, y.plane)
	}
}

// storeNarrow stores less than a vector by way of transposed sums.
func (s *pixelLines[T]) storeNarrow(y planes[T], sums, space []T) {
	lanes := vec.Lanes[T]()
	count := ceilDiv((s.lines-1)*s.pitch+s.cols, lanes)
	t := vec.Transposes[T]{Count: count, Rows: lanes, Cols: s.width, Dst: space, RowDst: count * lanes, Src: sums, RowSrc: s.width, StepDst: lanes, StepSrc: lanes * s.width}
	t.Run()
	v := vec.Lines[T]{Planes: s.outputs, Rows: s.lines, Cols: s.cols, Width: s.cols, X: space, PlaneX: count * lanes, RowX: s.pitch, Stride: 1,
		Y: y.at, PlaneY: y.plane, RowY: y.row}
	v.Copy()
}
