package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// The gradient for the weights is, for each place (r, q) of the window, a product over the output's pixels: A is dy, whose rows
// are contiguous, and row p of B is the input of all channels at the place (r, q) of pixel p's window. A piece of work takes
// some channels of the input, transposed so that the channels of a pixel are contiguous: these are the rows of B, and a
// table (taps) says where the row of each pixel starts, at a row of zeros where the window is over the border. So strides
// and dilations cost nothing.

// weightGrad is such a gradient in pieces: some outputs and some input channels of a group.
type weightGrad[T dtype.Float] struct {
	*ConvShape
	x, dy, dw  []T
	band       int // pixels of an image
	outputs    int // of a piece
	channels   int // of a piece
	row        int // channels of a row of B, whole vectors
	transposed int // elements of the transposed input, after a row of zeros
}

// minPixels is the least number of products in a sum that pays for transposing the sums at the end.
const minPixels = 1 << 8

// byPixels reports whether gradWeightByPixels computes the gradient, which saves conv3x3_grad/32x64x56x56 a sixth: fewer channels
// would fill vectors badly.
func byPixels[T dtype.Float](s *ConvShape) bool {
	return vec.TileRows() > 0 && 2*s.C/s.Groups >= vec.Lanes[T]() && s.K*s.R*s.S > 0 && s.N*s.OH*s.OW >= minPixels &&
		volume(s.H, s.W, vec.PanelCols[T]()) < math.MaxInt32 && volume(s.R, s.S, maxTaps) < math.MaxInt32
}

// gradWeightByPixels computes dw. The order of the sums follows from the shape alone.
func gradWeightByPixels[T dtype.Float](s *ConvShape, x, dy, dw []T) error {
	_, outputs, _, pixels := s.groupSizes()
	g := weightGrad[T]{ConvShape: s, x: x, dy: dy, dw: dw, outputs: outputs}
	g.band = ceilDiv(pixels, ceilDiv(pixels, maxTaps))
	g.channels = min(s.C/s.Groups, vec.PanelCols[T]())
	g.row = ceilDiv(g.channels, vec.Lanes[T]()) * vec.Lanes[T]()
	for p := 0; p < pixels; p += g.band {
		first, end := g.covered(p, min(p+g.band, pixels))
		g.transposed = max(g.transposed, (end-first+1)*g.row)
	}
	blocks := ceilDiv(s.C/s.Groups, g.channels)
	tiles := ceilDiv(outputs, vec.TileRows())
	parts := 1
	if threads := par.NumThreads(); threads > 1 {
		parts = min(ceilDiv(2*threads, s.Groups*blocks), ceilDiv(tiles, 2)) // each transposes the input
	}
	g.outputs = ceilDiv(outputs, tiles) * ceilDiv(tiles, parts)
	parts = ceilDiv(outputs, g.outputs)
	window := s.R * s.S
	sums := g.outputs * window * g.row
	size := max(g.transposed+sums+(g.channels+1)*window+g.row, window*g.band+vec.TapsAhead)
	flops := 2 * s.N * pixels * window * g.outputs * g.channels
	return ForWithWorkspaces(s.Groups*blocks*parts, grainOf(flops), size, func(lo, hi int, space []T, taps []int32) {
		for i := lo; i < hi; i++ {
			group, block, part := i/(blocks*parts), i/parts%blocks, i%parts
			transposed, sums, rest := space[:g.transposed], space[g.transposed:][:sums], space[g.transposed+sums:]
			g.piece(group, part*g.outputs, block*g.channels, transposed, sums, taps)
			g.store(group, part*g.outputs, block*g.channels, sums, rest)
		}
	})
}

// piece sums the products of all images for outputs from k and channels from c on: sums are [outputs, R, S, row].
func (g *weightGrad[T]) piece(group, k, c int, transposed, sums []T, taps []int32) {
	_, outputs, _, pixels := g.groupSizes()
	count := min(g.outputs, outputs-k)
	tile := vec.Tile[T]{RowA: pixels, ColA: 1, RowC: g.R * g.S * g.row}
	clear(transposed[:g.row])
	for p := 0; p < pixels; p += g.band {
		tile.K = min(g.band, pixels-p)
		first, end := g.covered(p, p+tile.K)
		g.table(taps, p, tile.K, first)
		for n := range g.N {
			image := n*g.Groups + group
			g.transpose(transposed[g.row:], image, c, first, end)
			g.multiply(&tile, g.dy[(image*outputs+k)*pixels+p:], transposed, sums, count, (end-first)*g.row, p+n == 0, taps)
		}
	}
}

// multiply adds the products of some pixels to the sums of so many outputs.
func (g *weightGrad[T]) multiply(tile *vec.Tile[T], dy, transposed, sums []T, count, last int, begin bool, taps []int32) {
	height := ceilDiv(count, ceilDiv(count, vec.TileRows()))
	cols := vec.TileCols[T](height)
	for i := 0; i < count; i += height {
		tile.Rows, tile.A = min(height, count-i), dy[i*tile.RowA:]
		for t := range g.R * g.S {
			for j := 0; j < g.row; j += cols {
				tile.Cols, tile.B, tile.C = min(cols, g.row-j), transposed[j:], sums[i*tile.RowC+t*g.row+j:]
				if !begin {
					tile.From, tile.RowFrom = tile.C, tile.RowC
				}
				tile.RunTaps(taps[t*g.band:], last, nil)
			}
		}
	}
}

// covered returns which elements of a channel the windows of pixels p to end cover: from first up to, not including, behind.
func (s *ConvShape) covered(p, end int) (first, behind int) {
	top, bottom := p/s.OW, (end-1)/s.OW
	h, hEnd := max(top*s.StrideH-s.PadH, 0), min(bottom*s.StrideH-s.PadH+(s.R-1)*s.DilationH+1, s.H)
	if h >= hEnd {
		return 0, 0
	}
	if top < bottom {
		return h * s.W, hEnd * s.W
	}
	w, wEnd := max(p%s.OW*s.StrideW-s.PadW, 0), min((end-1)%s.OW*s.StrideW-s.PadW+(s.S-1)*s.DilationW+1, s.W)
	if w >= wEnd {
		return 0, 0
	}
	return h*s.W + w, (hEnd-1)*s.W + wEnd
}

// table writes where the rows of B start for each place of the window and count pixels from p on, whose windows cover elements
// from first on.
func (g *weightGrad[T]) table(taps []int32, p, count, first int) {
	for t := range g.R * g.S {
		to := taps[t*g.band:][:count]
		h, w := p/g.OW*g.StrideH-g.PadH+t/g.S*g.DilationH, p%g.OW*g.StrideW-g.PadW+t%g.S*g.DilationW
		left := g.OW - p%g.OW // pixels of the line
		for i := range to {
			to[i] = 0
			if h >= 0 && h < g.H && w >= 0 && w < g.W {
				to[i] = int32((h*g.W + w - first + 1) * g.row)
			}
			w += g.StrideW
			if left--; left == 0 {
				h, w, left = h+g.StrideH, w-g.OW*g.StrideW, g.OW
			}
		}
	}
}

// transpose copies elements first to end of channels from c on, those of one pixel side by side.
func (g *weightGrad[T]) transpose(dst []T, image, c, first, end int) {
	if first == end {
		return
	}
	channels := min(g.channels, g.C/g.Groups-c)
	plane, lanes := g.H*g.W, vec.Lanes[T]()
	x := g.x[(image*g.C/g.Groups+c)*plane:][:channels*plane]
	for i := 0; i < channels; i += lanes {
		vec.Transpose(dst[i:], g.row, x[i*plane+first:], plane, min(lanes, channels-i), end-first)
	}
}

// store writes the sums for outputs from k and channels from c on to dw, whose windows are ordered by channel. What a
// copy writes beyond a window the next one overwrites.
func (g *weightGrad[T]) store(group, k, c int, sums, space []T) {
	_, outputs, depth, _ := g.groupSizes()
	channels, window, lanes := min(g.channels, g.C/g.Groups-c), g.R*g.S, vec.Lanes[T]()
	for i := range min(g.outputs, outputs-k) {
		from := sums[i*window*g.row:]
		for t := (window - 1) / lanes * lanes; t >= 0; t -= lanes {
			vec.Transpose(space[t:], window, from[t*g.row:], g.row, min(lanes, window-t), channels)
		}
		copy(g.dw[(group*outputs+k+i)*depth+c*window:][:channels*window], space)
	}
}
