package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// copyGrain is the least number of copied elements that is worth a thread.
const copyGrain = 1 << 14

// interleavePhases writes the rows of dx that belong to row phase a (see conv_phases.go): element j of a row is element j/StrideW
// of column phase j%StrideW. The stride between column phases in phases is apart elements.
func interleavePhases[T dtype.Float](s *ConvShape, a int, phases []T, apart int, dx []T) error {
	rows, width := ceilDiv(s.H, s.StrideH), ceilDiv(s.W, s.StrideW)
	_, count := s.phases()
	plane, block := rows*width, vec.SlideBlock[T]()
	if rows = ceilDiv(s.H-a, s.StrideH); rows <= 0 {
		return nil
	}
	padded := ceilDiv(rows*width, block) * block
	return ForWithWorkspace(s.N*s.C, max(1, copyGrain/plane), count*padded, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			from := phases[i*plane:]
			switch {
			case count == 1:
				space = from
			case count == 2 && vec.Lanes[T]() > 0: // the gradient of depthwise windows of 5x5 by strides of two takes half of the time so
				vec.Interleave(space, from[:padded], from[apart:])
			default:
				interleave(space, from, count, apart, rows*width)
			}
			v := vec.Lines[T]{Planes: 1, Rows: rows, Cols: s.W, Width: s.W, X: space, RowX: count * width, Stride: 1,
				Y: dx[(i*s.H+a)*s.W:], RowY: s.StrideH * s.W}
			v.Copy()
		}
	})
}

// interleave writes dst[i*count+j] = src[j*apart+i] for i below elems and j below count.
func interleave[T dtype.Float](dst, src []T, count, apart, elems int) {
	for j := range count {
		for i, v := range src[j*apart:][:elems] {
			dst[i*count+j] = v
		}
	}
}
