package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// On amd64 a convolution of many products for each output is that of its windows, a row for each output pixel, with packed weights, a column for each output.
// Elements of windows are found by taps in a padded copy of the input, or in the input itself, and no matrix of them is written: tiles of outputs by pixels
// (conv_direct.go) load vectors across cache lines. conv3x3/32x64x56x56 takes three quarters of the time so under AVX2, 0.94 under AVX-512, conv1x1/32x256x14x14 0.85.
//
// Lines of the copy lie so close that the zeros behind one are those before the next, columns of different remainders by the stride apart from each
// other. Pixels are numbered through them, unless tiles fill lines, and the few that belong to no output are left out when sums are transposed to the output's planes. Under
// AVX-512 tiles do so themselves, in registers, where no pixel is left out.

// pixelConv is such a convolution in pieces: parts of some lines of one image and group.
type pixelConv[T dtype.Float] struct {
	pixelPieces
	bias    []T
	panels  []T // weights: for each group and the outputs of a tile [depth, columns]
	width   int // columns of a whole panel
	columns int // of all panels of a group
	beside  int // convolutions whose sums lie beside each other: of a gradient those of the phases of columns (conv_pixels_phases.go), else 1
	each    int // elements of the result for each pixel, 1 but for a gradient, whose phases have one each: so much is prefetched
}

func newPixelConv[T dtype.Float](pieces *pixelPieces, bias []T) *pixelConv[T] {
	d := &pixelConv[T]{pixelPieces: *pieces, bias: bias, width: vec.PanelCols[T](), beside: 1, each: 1}
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
	input := inputOf(&d.pixelPieces, x, image, area, copied)
	row, sums := space[:d.width], space[d.width:]
	for k := 0; k < outputs; k += d.width {
		to := planes[T]{y[(image*outputs+k)*pixels+area.line*d.OW+area.col:], pixels, d.OW}
		width := min(d.width, d.columns-k)
		direct := d.direct(area) && width <= outputs-k
		d.multiply(sums, input, image%d.Groups, k, row, area, to, direct)
		lines := pixelLines[T]{lines: area.lines, cols: area.cols, pitch: d.pitchOf(area), outputs: min(width, outputs-k), width: width}
		if !direct {
			lines.store(to, sums, sums[d.sums()*d.width:])
		}
		lines.epilogue(to, then)
	}
}

// inputOf returns what taps count from: the input of a piece, or copies of it.
func inputOf[T dtype.Float](d *pixelPieces, x []T, image int, area pixelArea, copied []T) []T {
	inputs, _, _, _ := d.groupSizes()
	x = x[image*inputs:][:inputs]
	if d.inPlace {
		return x[area.line*d.W+area.col:]
	}
	copyArea(d, copied, x, area)
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

// direct reports whether tiles store sums to planes themselves, as where these have no gaps between lines: conv1x1/32x256x14x14 takes a twentieth less time so. Parts of lines
// would take longer, since their tiles' ends are in the middle of cache lines.
func (d *pixelConv[T]) direct(a pixelArea) bool {
	return vec.StoresPlanes() && a.cols == d.copies.pitch && a.cols == d.OW
}

// multiply computes the sums of a panel, that of outputs from k on. Where they go to is prefetched; direct stores them there.
func (d *pixelConv[T]) multiply(sums, input []T, group, k int, row []T, area pixelArea, to planes[T], direct bool) {
	rows, width := vec.TileRows(), min(d.width, d.columns-k)
	panel := d.panels[(group*d.columns+k)*d.C/d.Groups*d.R*d.S:]
	tile := vec.Tile[T]{Rows: rows, Cols: width, RowB: to.plane, ColA: d.plane, RowC: d.beside * width, From: d.biasOf(group, k, row)}
	tile.Step = vec.Steps{A: rows, C: rows * tile.RowC, Next: rows * d.each * dtype.Of[T]().Size()}
	for n, taps := range d.blocks {
		last := n == len(d.blocks)-1
		if last {
			tile.Next = to.at
		}
		tile.K, tile.B = len(taps.at)*taps.channels, panel
		d.tiles(&tile, sums, input, area, &taps, to.row, last && direct)
		tile.From, tile.RowFrom, tile.Step.From = sums, tile.RowC, tile.Step.C
		panel = panel[tile.K*width:]
	}
	if pixels := d.pixelsOf(area); pixels%rows > 0 && !d.lineByLine(area) && !direct {
		for i := pixels / rows * rows; i < pixels; i++ {
			copy(sums[i*tile.RowC:][:width], sums[(i+rows-pixels%rows)*tile.RowC:])
		}
	}
}

// fill is multiply for a window without weights.
func (d *pixelConv[T]) fill(sums []T, group, k int, row []T, area pixelArea) {
	width := min(d.width, d.columns-k)
	clear(row)
	d.biasOf(group, k, row)
	for i := range (area.lines-1)*d.pitchOf(area) + area.cols {
		copy(sums[i*d.beside*width:][:width], row)
	}
}

// tiles runs the tiles of a panel, line by line where they fill lines. Elsewhere the last one computes pixels of the one before again, but stores all its sums behind
// that one's. Lines of the result are so far apart; direct stores to them.
func (d *pixelConv[T]) tiles(tile *vec.Tile[T], sums, input []T, area pixelArea, taps *pixelTaps, line int, direct bool) {
	pixels, next, first := d.pixelsOf(area), tile.Next, tile.RowFrom == 0
	run := func(from, to, result, count int) {
		rows := sums[to*tile.RowC:]
		tile.A, tile.Count = input[from:], count
		if !first {
			tile.From = rows
		}
		if tile.C = rows; direct {
			tile.C = nil
		}
		if next != nil {
			tile.Next = next[min(result, len(next)):]
		}
		tile.RunPixels(taps.at, taps.last, taps.channels)
	}
	if d.lineByLine(area) {
		for l := range area.lines {
			run(l*d.copies.pitch, l*area.cols, l*line, area.cols/tile.Rows)
		}
		return
	}
	whole, over := pixels/tile.Rows, pixels%tile.Rows
	run(0, 0, 0, whole)
	if over > 0 {
		run(pixels-tile.Rows, whole*tile.Rows, pixels-tile.Rows, 1)
	}
}
