package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// columnsOf returns rows row to rowEnd of im2col's matrix, whose product with the
// weights is the convolution, for the output lines from line to lineEnd: row
// (c*R+r)*S+q holds, for each output pixel, the input element that weight
// (c, r, q) is multiplied by. x is the input of one group of one image; the matrix is
// in space, or in x itself.
func columnsOf[T dtype.Float](s *ConvShape, x []T, row, rowEnd, line, lineEnd int, space []T) Matrix[T] {
	if s.pointwise() {
		return Matrix[T]{x[row*s.H*s.W+line*s.W:], s.H * s.W, 1}
	}
	lines := lineEnd - line
	width := lines * s.OW
	v := vec.Lines[T]{Planes: 1, Width: s.OW, RowX: s.StrideH * s.W, Stride: s.StrideW, RowY: s.OW}
	for k := row; k < rowEnd; k++ {
		t, dst := s.tapOf(k), space[(k-row)*width:][:width]
		first := line*s.StrideH + t.offsetH
		above, below := within(lines, first, s.StrideH, s.H)
		if above == below || t.lo == t.hi {
			clear(dst)
			continue
		}
		clear(dst[:above*s.OW])
		clear(dst[below*s.OW:])
		v.Rows, v.Zeros, v.Cols = below-above, t.lo, t.hi-t.lo
		v.X = x[(t.channel*s.H+first+above*s.StrideH)*s.W+t.lo*s.StrideW+t.offsetW:]
		v.Y = dst[above*s.OW:]
		v.Copy()
	}
	return Matrix[T]{space, width, 1}
}

// tap is the part of the input that one weight of a channel is multiplied by: output pixel (oh, ow)
// reads input element (oh*StrideH+offsetH, ow*StrideW+offsetW), which is
// within the line for ow in [lo, hi).
type tap struct {
	channel          int
	offsetH, offsetW int
	lo, hi           int
}

func (s *ConvShape) tapOf(k int) tap {
	t := tap{channel: k / (s.R * s.S), offsetH: k/s.S%s.R*s.DilationH - s.PadH, offsetW: k%s.S*s.DilationW - s.PadW}
	t.lo, t.hi = within(s.OW, t.offsetW, s.StrideW, s.W)
	return t
}
