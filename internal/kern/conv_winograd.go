package kern

import (
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Winograd's convolution, F(4x4, 3x3), makes a quarter of the products of the direct one: tiles of 6x6 elements of the input are transformed to 36
// elements each, which are multiplied by as many of the transformed weights and added up over the channels, as 36 products of matrices, and the sums are
// transformed to 4x4 outputs. Transforms cost accuracy, so it runs where it is asked for (ConvShape.Fast).
//
// conv3x3_fast/32x64x56x56 takes four tenths of the time of conv3x3/32x64x56x56, under AVX2 half of it.

const (
	// winogradChannels is the least number of channels, and of outputs, that pay for the transforms.
	winogradChannels = 16
	// winogradLeast is the least number of tiles that pays for the transform of the weights.
	winogradLeast = 32
	// winogradBytes bounds the transformed inputs and outputs of a piece, which stay in the second cache level, unless there are so many channels that
	// few tiles would fit: then winogradColumns, with which reading the weights does not take longer than the products.
	winogradBytes, winogradColumns = 5 << 17, 48
)

// winograd reports whether convWinograd computes the convolution of float32.
func (s *ConvShape) winograd() bool {
	return s.Fast && s.R == 3 && s.S == 3 && s.StrideH == 1 && s.StrideW == 1 && s.DilationH == 1 && s.DilationW == 1 && s.Groups == 1 &&
		max(s.PadH, s.PadW) <= 2 && min(s.PadH, s.PadW) >= 0 && min(s.C, s.K) >= winogradChannels && min(s.OH, s.OW) >= vec.WinogradTile &&
		s.N*ceilDiv(s.OH, vec.WinogradTile)*ceilDiv(s.OW, vec.WinogradTile) >= winogradLeast && vec.HasWinograd()
}

// winogradConv is such a convolution in pieces: some rows of tiles, or parts of them, whose transformed tiles are columns of the products.
type winogradConv struct {
	*ConvShape
	x, bias, y []float32
	then       op.Op
	height     int // outputs of a tile of a product
	down       int // rows of tiles of an image
	across     int // parts of a row
	tiles      int // of a part
	parts      int // of a piece
	pitch      int // columns
	// elements from one product's weights, inputs and sums to the next's
	stepU, stepV, stepM int
}

// convWinograd computes the convolution.
func convWinograd(s *ConvShape, x, w, bias []float32, then op.Op, y []float32) error {
	d := newWinogradConv(s)
	d.x, d.bias, d.then, d.y = x, bias, then, y
	all := s.N * d.down * d.across
	flops := 2 * vec.WinogradMatrix * s.C * s.K * d.parts * d.tiles
	return withWorkspace(vec.WinogradMatrix*d.stepU, func(u []float32) error {
		if err := d.transformWeights(u, w); err != nil {
			return err
		}
		size := vec.WinogradMatrix*(d.stepV+d.stepM) + vec.WinogradScratch
		return ForWithWorkspace(ceilDiv(all, d.parts), grainOf(flops), size, func(lo, hi int, space []float32) {
			for i := lo; i < hi; i++ {
				d.piece(u, i*d.parts, min((i+1)*d.parts, all), space)
			}
		})
	})
}

// newWinogradConv decides on the pieces. They change no bits, so they may depend on the number of threads.
func newWinogradConv(s *ConvShape) *winogradConv {
	d := &winogradConv{ConvShape: s, height: ceilDiv(s.K, ceilDiv(s.K, vec.TileRows())), down: ceilDiv(s.OH, vec.WinogradTile)}
	row := ceilDiv(s.OW, vec.WinogradTile)
	d.across = ceilDiv(row, vec.WinogradTiles())
	d.tiles = ceilDiv(row, d.across)
	all := s.N * d.down * d.across
	columns := max(winogradBytes/(4*vec.WinogradMatrix*(s.C+s.K)), winogradColumns)
	d.parts = d.fullest(max(1, min(columns/d.tiles, ceilDiv(all, 2*par.NumThreads()))))
	// A part is written and read a vector at a time. Operands of products are one cache line off a multiple of a page, so that they do not share sets of
	// the first cache level.
	lanes := vec.Lanes[float32]()
	d.pitch = ceilDiv((d.parts-1)*d.tiles+lanes, lanes) * lanes
	d.stepV, d.stepM = s.C*d.pitch+lanes, s.K*d.pitch+lanes
	d.stepU = ceilDiv(s.K, d.height)*d.height*s.C + lanes
	return d
}

// fullest returns how many parts, up to so many, leave the least of panels empty.
func (d *winogradConv) fullest(most int) (best int) {
	width := vec.PanelCols[float32]()
	wanted := func(parts int) int { return ceilDiv(parts*d.tiles, width) * width }
	for parts := 1; parts <= most; parts++ {
		if best == 0 || wanted(parts)*best <= wanted(best)*parts {
			best = parts
		}
	}
	return best
}

// transformWeights writes the transformed weights, for each product and each height outputs [C, height].
func (d *winogradConv) transformWeights(u, w []float32) error {
	const channels = 64 // at a time
	return ForWithWorkspace(ceilDiv(d.K, d.height), grainOf(200*d.C*d.height), channels*9*vec.WinogradOutputs, func(lo, hi int, space []float32) {
		for i := lo; i < hi; i++ {
			k := i * d.height
			outputs := min(d.height, d.K-k)
			for c := 0; c < d.C; c += channels {
				count := min(channels, d.C-c)
				vec.Transpose(space, vec.WinogradOutputs, w[(k*d.C+c)*9:], 9*d.C, outputs, 9*count)
				vec.WinogradWeights(u[(i*d.C+c)*d.height:], d.stepU, space, count, d.height)
			}
		}
	})
}

// piece computes parts first to end.
func (d *winogradConv) piece(u []float32, first, end int, space []float32) {
	v, m, scratch := space[:vec.WinogradMatrix*d.stepV], space[vec.WinogradMatrix*d.stepV:], space[vec.WinogradMatrix*(d.stepV+d.stepM):]
	in := vec.Winograd{Channels: d.C, H: d.H, W: d.W, Step: d.stepV, Pitch: d.pitch, Scratch: scratch}
	d.eachPart(first, end, func(i, image, line, column, tiles int) {
		in.Planes, in.Matrices = d.x[image*d.C*d.H*d.W:][:d.C*d.H*d.W], v[i*d.tiles:]
		in.Line, in.Column, in.Tiles = line-d.PadH, column-d.PadW, tiles
		in.In()
	})
	d.multiply(u, v, m, (end-first)*d.tiles)
	out := vec.Winograd{Channels: d.K, H: d.OH, W: d.OW, Step: d.stepM, Pitch: d.pitch, Scratch: scratch, Bias: d.bias}
	d.eachPart(first, end, func(i, image, line, column, tiles int) {
		out.Planes, out.Matrices = d.y[image*d.K*d.OH*d.OW:][:d.K*d.OH*d.OW], m[i*d.tiles:]
		out.Line, out.Column, out.Tiles = line, column, tiles
		out.Out()
		if d.then != op.Invalid {
			d.follow(out.Planes, line, column, tiles)
		}
	})
}

// eachPart tells of each part its number in the piece, its image, and the line and column of its first output.
func (d *winogradConv) eachPart(first, end int, do func(i, image, line, column, tiles int)) {
	row := ceilDiv(d.OW, vec.WinogradTile)
	for i := first; i < end; i++ {
		tile := i % d.across * d.tiles
		do(i-first, i/d.across/d.down, i/d.across%d.down*vec.WinogradTile, tile*vec.WinogradTile, min(d.tiles, row-tile))
	}
}

// follow applies then to a part's outputs.
func (d *winogradConv) follow(y []float32, line, column, tiles int) {
	lines, columns := min(vec.WinogradTile, d.OH-line), min(tiles*vec.WinogradTile, d.OW-column)
	for k := range d.K {
		epilogue(d.then, y[(k*d.OH+line)*d.OW+column:], lines, columns, d.OW)
	}
}

// multiply computes the products for so many columns.
func (d *winogradConv) multiply(u, v, m []float32, columns int) {
	width, steps := vec.PanelCols[float32](), stepsOf(d.C)
	tile := vec.Tile[float32]{RowA: 1, ColA: d.height, RowB: d.pitch, RowC: d.pitch, RowFrom: d.pitch}
	tile.Step = vec.Steps{A: d.C * d.height, C: d.height * d.pitch, From: d.height * d.pitch}
	whole := d.K / d.height
	for p := range vec.WinogradMatrix {
		a, b, c := u[p*d.stepU:], v[p*d.stepV:], m[p*d.stepM:]
		tile.Next = b
		for k := 0; k < d.C; k += steps {
			tile.K = min(steps, d.C-k)
			for j := 0; j < columns; j += width {
				tile.Cols, tile.B = min(width, columns-j), b[k*d.pitch+j:]
				for i := 0; i*d.height < d.K; i += tile.Count {
					tile.Rows, tile.Count = d.height, whole
					if i == whole {
						tile.Rows, tile.Count = d.K-i*d.height, 1
					}
					tile.A, tile.C = a[(i*d.C+k)*d.height:], c[i*d.height*d.pitch+j:]
					if k > 0 {
						tile.From = tile.C
					}
					tile.Run()
				}
			}
			tile.From = nil
		}
	}
}
