package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// A convolution of bfloat16 whose channels fill steps of 32 is a product of pixels with the weights. The lines of the input that a piece of work reads are copied to
// pixels of 32 channels each, a cache line, with zeros at the borders: [32s of channels, lines, pixels, 32]. Whatever the stride, rows of A are whole cache lines there, which
// taps find for each place in a window, so nothing is copied twice. Weights are B, packed once: a panel for 32 outputs, or a block of its steps, stays in the first cache
// level while all tiles of a piece meet it.
//
// A step for 32 pixels and 32 outputs takes 30 ns where all lies in that level, for 16 pixels no less: such steps are two thirds of the time of conv3x3_bf16/32x64x56x56.

const (
	copiedBytes   = 1 << 19 // of a piece, which the second cache level holds
	maxPiece      = 1 << 28 // elements of a piece, which taps and places count in 32 bits
	maxWindow     = 1 << 10 // places, of each of which a step has a tap
	weightBlock   = 18      // steps of a block of k: 36 KiB of a panel
	tilesTogether = 16      // whose sums are kept from a block to the next
)

// pixelsAMX is such a convolution. A piece of work is some output lines of some images, or a part of their columns, for a part of the panels of a group.
type pixelsAMX struct {
	*ConvShape
	steps, block         int
	panels, parts        int // of a group
	images, lines, width int // of a piece
	span, depth          int // pixels of a line and lines that a piece reads of an image
	taps                 []int32
	packed, bias         []float32
	x, y                 []dtype.BF16
}

// newPixelsAMX returns nil for other convolutions.
func newPixelsAMX(s *ConvShape) *pixelsAMX {
	c := &pixelsAMX{ConvShape: s, steps: s.C / s.Groups / vec.AMXSteps * s.R * s.S, panels: ceilDiv(s.K/s.Groups, vec.AMXCols), parts: 1}
	if s.C/s.Groups%vec.AMXSteps > 0 || s.R*s.S > maxWindow {
		return nil
	}
	c.block = ceilDiv(c.steps, ceilDiv(c.steps, weightBlock))
	c.cut()
	c.divide()
	c.span, c.depth = c.read(c.width, c.StrideW, c.S, c.DilationW), c.read(c.lines, c.StrideH, c.R, c.DilationH)
	if volume(c.images, c.C/c.Groups, c.depth, c.span) > maxPiece || volume(c.lines, c.OW) > maxPiece {
		return nil
	}
	window := c.R * c.S
	for l := range c.steps { // for each 32 channels all places of the window
		block, r, q := l/window, l%window/c.S, l%c.S
		c.taps = append(c.taps, int32(((block*c.depth+r*c.DilationH)*c.span+q*c.DilationW)*vec.AMXSteps))
	}
	return c
}

// run computes y.
func (c *pixelsAMX) run(x, w, bias, y []dtype.BF16) error {
	panels := c.Groups * c.panels
	size := panels * c.steps * vec.AMXSteps / 2 * vec.AMXCols
	return withWorkspace(size+panels*vec.AMXCols, func(space []float32) error {
		c.x, c.y, c.packed = x, y, space[:size]
		if bias != nil {
			c.bias = space[size:]
		}
		c.pack(w, bias)
		return c.compute()
	})
}

// cut decides on the pieces for one thread.
func (c *pixelsAMX) cut() {
	room := copiedBytes / 2 / (c.C / c.Groups) // pixels
	c.images, c.lines, c.width = 1, c.OH, c.OW
	if least := min(cutLines, c.OH); c.area(least, c.OW) > room {
		c.lines = least
		c.width = (room/c.read(least, c.StrideH, c.R, c.DilationH) - (c.S-1)*c.DilationW) / c.StrideW / vec.AMXRows * vec.AMXRows
		c.width = min(max(c.width, vec.AMXRows), c.OW)
		return
	}
	for c.area(c.lines, c.OW) > room {
		c.lines--
	}
	c.lines = ceilDiv(c.OH, ceilDiv(c.OH, c.lines)) // evenly
	if c.lines == c.OH {
		c.images = min(c.N, max(1, min(room/c.area(c.lines, c.OW), maxPiece/volume(c.K, c.OH, c.OW))))
	}
}

// read returns how many elements of the input so many of the output read along an axis.
func (c *pixelsAMX) read(n, stride, window, dilation int) int {
	return (n-1)*stride + (window-1)*dilation + 1
}

// area returns how many pixels are read for so many lines and columns.
func (c *pixelsAMX) area(lines, cols int) int {
	return volume(c.read(lines, c.StrideH, c.R, c.DilationH), c.read(cols, c.StrideW, c.S, c.DilationW))
}

// divide makes more pieces where several threads would want them. It changes no bits.
func (c *pixelsAMX) divide() {
	threads := par.NumThreads()
	for c.images > 1 && threads > 1 && c.pieces() < 4*threads {
		c.images = ceilDiv(c.images, 2)
	}
	for threads > 1 && c.pieces()*c.parts < 2*threads {
		switch {
		case c.lines >= 2*cutLines:
			c.lines = ceilDiv(c.lines, 2)
		case c.parts < c.panels:
			c.parts = min(2*c.parts, c.panels)
		default:
			threads = 1
		}
	}
}

// pieces returns how many pieces there are for each part.
func (c *pixelsAMX) pieces() int {
	return ceilDiv(c.N, c.images) * c.Groups * ceilDiv(c.OH, c.lines) * ceilDiv(c.OW, c.width)
}

// pack packs the weights and the bias of all panels, with zeros for outputs that are not there.
func (c *pixelsAMX) pack(w, bias []dtype.BF16) {
	outputs, depth := c.K/c.Groups, c.steps*vec.AMXSteps
	clear(c.bias)
	par.For(c.Groups*c.panels, max(1, copyGrain/(vec.AMXCols*depth)), func(lo, hi int) {
		space := newScratch[float32](vec.AMXCols / 2 * c.R * c.S * vec.AMXSteps / 2)
		defer space.release()
		for i := lo; i < hi; i++ {
			first := i/c.panels*outputs + i%c.panels*vec.AMXCols
			cols := min(vec.AMXCols, outputs-i%c.panels*vec.AMXCols)
			c.packPanel(c.packed[i*depth/2*vec.AMXCols:][:depth/2*vec.AMXCols], w[first*depth:][:cols*depth], cols, asHalves(space.data))
			for j := range min(cols, len(bias)) {
				c.bias[i*vec.AMXCols+j] = bias[first+j].Float32()
			}
		}
	})
}

// packPanel packs the weights of so many outputs.
func (c *pixelsAMX) packPanel(panel []float32, w []dtype.BF16, outputs int, space []dtype.BF16) {
	const lanes = vec.AMXCols / 2
	if outputs <= lanes {
		clear(panel)
	}
	depth, window := c.steps*vec.AMXSteps, c.R*c.S
	for j := 0; j < outputs; j += lanes {
		rows := min(lanes, outputs-j)
		if window == 1 {
			vec.PairColumns(panel[j:], vec.AMXCols, w[j*depth:], depth, rows, depth/2)
			continue
		}
		size := vec.AMXSteps * window
		for at := 0; at < depth; at += size {
			for k := range rows {
				turnWindow(space[k*size:][:size], w[(j+k)*depth+at:], window)
			}
			vec.PairColumns(panel[at/2*vec.AMXCols+j:], vec.AMXCols, space, size, rows, size/2)
		}
	}
}

// turnWindow writes the weights of an output and 32 channels in the order of steps: for each place of the window the channels.
func turnWindow(dst, w []dtype.BF16, window int) {
	for t := range window {
		to := dst[t*vec.AMXSteps:][:vec.AMXSteps]
		for i := range to {
			to[i] = w[i*window+t]
		}
	}
}

// compute computes all pieces.
func (c *pixelsAMX) compute() error {
	tasks := c.pieces() * c.parts
	flops := volume(2, c.N, c.K, c.OH, c.OW, c.steps*vec.AMXSteps) / tasks
	image := c.C / c.Groups * c.depth * c.span
	return ForWithWorkspace(tasks, max(1, amxPieceFlops/max(flops, 1)), c.images*image, func(lo, hi int, space []dtype.BF16) {
		w := pixelsWorker{pixelsAMX: c, space: space, image: image, sums: newScratch[float32](tilesTogether * vec.AMXRows * vec.AMXCols)}
		defer w.sums.release()
		clear(w.sums.data) // rows that tiles lack hold no NaN
		if c.block < c.steps {
			w.apart = vec.AMXRows * vec.AMXCols
		}
		for i := lo; i < hi; i++ {
			if i == lo || i%c.parts == 0 {
				w.take(i / c.parts)
			}
			first := i % c.parts * c.panels / c.parts
			for p := first; p < (i%c.parts+1)*c.panels/c.parts; p++ {
				w.panel(p)
			}
		}
	})
}

// pixelsWorker is a thread's work at a piece.
type pixelsWorker struct {
	*pixelsAMX
	space  []dtype.BF16 // the copies of images, each so many elements
	image  int
	at     pixelsPiece
	tile   vec.AMXPixels
	places []vec.AMXPlace
	sums   *scratch[float32]
	apart  int // of the sums of tiles
}

// pixelsPiece is what a worker computes: so many images from n on, lines and columns.
type pixelsPiece struct{ n, images, group, line, lines, col, cols int }

// take copies what a piece reads and finds its tiles.
func (w *pixelsWorker) take(piece int) {
	across, down := ceilDiv(w.OW, w.width), ceilDiv(w.OH, w.lines)
	w.at.col, piece = piece%across*w.width, piece/across
	w.at.line, piece = piece%down*w.lines, piece/down
	w.at.group, w.at.n = piece%w.Groups, piece/w.Groups*w.images
	w.at.images, w.at.lines, w.at.cols = min(w.images, w.N-w.at.n), min(w.lines, w.OH-w.at.line), min(w.width, w.OW-w.at.col)
	for n := range w.at.images {
		w.copy(w.space[n*w.image:][:w.image], w.x[(w.at.n+n)*w.C*w.H*w.W+w.at.group*(w.C/w.Groups)*w.H*w.W:])
	}
	w.findTiles()
}

// copy copies the lines of an image.
func (w *pixelsWorker) copy(dst, x []dtype.BF16) {
	row, col := w.at.line*w.StrideH-w.PadH, w.at.col*w.StrideW-w.PadW
	above, below := within(w.depth, row, 1, w.H)
	left, right := within(w.span, col, 1, w.W)
	line, plane := w.span*vec.AMXSteps, w.H*w.W
	for ; len(dst) > 0; dst, x = dst[w.depth*line:], x[vec.AMXSteps*plane:] {
		if above == below || left == right {
			clear(dst[:w.depth*line])
			continue
		}
		clear(dst[:above*line])
		clear(dst[below*line : w.depth*line])
		for i := above; i < below; i++ {
			clear(dst[i*line:][:left*vec.AMXSteps])
			clear(dst[i*line:][right*vec.AMXSteps : line])
		}
		to, from := dst[above*line+left*vec.AMXSteps:], x[(row+above)*w.W+col+left:]
		if left == 0 && right == w.span && w.span == w.W {
			vec.ChannelLines(to, 0, from, plane, 0, 1, (below-above)*w.W)
		} else {
			vec.ChannelLines(to, line, from, plane, w.W, below-above, right-left)
		}
	}
}

// findTiles finds the tiles of a piece. Where lines are contiguous in the copies as in the results, they are one line; short ones that are contiguous in the results share tiles in pairs.
// The last tile overlaps the one before.
func (w *pixelsWorker) findTiles() {
	lines, cols, line, whole := w.at.lines, w.at.cols, w.StrideH*w.span, w.at.cols == w.OW
	if whole && w.OW == w.span && w.StrideH*w.StrideW == 1 {
		lines, cols = 1, lines*cols
	}
	t, down := &w.tile, 1
	t.RowA = w.StrideW * vec.AMXSteps
	if whole && cols <= vec.AMXRows/2 && lines > 1 {
		t.Rows, t.LowA, down = 2*cols, line*vec.AMXSteps, 2
	} else {
		t.Rows = ceilDiv(cols, ceilDiv(cols, vec.AMXRows))
		t.LowA = (t.Rows + 1) / 2 * t.RowA
	}
	w.places = w.places[:0]
	for n := range w.at.images {
		for l := 0; l < lines; l += down {
			l := min(l, lines-down)
			for j := 0; j < cols; j += t.Rows {
				j := min(j, max(cols-t.Rows, 0))
				w.places = append(w.places, vec.AMXPlace{
					A: int32(n*w.image + (l*line+j*w.StrideW)*vec.AMXSteps),
					C: int32(n*w.K*w.OH*w.OW + l*w.OW + j),
				})
			}
		}
	}
	t.A, t.LastTap = w.space, int(w.taps[len(w.taps)-1])
	t.LastPlace = w.places[len(w.places)-1]
}

// panel computes all tiles for a panel of outputs.
func (w *pixelsWorker) panel(p int) {
	size, plane := w.steps*vec.AMXSteps/2*vec.AMXCols, w.OH*w.OW
	outputs, at := min(vec.AMXCols, w.K/w.Groups-p*vec.AMXCols), w.at.group*w.panels+p
	y := w.y[(w.at.n*w.K+w.at.group*(w.K/w.Groups)+p*vec.AMXCols)*plane+w.at.line*w.OW+w.at.col:]
	tile := w.tile
	for i := 0; i < len(w.places); i += tilesTogether {
		tile.Places = w.places[i:min(i+tilesTogether, len(w.places))]
		for l := 0; l < w.steps; l += w.block {
			tile.K, tile.Taps, tile.B = min(w.block, w.steps-l), w.taps[l:], w.packed[at*size+l*vec.AMXSteps/2*vec.AMXCols:]
			tile.Sums, tile.StepSums = w.sums.data, w.apart
			tile.From, tile.RowFrom, tile.StepFrom = nil, 0, 0
			if l > 0 {
				tile.From, tile.RowFrom, tile.StepFrom = tile.Sums, vec.AMXCols, tile.StepSums
			} else if w.bias != nil {
				tile.From = w.bias[at*vec.AMXCols:]
			}
			if l+tile.K < w.steps {
				tile.RunSums()
				continue
			}
			tile.RunPlanes(y, plane, outputs)
		}
	}
}
