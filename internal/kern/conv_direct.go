package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A convolution without strides is a product whose matrix of columns need not be made: with lines padded on both sides,
// the input elements that one weight meets follow each other in memory, over the ends of lines. What is computed where
// the output has no pixel, a few columns behind each line, is dropped.

const (
	// convInput bounds the padded input of a piece of work, in elements, and convOutput its output: with the weights
	// they stay in the second cache level.
	convInput, convOutput = 1 << 16, 1 << 16
	// maxTaps bounds the products that are summed between two sights of the output, and the windows.
	maxTaps = 1 << 10
)

// direct reports whether convDirect computes the convolution.
func (s *ConvShape) direct() bool {
	return vec.TileRows() > 0 && s.StrideH == 1 && s.StrideW == 1 && !s.pointwise() && s.R*s.S <= maxTaps && s.PadH >= 0 && s.PadW >= 0 &&
		s.N*s.K*s.C*s.R*s.S*s.OH*s.OW > 0 && volume(s.C, s.H+2*s.PadH, s.W+2*s.PadW) < math.MaxInt32
}

// directConv is a convolution in pieces: the output lines of one group of one image.
type directConv[T dtype.Float] struct {
	*ConvShape
	x, w, bias, y []T
	width         int // of a padded line
	lines         int // of output in a piece
	span          int // columns of the output in a piece, whole tiles
}

func convDirect[T dtype.Float](s *ConvShape, x, w, bias, y []T) error {
	_, outputs, depth, _ := s.groupSizes()
	d := directConv[T]{ConvShape: s, x: x, w: w, bias: bias, y: y, width: s.W + 2*s.PadW}
	tile := 2 * vec.Lanes[T]()
	reach := (s.R - 1) * s.DilationH // input lines beyond those of the output
	d.lines = max(1, min(s.OH, convInput/max(1, s.C/s.Groups*d.width)-reach, convOutput/max(1, outputs*d.width)))
	d.lines = ceilDiv(s.OH, ceilDiv(s.OH, d.lines)) // evenly
	d.span = ceilDiv(d.lines*d.width, tile) * tile
	// The last tile reads behind the last line.
	input := s.C/s.Groups*(d.lines+reach)*d.width + (s.S-1)*s.DilationW + tile
	size := input + outputs*(d.span+tile)
	pieces := ceilDiv(s.OH, d.lines)
	return ForWithLoan(s.N*s.Groups*pieces, grainOf(2*outputs*depth*d.lines*s.OW), size, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			d.piece(i/pieces, i%pieces*d.lines, space[:input], space[input:][:outputs*d.span], space[input+outputs*d.span:])
		}
	})
}

// piece computes the output lines from line on, of one group of one image.
func (d *directConv[T]) piece(image, line int, input, output, biases []T) {
	inputs, outputs, depth, pixels := d.groupSizes()
	group := image % d.Groups
	lines := min(d.lines, d.OH-line)
	d.pad(input, d.x[image*inputs:][:inputs], line, lines+(d.R-1)*d.DilationH)
	tile := vec.Tile[T]{RowA: depth, ColA: 1, RowC: d.span}
	height := ceilDiv(outputs, ceilDiv(outputs, vec.TileRows()))
	cols := 2 * vec.Lanes[T]()
	if d.bias != nil {
		for k, v := range d.bias[group*outputs:][:outputs] {
			fillWith(biases[k*cols:][:cols], v)
		}
	}
	var taps [maxTaps]int32
	for k := 0; k < depth; k += maxTaps {
		tile.K = min(maxTaps, depth-k)
		for l := range tile.K {
			t := d.tapOf(k + l)
			taps[l] = int32((t.channel*(d.lines+(d.R-1)*d.DilationH)+t.offsetH+d.PadH)*d.width + t.offsetW + d.PadW)
		}
		for j := 0; j < lines*d.width; j += cols {
			tile.B = input[j:]
			for i := 0; i < outputs; i += height {
				tile.Rows = min(height, outputs-i)
				tile.A, tile.C = d.w[(group*outputs+i)*depth+k:], output[i*d.span+j:]
				switch {
				case k > 0:
					tile.From, tile.RowFrom = tile.C, d.span
				case d.bias != nil:
					tile.From, tile.RowFrom = biases[i*cols:], cols
				}
				tile.RunTaps(taps[:])
			}
		}
	}
	for k := range outputs {
		to := d.y[(image*outputs+k)*pixels+line*d.OW:]
		for l := range lines {
			copy(to[l*d.OW:][:d.OW], output[k*d.span+l*d.width:])
		}
	}
}

// pad copies input lines to where output line line starts to read, with zeros around the input. A piece of fewer lines
// than others leaves the rest of each channel as it is.
func (d *directConv[T]) pad(dst, x []T, line, lines int) {
	for c := range d.C / d.Groups {
		to := dst[c*(d.lines+(d.R-1)*d.DilationH)*d.width:][:lines*d.width]
		for l := range lines {
			row := to[l*d.width:][:d.width]
			h := line + l - d.PadH
			if h < 0 || h >= d.H {
				clear(row)
				continue
			}
			clear(row[:d.PadW])
			copy(row[d.PadW:], x[(c*d.H+h)*d.W:][:d.W])
			clear(row[d.PadW+d.W:])
		}
	}
}

// flipped describes the convolution of dy with flipped weights that is the gradient for x, where strides are 1.
func (s *ConvShape) flipped() *ConvShape {
	return &ConvShape{
		N: s.N, C: s.K, H: s.OH, W: s.OW, K: s.C, R: s.R, S: s.S, StrideH: 1, StrideW: 1,
		PadH: (s.R-1)*s.DilationH - s.PadH, PadW: (s.S-1)*s.DilationW - s.PadW,
		DilationH: s.DilationH, DilationW: s.DilationW, Groups: s.Groups, OH: s.H, OW: s.W,
	}
}

// flip writes the weights of the flipped convolution: inputs and outputs of each group exchanged, windows backwards.
func flip[T dtype.Float](s *ConvShape, w, dst []T) {
	channels, outputs, window := s.C/s.Groups, s.K/s.Groups, s.R*s.S
	for g := range s.Groups {
		for k := range outputs {
			for c := range channels {
				from := w[((g*outputs+k)*channels+c)*window:][:window]
				to := dst[((g*channels+c)*outputs+k)*window:][:window]
				for i, v := range from {
					to[window-1-i] = v
				}
			}
		}
	}
}
