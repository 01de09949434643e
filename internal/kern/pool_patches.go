package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Vectors compute many windows at once if all have the same form: those that padding does not clip are one patch of a plane, and
// each column or row of windows at its border is another.

// A patch is windows of one form in a plane.
type patch struct {
	rows, cols int     // of windows
	first      int     // index of the first element of the first in a plane of x
	y          int     // index of the first result in a plane of y
	taps       []int64 // offsets of the elements of a window from its first; empty where all is padding
	count      int     // what a window's elements count for in a mean
}

const (
	mostTaps  = 256     // elements of a window that a patch may have
	mostPatch = 1 << 16 // elements that a patch visits: Go cannot stop a goroutine inside assembly
)

// A reach is consecutive windows along an axis that are clipped in the same way.
type reach struct {
	first, n int // windows
	at       int // index of the first window's first element
	taps     int // elements of a window
	count    int // what they count for in a mean
}

// reaches cuts the windows of an axis of n elements into those that are inside and those at its ends.
func reaches(out, stride, pad, length, dilation, n int, countPad bool) (all []reach) {
	one := func(i int) {
		start := i*stride - pad
		lo, hi := span(start, length, dilation, n)
		w := reach{first: i, n: 1, at: lo, taps: max(ceilDiv(hi-lo, dilation), 0)}
		w.count = w.taps
		if countPad {
			w.count = min(start+length, n+pad) - start
		}
		all = append(all, w)
	}
	inside := min(ceilDiv(pad, stride), out)
	end := inside
	if room := n + pad - (length-1)*dilation - 1; room >= 0 {
		end = max(min(room/stride+1, out), inside)
	}
	for i := range inside {
		one(i)
	}
	if inside < end {
		all = append(all, reach{inside, end - inside, inside*stride - pad, length, length})
	}
	for i := end; i < out; i++ {
		one(i)
	}
	return all
}

// patches returns a plane's patches, or nil where vectors do not help.
func (s *PoolShape) patches(by Counts) (all []patch) {
	if s.Planes == 0 || s.StrideW > vec.WindowStride() || s.R*s.S > mostTaps || s.H*s.W >= 1<<31 || s.PadH > s.R || s.PadW > s.S {
		return nil
	}
	rows := reaches(s.OH, s.StrideH, s.PadH, s.R, s.DilationH, s.H, by.Padding)
	cols := reaches(s.OW, s.StrideW, s.PadW, s.S, s.DilationW, s.W, by.Padding)
	taps := make([][]int64, s.S+1)
	for _, c := range cols {
		if taps[c.taps] == nil {
			taps[c.taps] = s.taps(c.taps)
		}
		for _, r := range rows {
			whole := patch{r.n, c.n, r.at*s.W + c.at, r.first*s.OW + c.first, taps[c.taps][:r.taps*c.taps], r.count * c.count}
			if by.All != 0 {
				whole.count = by.All
			}
			all = s.cut(all, whole)
		}
	}
	return all
}

// taps returns the offsets of the elements of a window of so many columns, in order.
func (s *PoolShape) taps(cols int) []int64 {
	taps := make([]int64, 0, s.R*cols)
	for r := range s.R {
		for c := range cols {
			taps = append(taps, int64(r*s.DilationH*s.W+c*s.DilationW))
		}
	}
	return taps
}

// cut adds the patch in parts that are not too large.
func (s *PoolShape) cut(all []patch, b patch) []patch {
	cols := max(mostPatch/max(len(b.taps), 1), 1)
	rows := max(cols/b.cols, 1)
	for i := 0; i < b.rows; i += rows {
		for j := 0; j < b.cols; j += cols {
			part := b
			part.rows, part.cols = min(rows, b.rows-i), min(cols, b.cols-j)
			part.first += i*s.StrideH*s.W + j*s.StrideW
			part.y += i*s.OW + j
			all = append(all, part)
		}
	}
	return all
}

// windowsOf returns the call over a patch of a plane.
func windowsOf[T dtype.Float](s *PoolShape, b *patch, x, y []T) vec.Windows[T] {
	return vec.Windows[T]{
		Rows: b.rows, Cols: b.cols, X: x, First: b.first, RowX: s.StrideH * s.W, Stride: s.StrideW, Taps: b.taps,
		Y: y[b.y:], RowY: s.OW,
	}
}

// set writes v to all results of a patch.
func set[T dtype.Element](s *PoolShape, b *patch, y []T, v T) {
	for i := range b.rows {
		row := y[b.y+i*s.OW:][:b.cols]
		for j := range row {
			row[j] = v
		}
	}
}
