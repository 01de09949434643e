package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
	"cresset/internal/par"
)

// ConvShape describes a two-dimensional convolution of x[N, C, H, W] with
// w[K, C/Groups, R, S] to y[N, K, OH, OW], all contiguous. A one-dimensional
// convolution has H, R and OH of one.
type ConvShape struct {
	N, C, H, W           int
	K, R, S              int
	StrideH, StrideW     int
	PadH, PadW           int
	DilationH, DilationW int
	Groups               int
	OH, OW               int
	Fast                 bool // Winograd's convolution may compute it
}

const (
	convPixels = 256 // output pixels that are computed together: their part of im2col's matrix stays in the second cache level
	convRows   = 64  // rows of im2col's matrix in a piece of a gradient: with fewer, dy would be packed more often
)

// Conv2D computes y, the cross-correlation of x with w plus bias, which has K
// elements or is nil, and applies then to it, an op that Follows, or op.Invalid
// for none. Its errors, and the gradients', are those of ForWithWorkspace.
func Conv2D[T dtype.Float](s *ConvShape, x, w, bias []T, then op.Op, y []T) error {
	if x, ok := any(x).([]float32); ok && s.winograd() {
		return convWinograd(s, x, any(w).([]float32), any(bias).([]float32), then, any(y).([]float32))
	}
	if s.depthwise() {
		return convDepthwise(s, x, w, bias, then, y)
	}
	if s.slides() {
		return convSliding(s, x, w, bias, then, y)
	}
	if p := pixels[T](s, s.C/s.Groups*s.R*s.S); p != nil {
		return convByPixels(p, x, w, bias, then, y)
	}
	if s.direct() {
		return convDirect(s, x, w, bias, then, y)
	}
	inputs, outputs, depth, pixels := s.groupSizes()
	lines := s.linesPerPiece(convPixels)
	pieces := ceilDiv(s.OH, lines)
	flops := 2 * outputs * depth * lines * s.OW
	return ForWithWorkspace(s.N*s.Groups*pieces, grainOf(flops), s.columnsSize(depth, lines), func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			image, line := i/pieces, i%pieces*lines
			group := image % s.Groups
			end := min(line+lines, s.OH)
			out := y[image*outputs*pixels+line*s.OW:]
			beta := T(0)
			if bias != nil {
				beta = 1
				for k, v := range bias[group*outputs:][:outputs] {
					fillWith(out[k*pixels:][:(end-line)*s.OW], v)
				}
			}
			columns := columnsOf(s, x[image*inputs:][:inputs], 0, depth, line, end, space)
			p := product[T]{m: outputs, n: (end - line) * s.OW, k: depth, alpha: 1,
				a: Matrix[T]{w[group*outputs*depth:], depth, 1}, b: columns, beta: beta, then: then, c: out, ldc: pixels}
			p.run(inline)
		}
	})
}

// Conv2DGradWeight computes dw, the gradient of Conv2D for w, from dy. It adds
// the images in order.
func Conv2DGradWeight[T dtype.Float](s *ConvShape, x, dy, dw []T) error {
	if s.depthwise() {
		return gradWeightDepthwise(s, x, dy, dw)
	}
	if s.slidesWeights() {
		return gradWeightBySliding(s, x, dy, dw)
	}
	if byPixels[T](s) {
		return gradWeightByPixels(s, x, dy, dw)
	}
	inputs, outputs, depth, pixels := s.groupSizes()
	// How the rows are divided changes no bits, so it may depend on the number of threads.
	rows := min(convRows, max(convRows/4, ceilDiv(depth*s.Groups, 2*par.NumThreads())))
	pieces := ceilDiv(depth, rows)
	lines := s.linesPerPiece(16 * convPixels)
	size := s.columnsSize(min(rows, depth), lines)
	clear(dw)
	return ForWithWorkspace(s.Groups*pieces, grainOf(2*rows*outputs*pixels*s.N), size, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			group, row := i/pieces, i%pieces*rows
			end := min(row+rows, depth)
			for n := range s.N {
				image := n*s.Groups + group
				for line := 0; line < s.OH; line += lines {
					lineEnd := min(line+lines, s.OH)
					columns := columnsOf(s, x[image*inputs:][:inputs], row, end, line, lineEnd, space)
					p := product[T]{m: outputs, n: end - row, k: (lineEnd - line) * s.OW, alpha: 1,
						a: Matrix[T]{dy[image*outputs*pixels+line*s.OW:], pixels, 1}, b: columns.Transposed(),
						beta: 1, c: dw[group*outputs*depth+row:], ldc: depth}
					p.run(inline)
				}
			}
		}
	})
}

// groupSizes returns the elements of one group's input, its output channels, the
// products in one output element, and the pixels of one output channel.
func (s *ConvShape) groupSizes() (inputs, outputs, depth, pixels int) {
	channels := s.C / s.Groups
	return channels * s.H * s.W, s.K / s.Groups, channels * s.R * s.S, s.OH * s.OW
}

// linesPerPiece returns how many output lines hold about so many pixels.
func (s *ConvShape) linesPerPiece(pixels int) int { return max(1, pixels/max(s.OW, 1)) }

// columnsSize returns the elements of rows of im2col's matrix for some output lines: none where x is that matrix.
func (s *ConvShape) columnsSize(rows, lines int) int {
	if s.pointwise() {
		return 0
	}
	return volume(rows, min(lines, s.OH), s.OW)
}

// pointwise reports whether x is its own im2col matrix: the window is one pixel. For a phase of a gradient the sizes may differ.
func (s *ConvShape) pointwise() bool {
	return s.R == 1 && s.S == 1 && s.StrideH == 1 && s.StrideW == 1 && s.PadH == 0 && s.PadW == 0 && s.OH == s.H && s.OW == s.W
}

func fillWith[T dtype.Element](x []T, v T) {
	for i := range x {
		x[i] = v
	}
}
