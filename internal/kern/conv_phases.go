package kern

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// The gradient for the input is a convolution of dy with flipped weights (a transposed convolution). With a stride, input
// element i gets products with the weights r for which i + pad - r·dilation is a multiple of the stride. These are the same for
// all elements of a phase, those with the same i modulo the stride: so the gradient of each phase is a convolution of dy with
// stride 1 and a part of the weights, and the gradients of all phases are interleaved.

// An axisPhase tells which weights the elements of a phase are multiplied by, along an axis: first, first+step and so on.
type axisPhase struct {
	first, step, count int
	dilation, pad      int // of the convolution of dy
}

// phaseOf returns the phase of elements a, a+stride and so on.
func phaseOf(a, length, stride, dilation, pad int) axisPhase {
	common := gcd(stride, dilation)
	p := axisPhase{step: stride / common, dilation: dilation / common}
	for p.first < min(length, p.step) && (a+pad-p.first*dilation)%stride != 0 {
		p.first++
	}
	if p.first == min(length, p.step) {
		return p // none
	}
	p.count = ceilDiv(length-p.first, p.step)
	p.pad = (p.count-1)*p.dilation - (a+pad-p.first*dilation)/stride
	return p
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// phase returns the phases of row a and of column b.
func (s *ConvShape) phase(a, b int) (h, w axisPhase) {
	return phaseOf(a, s.R, s.StrideH, s.DilationH, s.PadH), phaseOf(b, s.S, s.StrideW, s.DilationW, s.PadW)
}

// phased describes the convolution of dy for a phase of rows and one of columns. All phases have as many rows and columns as the
// first, which has the most.
func (s *ConvShape) phased(h, w axisPhase) *ConvShape {
	return &ConvShape{
		N: s.N, C: s.K, H: s.OH, W: s.OW, K: s.C, R: h.count, S: w.count, StrideH: 1, StrideW: 1,
		PadH: h.pad, PadW: w.pad, DilationH: h.dilation, DilationW: w.dilation, Groups: s.Groups,
		OH: ceilDiv(s.H, s.StrideH), OW: ceilDiv(s.W, s.StrideW), Fast: s.Fast,
	}
}

// phases returns how many phases of rows and of columns have elements.
func (s *ConvShape) phases() (rows, cols int) { return min(s.StrideH, s.H), min(s.StrideW, s.W) }

// phasesBytes is about the memory for the phases of the images that are computed together.
const phasesBytes = 1 << 22

// Conv2DGradInput computes dx, the gradient of Conv2D for x, from dy, plus bias, which has C elements or is nil: with one it is the
// transposed convolution of a layer, and conv_transpose2x2/8x128x28x28 need not pass over its result again.
func Conv2DGradInput[T dtype.Float](s *ConvShape, dy, w, bias, dx []T) error {
	if len(dx) == 0 || len(dy) == 0 || len(w) == 0 {
		fillChannels(s, bias, s.H*s.W, dx)
		return nil
	}
	if s.spreads() {
		return gradInputDepthwise(s, dy, w, bias, dx)
	}
	if g := newPixelPhases(s, bias); g != nil {
		return gradInputByPixels(g, dy, w, dx)
	}
	conv := func(p *ConvShape, dy, w, phase []T) error { return Conv2D(p, dy, w, bias, op.Invalid, phase) }
	return gradInputByPhases(s, dy, w, bias, dx, vec.SlideBlock[T](), conv, interleavePhases)
}

// gradInputByPhases computes dx by a convolution for each phase, behind whose last element a vector may be read, of so many elements beyond, to interleave them.
func gradInputByPhases[T dtype.Element](s *ConvShape, dy, w, bias, dx []T, beyond int, conv func(p *ConvShape, dy, w, phase []T) error,
	interleave func(s *ConvShape, a int, phases []T, apart int, dx []T) error) error {
	size := volume(s.K, s.C/s.Groups, s.R, s.S)
	p := s.phased(s.phase(0, 0))
	rows, cols := s.phases()
	image := s.C * p.OH * p.OW
	images := min(s.N, max(1, phasesBytes/dtype.Of[T]().Size()/(image*cols)))
	apart := images*image + beyond
	if s.StrideH*s.StrideW == 1 {
		images, apart = s.N, 0
	}
	return withWorkspace(size+cols*apart, func(space []T) error {
		weights, phases := space[:size], space[size:]
		flipAll(s, w, weights)
		if apart == 0 {
			return conv(p, dy, weights, dx)
		}
		for n := 0; n < s.N; n += images {
			some := *s
			some.N = min(images, s.N-n)
			from, to := dy[n*s.K*s.OH*s.OW:], dx[n*s.C*s.H*s.W:]
			left := weights
			for a := range rows {
				for b := range cols {
					p, phase := some.phased(some.phase(a, b)), phases[b*apart:][:some.N*image]
					if p.R*p.S == 0 {
						fillChannels(s, bias, p.OH*p.OW, phase)
						continue
					}
					if err := conv(p, from, left, phase); err != nil {
						return err
					}
					left = left[s.K*(s.C/s.Groups)*p.R*p.S:]
				}
				if err := interleave(&some, a, phases, apart, to); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// fillChannels sets planes of so many pixels to the bias of their channel, to zero where bias is nil.
func fillChannels[T dtype.Element](s *ConvShape, bias []T, pixels int, planes []T) {
	for i := 0; i*pixels < len(planes); i++ {
		fillWith(planes[i*pixels:][:pixels], at(bias, i%s.C))
	}
}

// withWorkspace runs f with n elements of working memory.
func withWorkspace[T any](n int, f func(space []T) error) (err error) {
	return errors.Join(ForWithWorkspace(1, 1, n, func(_, _ int, space []T) { err = f(space) }), err)
}

// flipAll writes the weights of all phases' convolutions.
func flipAll[T dtype.Element](s *ConvShape, w, dst []T) {
	outputs := s.K / s.Groups
	down, across := s.phases()
	for a := range down {
		for b := range across {
			rows, cols := s.phase(a, b)
			taps := rows.count * cols.count
			if taps == 0 {
				continue
			}
			at := flippedWindow(s, rows, cols)
			par.For(s.C, max(1, copyGrain/(outputs*taps)), func(lo, hi int) {
				for o := 0; o < outputs; o += flipped {
					for c := lo; c < hi; c++ {
						flip(s, w, dst[c*outputs*taps:][:outputs*taps], c, o, min(o+flipped, outputs), at)
					}
				}
			})
			dst = dst[s.C*outputs*taps:]
		}
	}
}

// flipped is how many outputs are flipped for all channels before the next ones are: their weights are read from neighbouring cache lines, and written
// to whole ones.
const flipped = 8

// flippedWindow returns the places of a phase in a window, backwards.
func flippedWindow(s *ConvShape, rows, cols axisPhase) (at []int) {
	for r := rows.count - 1; r >= 0; r-- {
		for q := cols.count - 1; q >= 0; q-- {
			at = append(at, (rows.first+r*rows.step)*s.S+cols.first+q*cols.step)
		}
	}
	return at
}

// flip writes the weights of one input channel for outputs o to end of its group, side by side, those at places of their windows: from a table, since
// windows are small.
func flip[T dtype.Element](s *ConvShape, w, dst []T, c, o, end int, at []int) {
	channels, outputs, window, taps := s.C/s.Groups, s.K/s.Groups, s.R*s.S, len(at)
	from := (c/channels*outputs*channels + c%channels + o*channels) * window
	for ; o < end; o++ {
		for i, to := range at {
			dst[o*taps+i] = w[from+to]
		}
		from += channels * window
	}
}
