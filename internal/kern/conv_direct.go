package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// direct reports whether convDirect computes the convolution.
func (s *ConvShape) direct() bool {
	return vec.TileRows() > 0 && s.N*s.K*s.C*s.R*s.S*s.OH*s.OW > 0 && volume(s.C, s.S, s.OH+s.H+s.R*s.DilationH, s.OW) < math.MaxInt32
}

// directConv is a convolution on micro-kernels without im2col's matrix (see conv_shift.go). A piece of work is consecutive output
// pixels of one image and group; where lines are longer than a piece should be, it is a part of
// some lines.
type directConv[T dtype.Float] struct {
	shifts
	w, bias, y []T
	then       op.Op // what is applied to y in the end
	band       int   // consecutive output pixels of a piece; 0 where it is a part of some lines
	height     int   // rows of a tile: output channels
	cols       int   // columns of a tile: output pixels
	inPlace    bool  // a window is a pixel, and the input is read where it lies: 64 to 64 channels of 56x56 take a seventh less time so
}

// convDirect computes the convolution.
func convDirect[T dtype.Float](s *ConvShape, x, w, bias []T, then op.Op, y []T) error {
	inputs, outputs, depth, pixels := s.groupSizes()
	d := directConv[T]{w: w, bias: bias, then: then, y: y, height: ceilDiv(outputs, ceilDiv(outputs, vec.TileRows()))}
	d.cols = vec.TileCols[T](d.height)
	var pieces int
	d.shifts, d.band = shiftsFor[T](s, d.cols)
	size := d.size()
	if d.inPlace = d.band > 0 && readsInPlace[T](s); d.inPlace {
		d.shifts, size = shifts{ConvShape: s, groups: 1, lines: s.OH, width: s.OW, copies: 1, phases: 1, depth: s.OH, pitch: s.OW}, 0
	}
	if d.band > 0 {
		pieces = ceilDiv(pixels, d.band)
	} else {
		pieces = ceilDiv(s.OH, d.lines) * ceilDiv(s.OW, d.width)
	}
	flops := 2 * outputs * depth * ceilDiv(pixels, pieces)
	return ForWithWorkspace(s.N*s.Groups*pieces, grainOf(flops), size, func(lo, hi int, space []T) {
		var taps tapTable
		for i := lo; i < hi; i++ {
			d.piece(i/pieces, i%pieces, x[i/pieces*inputs:][:inputs], space, &taps)
		}
	})
}

// inPlaceLines bounds the cache lines of the rows of B of a tile, which are read again by every tile of a piece: they stay in the first cache level.
const inPlaceLines = 1 << 9

// readsInPlace reports whether the input of a convolution is its own matrix, and is read where it lies rather than from a copy.
func readsInPlace[T dtype.Float](s *ConvShape) bool {
	const line = 64
	channels, pixels, size := s.C/s.Groups, s.OH*s.OW, dtype.Of[T]().Size()
	lines := channels * ceilDiv(vec.PanelCols[T]()*size, line)
	if pixels*size%line != 0 {
		lines += channels // rows begin in the middle of lines
	}
	return s.pointwise() && lines <= inPlaceLines && channels*pixels*size <= maxInPlace
}

// piece computes a piece of a group of an image, whose input is x.
func (d *directConv[T]) piece(image, i int, x, shifted []T, taps *tapTable) {
	_, outputs, _, pixels := d.groupSizes()
	y := d.y[image*outputs*pixels:][:outputs*pixels]
	if d.band > 0 {
		first := i * d.band
		end, line := min(first+d.band, pixels), first/d.OW
		if d.inPlace {
			d.multiply(image%d.Groups, y[first:], x[first:], 1, end-first, taps)
			return
		}
		shift(&d.shifts, shifted, x, line, (end-1)/d.OW+1-line, 0, d.OW)
		d.multiply(image%d.Groups, y[first:], shifted[first-line*d.OW:], 1, end-first, taps)
		return
	}
	across := ceilDiv(d.OW, d.width)
	line, col := i/across*d.lines, i%across*d.width
	lines, cols := min(d.lines, d.OH-line), min(d.width, d.OW-col)
	shift(&d.shifts, shifted, x, line, lines, col, cols)
	d.multiply(image%d.Groups, y[line*d.OW+col:], shifted, lines, cols, taps)
}

// multiply computes cols columns of some lines of the output from shifted copies of the input.
func (d *directConv[T]) multiply(group int, y, shifted []T, lines, cols int, taps *tapTable) {
	_, outputs, depth, pixels := d.groupSizes()
	steps := ceilDiv(depth, ceilDiv(depth, maxTaps))
	tile := vec.Tile[T]{RowA: depth, ColA: 1, RowC: pixels, Step: vec.Steps{B: d.cols, C: d.cols, From: d.cols}}
	for k := 0; k < depth; k += steps {
		tile.K = min(steps, depth-k)
		d.taps(taps, k, tile.K)
		for i := 0; i < outputs; i += d.height {
			tile.Rows, tile.A = min(d.height, outputs-i), d.w[(group*outputs+i)*depth+k:]
			var bias []T
			if d.bias != nil && k == 0 {
				bias = d.bias[group*outputs+i:]
			}
			for l := range lines {
				for j := 0; j < cols; j += tile.Count * d.cols {
					tile.Cols, tile.Count = min(d.cols, cols-j), max(1, (cols-j)/d.cols)
					tile.B, tile.C = shifted[l*d.pitch+j:], y[i*pixels+l*d.OW+j:]
					if k > 0 {
						tile.From, tile.RowFrom = tile.C, pixels
					}
					tile.RunTaps(taps.at[:], taps.last, bias)
				}
				if k+tile.K == depth {
					epilogue(d.then, y[i*pixels+l*d.OW:], tile.Rows, cols, pixels)
				}
			}
		}
	}
}
