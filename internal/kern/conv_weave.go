package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// copyGrain is how many elements of copies are worth a thread.
const copyGrain = 1 << 14

// weave writes the rows of phase a of dx: the columns of its phases, which lie so many elements apart, take turns.
func weave[T dtype.Float](s *ConvShape, a int, phases []T, apart int, dx []T) error {
	rows, width := ceilDiv(s.H, s.StrideH), ceilDiv(s.W, s.StrideW)
	plane, block := rows*width, vec.SlideBlock[T]()
	if rows = ceilDiv(s.H-a, s.StrideH); rows <= 0 {
		return nil
	}
	padded := ceilDiv(rows*width, block) * block
	return ForWithLoan(s.N*s.C, max(1, copyGrain/plane), s.StrideW*padded, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			from := phases[i*plane:]
			switch s.StrideW {
			case 1:
				space = from
			case 2:
				vec.Zip(space, from[:padded], from[apart:])
			default:
				takeTurns(space, from, s.StrideW, apart, rows*width)
			}
			v := vec.Lines[T]{Planes: 1, Rows: rows, Cols: s.W, Width: s.W, X: space, RowX: s.StrideW * width, Stride: 1,
				Y: dx[(i*s.H+a)*s.W:], RowY: s.StrideH * s.W}
			v.Copy()
		}
	})
}

// takeTurns writes dst[i*count+j] = src[j*apart+i] for so many i.
func takeTurns[T dtype.Float](dst, src []T, count, apart, elems int) {
	for j := range count {
		for i, v := range src[j*apart:][:elems] {
			dst[i*count+j] = v
		}
	}
}
