package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A band is rows of windows of one plane whose windows cover the same number of lines of x.
type band struct{ rows, first, line, lines int }

// bands returns the plane's bands where windows are two or three columns wide and two apart, the usual max-pooling, which
// vec.PairMax computes border included; it returns nil for others.
func (s *PoolShape) bands() (all []band) {
	pairs := s.S == 2 && s.PadW == 0 || s.S == 3 && s.PadW <= 1
	if !pairs || s.StrideW != 2 || s.DilationW != 1 || vec.WindowStride() < 2 || s.PadH > s.R || s.W*s.R > mostPatch {
		return nil
	}
	for _, r := range reaches(s.OH, s.StrideH, s.PadH, s.R, s.DilationH, s.H, false) {
		if r.taps == 0 {
			return nil
		}
		most := max(mostPatch/(s.W*r.taps), 1)
		for i := 0; i < r.n; i += most {
			all = append(all, band{min(most, r.n-i), r.first + i, r.at + i*s.StrideH, r.taps})
		}
	}
	return all
}

// maxBands is maxPlane without an index, by bands. It returns false where there was a NaN, and then y is of no use.
func maxBands[T dtype.Float](s *PoolShape, bands []band, x, y []T) bool {
	middle := s.S - 2 - s.PadW // the first pair's place; the column before it belongs to windows of three
	for _, b := range bands {
		h := vec.PairMax[T]{
			Rows: b.rows, Cols: s.OW, Lines: b.lines,
			X: x, First: b.line*s.W + middle, RowX: s.StrideH * s.W, LineX: s.DilationH * s.W, Width: s.W - middle,
			Before: s.S == 3, Border: s.PadW == 1,
			Y: y[b.first*s.OW:], RowY: s.OW,
		}
		if !h.Largest() {
			return false
		}
	}
	return true
}
