package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// Convolutions with one or two outputs a group, as depthwise ones, would use each input element of a tile for one or two
// products only. They run over a padded copy of the input instead, whose lines are contiguous: output i is
// Σ w[t]·copy[i+taps[t]] with the same offsets for every i, even across the ends of lines. Columns that belong to no
// output are computed too and dropped. With strides, the copy is sorted by the remainder of line and column, their phase, so
// that neighbouring outputs still read neighbours. depthwise3x3/32x512x14x14 takes half the time so.

const (
	// slidingOutputs is the largest number of outputs of a group; more fill a tile.
	slidingOutputs = 2
	// slidingElems bounds the copies of a piece of work, which then stay in the first cache level, and slidingMax those of a
	// single line, which may be longer.
	slidingElems = 1 << 13
	slidingMax   = 1 << 17
	// slidingTaps bounds the products of an output.
	slidingTaps = 1 << 10
)

// slidingConv is such a convolution in pieces: a band of output lines of some groups of an image.
type slidingConv[T dtype.Float] struct {
	shifts
	taps   []int32
	last   int // the largest
	padded int // elements of a line's results, in whole blocks for all lines
	bands  int
}

// slides reports whether convSliding computes the convolution.
func (s *ConvShape) slides() bool {
	depth := volume(s.C/s.Groups, s.R, s.S)
	return vec.TileRows() > 0 && s.K/s.Groups <= slidingOutputs && depth > 0 && depth <= slidingTaps && s.N*s.K*s.OH*s.OW > 0 &&
		volume(s.C/s.Groups, (s.R-1)*s.DilationH/s.StrideH+2, s.OW+s.W+s.S*s.DilationW, min(s.StrideH, s.R*s.DilationH), min(s.StrideW, s.S*s.DilationW)) <= slidingMax &&
		s.R*s.DilationH < math.MaxInt32
}

// newSlidingConv decides on the pieces.
func newSlidingConv[T dtype.Float](s *ConvShape) slidingConv[T] {
	d := slidingConv[T]{shifts: shifts{ConvShape: s, groups: 1, width: s.OW}}
	reachH, reachW := (s.R-1)*s.DilationH, (s.S-1)*s.DilationW
	d.phases, d.copies = min(s.StrideH, reachH+1), min(s.StrideW, reachW+1)
	d.pitch = s.OW + reachW/s.StrideW
	channels, around := s.C/s.Groups, reachH/s.StrideH
	line := channels * d.copies * d.phases * d.pitch
	d.lines = min(s.OH, max(1, slidingElems/line-around))
	d.bands = ceilDiv(s.OH, d.lines)
	d.lines = ceilDiv(s.OH, d.bands)
	d.depth = around + d.lines
	d.groups = max(1, min(s.Groups, slidingElems/d.size()))
	for s.Groups%d.groups > 0 {
		d.groups--
	}
	block := vec.SlideBlock[T]()
	d.padded = ceilDiv((d.lines-1)*d.pitch+s.OW, block) * block
	for c := range channels {
		for r := range s.R {
			for q := range s.S {
				h, w := r*s.DilationH, q*s.DilationW
				plane := (c*d.copies+w%s.StrideW)*d.phases + h%s.StrideH
				at := (plane*d.depth+h/s.StrideH)*d.pitch + w/s.StrideW
				d.taps, d.last = append(d.taps, int32(at)), max(d.last, at)
			}
		}
	}
	return d
}

// pieces returns how many there are.
func (d *slidingConv[T]) pieces() int { return d.N * d.Groups / d.groups * d.bands }

// space returns the elements that the copies need, with what a vector may read beyond the last.
func (d *slidingConv[T]) space() int { return d.size() + d.padded }

// copyIn writes the copies of some groups for a band of lines.
func (d *slidingConv[T]) copyIn(dst, x []T, line, lines int) {
	for copied := range d.copies {
		for phase := range d.phases {
			to := dst[(copied*d.phases+phase)*d.depth*d.pitch:]
			depth := lines + ((d.R-1)*d.DilationH-phase)/d.StrideH
			shiftPlanes(&d.shifts, to, x, line*d.StrideH+phase-d.PadH, depth, copied-d.PadW, d.pitch)
		}
	}
}

// convSliding computes the convolution.
func convSliding[T dtype.Float](s *ConvShape, x, w, bias []T, then op.Op, y []T) error {
	d := newSlidingConv[T](s)
	inputs, outputs, depth, pixels := s.groupSizes()
	work := 2 * d.groups * outputs * depth * d.lines * s.OW
	sums, plane, block := d.groups*d.padded, d.size()/d.groups, vec.SlideBlock[T]()
	return ForWithWorkspace(d.pieces(), grainOf(4*work), d.space()+sums, func(lo, hi int, space []T) {
		copies, results := space[:d.space()], space[d.space():][:sums]
		for i := lo; i < hi; i++ {
			first, line := i/d.bands*d.groups, i%d.bands*d.lines
			lines := min(d.lines, s.OH-line)
			d.copyIn(copies, x[first*inputs:], line, lines)
			n := ceilDiv((lines-1)*d.pitch+s.OW, block) * block
			for k := range outputs {
				to := y[(first*outputs+k)*pixels+line*s.OW:]
				for g := range d.groups {
					out := (first+g)%s.Groups*outputs + k
					vec.Slide(results[g*d.padded:][:n], copies[g*plane:], w[out*depth:], d.taps, d.last, at(bias, out))
				}
				v := vec.Lines[T]{Planes: d.groups, Rows: lines, Cols: s.OW, Width: s.OW, X: results, PlaneX: d.padded, RowX: d.pitch, Stride: 1,
					Y: to, PlaneY: outputs * pixels, RowY: s.OW}
				v.Copy()
				epilogue(then, to, d.groups, lines*s.OW, outputs*pixels)
			}
		}
	})
}

// at returns an element, or zero where there are none.
func at[T dtype.Element](x []T, i int) (v T) {
	if x != nil {
		v = x[i]
	}
	return v
}
