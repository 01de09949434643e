package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A band is rows of windows of one plane whose windows cover the same number of lines of x.
type band struct{ rows, first, line, lines int }

// bands returns the plane's bands where windows are three columns wide and two apart, which vec.PairMax computes border included,
// in half the time of max_pool3x3/32x64x56x56; it returns nil for others.
func (s *PoolShape) bands() (all []band) {
	if s.S != 3 || s.PadW > 1 || s.StrideW != 2 || s.DilationW != 1 || vec.WindowStride() < 2 || s.PadH > s.R || s.W*s.R > mostPatch || s.OW*2+1 > s.W+2*s.PadW {
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
	middle := 1 - s.PadW // the place of the first window's second column
	for _, b := range bands {
		h := vec.PairMax[T]{
			Rows: b.rows, Cols: s.OW, Lines: b.lines,
			X: x, First: b.line*s.W + middle, RowX: s.StrideH * s.W, LineX: s.DilationH * s.W, Width: s.W - middle,
			Border: s.PadW == 1,
			Y:      y[b.first*s.OW:], RowY: s.OW,
		}
		if !h.Largest() {
			return false
		}
	}
	return true
}
