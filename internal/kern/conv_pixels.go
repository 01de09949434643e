package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// Under AVX2 a convolution is the product of its windows, a row for each output pixel, with packed weights, a column for each output. Elements of
// windows are found by taps in a padded copy of the input, or in the input itself, and no matrix of them is written: conv3x3/32x64x56x56 takes three
// quarters of the time of tiles of outputs by pixels (conv_direct.go), which load vectors across cache lines.
//
// Lines of the copy lie so close that the zeros behind one are those before the next, columns of different remainders by the stride apart from each
// other. Pixels are numbered through them, and the few that belong to no output are left out when sums are transposed to the output's planes.

// pixelConv is such a convolution in pieces: parts of some lines of one image and group.
type pixelConv[T dtype.Float] struct {
	pixelPieces
	bias    []T
	panels  []T // weights: for each group and the outputs of a tile [depth, columns]
	width   int // columns of a whole panel
	columns int // of all panels of a group
}

func newPixelConv[T dtype.Float](pieces *pixelPieces, bias []T) *pixelConv[T] {
	d := &pixelConv[T]{pixelPieces: *pieces, bias: bias, width: vec.PanelCols[T]()}
	d.columns = ceilDiv(d.K/d.Groups, vec.Lanes[T]()) * vec.Lanes[T]()
	return d
}

// weights returns how many elements the panels have.
func (d *pixelConv[T]) weights() int { return volume(d.Groups, d.columns, d.C/d.Groups, d.R, d.S) }

// work returns the number of pieces, and the grain of a loop over them.
func (d *pixelConv[T]) work() (pieces, grain int) {
	_, outputs, depth, pixels := d.groupSizes()
	return d.N * d.Groups * d.bands * d.parts, grainOf(2 * outputs * depth * ceilDiv(pixels, d.bands*d.parts))
}

// convByPixels computes the convolution in the pieces of pixelPieces.
func convByPixels[T dtype.Float](pieces *pixelPieces, x, w, bias []T, then op.Op, y []T) error {
	d := newPixelConv(pieces, bias)
	_, _, depth, _ := d.groupSizes()
	return withWorkspaces(d.weights(), depth, func(panels []T, taps []int32) error {
		d.table(taps)
		if err := d.pack(panels, w); err != nil {
			return err
		}
		all, grain := d.work()
		return ForWithWorkspace(all, grain, d.size()+(2*d.sums()+1)*d.width, func(lo, hi int, space []T) {
			copied, space := space[:d.size()], space[d.size():]
			for i := lo; i < hi; i++ {
				d.piece(i, x, copied, space, then, y)
			}
		})
	})
}

// withWorkspaces runs f with working memory of both types.
func withWorkspaces[E, F any](n, m int, f func(x []E, y []F) error) error {
	return withWorkspace(n, func(x []E) error {
		return withWorkspace(m, func(y []F) error { return f(x, y) })
	})
}

// pack writes the panels, in the order of taps.
func (d *pixelConv[T]) pack(panels, w []T) error {
	d.panels = panels
	_, outputs, depth, _ := d.groupSizes()
	lanes := vec.Lanes[T]()
	return ForWithWorkspace(d.Groups*d.columns/lanes, max(1, copyGrain/(lanes*depth)), 0, func(lo, hi int, _ []T) {
		for i := lo; i < hi; i++ {
			group, k := i*lanes/d.columns, i*lanes%d.columns
			panel := k / d.width * d.width
			width := min(d.width, d.columns-panel)
			d.packOutputs(panels[(group*d.columns+panel)*depth+k-panel:], w[(group*outputs+k)*depth:], width, min(lanes, outputs-k))
		}
	})
}

// packOutputs writes columns of a panel.
func (d *pixelConv[T]) packOutputs(to, w []T, width, outputs int) {
	channels, window := d.C/d.Groups, d.R*d.S
	if window == 1 { // taps are in the weights' order
		vec.Transpose(to, width, w, channels, outputs, channels)
		return
	}
	t := vec.Transposes[T]{Count: channels / vec.PixelChannels, Rows: outputs, Cols: window, RowDst: vec.PixelChannels * width, RowSrc: channels * window}
	t.StepDst, t.StepSrc = window*t.RowDst, window*vec.PixelChannels
	for c := range vec.PixelChannels {
		if t.Dst, t.Src = to[c*width:], w[c*window:]; t.Count > 0 {
			t.Run()
		}
	}
	if left := channels % vec.PixelChannels; left > 0 {
		done := (channels - left) * window
		vec.Transpose(to[done*width:], width, w[done:], channels*window, outputs, left*window)
	}
}

// piece computes a piece.
func (d *pixelConv[T]) piece(i int, x, copied, space []T, then op.Op, y []T) {
	image, area := d.area(i)
	_, outputs, _, pixels := d.groupSizes()
	input := d.input(x, image, area, copied)
	row, sums := space[:d.width], space[d.width:]
	for k := 0; k < outputs; k += d.width {
		to := y[(image*outputs+k)*pixels:]
		width := d.multiply(sums, input, image%d.Groups, k, row, area, to[area.line*d.OW+area.col:])
		d.store(to, sums, area, min(width, outputs-k), width, then)
	}
}

// input returns what taps count from: the input of a piece, or copies of it.
func (d *pixelConv[T]) input(x []T, image int, area pixelArea, copied []T) []T {
	inputs, _, _, _ := d.groupSizes()
	x = x[image*inputs:][:inputs]
	if d.inPlace {
		return x[area.line*d.W+area.col:]
	}
	copyArea(&d.pixelPieces, copied, x, area)
	return copied
}

// biasOf returns the bias of outputs from k on as a row, which is whole where there are fewer, or nil.
func (d *pixelConv[T]) biasOf(group, k int, row []T) []T {
	if d.bias == nil {
		return nil
	}
	outputs := d.K / d.Groups
	clear(row[copy(row, d.bias[group*outputs:][k:outputs]):])
	return row
}

// sums returns how many pixels there is memory for: more than a piece has, since tiles and vectors are whole.
func (d *pixelConv[T]) sums() int { return d.most() + max(vec.TileRows(), d.width) }

// multiply computes the sums of a panel, that of outputs from k on, and returns how many columns it has. Planes of y that they go to are prefetched.
func (d *pixelConv[T]) multiply(sums, input []T, group, k int, row []T, area pixelArea, y []T) int {
	rows, pixels, width := vec.TileRows(), d.pixelsOf(area), min(d.width, d.columns-k)
	panel := d.panels[(group*d.columns+k)*d.C/d.Groups*d.R*d.S:]
	tile := vec.Tile[T]{Rows: rows, Cols: width, ColA: d.plane, RowC: width, From: d.biasOf(group, k, row), Step: vec.Steps{A: rows, C: rows * width}}
	_, _, _, tile.RowB = d.groupSizes()
	tile.Step.Next = rows * area.cols * dtype.Of[T]().Size() / d.copies.pitch
	for n, taps := range d.blocks {
		if n == len(d.blocks)-1 {
			tile.Next = y
		}
		tile.K, tile.B = len(taps.at)*taps.channels, panel
		d.tiles(&tile, sums, input, pixels, &taps)
		tile.From, tile.RowFrom, tile.Step.From = sums, width, tile.Step.C
		panel = panel[tile.K*width:]
	}
	if over := pixels % rows; over > 0 {
		to := sums[(pixels-over)*width:]
		copy(to[:over*width], to[(rows-over)*width:])
	}
	return width
}

// tiles runs the tiles of a panel. The last one computes pixels of the one before again, but stores all its sums behind that one's.
func (d *pixelConv[T]) tiles(tile *vec.Tile[T], sums, input []T, pixels int, taps *pixelTaps) {
	whole, over, from := pixels/tile.Rows, pixels%tile.Rows, tile.From
	tile.A, tile.C, tile.Count = input, sums, whole
	tile.RunPixels(taps.at, taps.last, taps.channels)
	if over == 0 {
		return
	}
	tile.A, tile.C, tile.Count = input[pixels-tile.Rows:], sums[whole*tile.Step.C:], 1
	if tile.RowFrom > 0 {
		tile.From = tile.C
	}
	tile.RunPixels(taps.at, taps.last, taps.channels)
	tile.From = from
}

// store transposes the sums of so many outputs to their planes.
func (d *pixelConv[T]) store(y, sums []T, area pixelArea, outputs, width int, then op.Op) {
	_, _, _, pixels := d.groupSizes()
	lanes := vec.Lanes[T]()
	y = y[area.line*d.OW+area.col:]
	lines, cols := area.lines, area.cols
	if d.copies.pitch == area.cols {
		lines, cols = 1, (lines-1)*d.OW+cols
	}
	if cols < lanes || outputs < lanes {
		d.storeLines(y, sums, lines, cols, outputs, width)
	} else {
		t := vec.Transposes[T]{Rows: lanes, Cols: outputs, RowDst: pixels, RowSrc: width, StepDst: lanes, StepSrc: lanes * width}
		for l := range lines {
			t.Dst, t.Src, t.Count = y[l*d.OW:], sums[l*d.copies.pitch*width:], cols/lanes
			t.Run()
			if cols%lanes > 0 {
				t.Dst, t.Src, t.Count = t.Dst[cols-lanes:], t.Src[(cols-lanes)*width:], 1
				t.Run()
			}
		}
	}
	for l := range lines {
		epilogue(then, y[l*d.OW:], outputs, cols, pixels)
	}
}

// storeLines stores less than a vector by way of transposed sums that follow the others.
func (d *pixelConv[T]) storeLines(y, sums []T, lines, cols, outputs, width int) {
	_, _, _, pixels := d.groupSizes()
	lanes := vec.Lanes[T]()
	count := ceilDiv((lines-1)*d.copies.pitch+cols, lanes)
	turned := sums[d.sums()*d.width:]
	t := vec.Transposes[T]{Count: count, Rows: lanes, Cols: width, Dst: turned, RowDst: count * lanes, Src: sums, RowSrc: width, StepDst: lanes, StepSrc: lanes * width}
	t.Run()
	v := vec.Lines[T]{Planes: outputs, Rows: lines, Cols: cols, Width: cols, X: turned, PlaneX: count * lanes, RowX: d.copies.pitch, Stride: 1,
		Y: y, PlaneY: pixels, RowY: d.OW}
	v.Copy()
}
