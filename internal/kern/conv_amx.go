package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// A convolution of bfloat16 on AMX is a product of the weights with im2col's matrix, of which a thread has one panel at a time. A panel holds pairs along k, and
// so two channels of the input are joined first, to a plane of pairs. From then on a pair is an element of float32: the copies of conv_shift.go are made of half
// as many channels, and a row of a panel is 32 neighbours in them. The weights of two channels are joined likewise, and packed once for all images.
//
// Where channels fill steps of 32, pixels are rows of A, and nothing but the weights is packed (conv_amx_pixels.go).

const (
	minAMXOutputs  = 8       // of a group that pay for joining channels and packing panels, where windows are large
	minAMXProducts = 1 << 10 // for a pixel of a group, that pay for calls as well
)

// convAMX is such a convolution. A piece of work is some outputs of a group, its part, at some pixels of an image.
type convAMX struct {
	shifts                         // of pairs
	product amxProduct[dtype.BF16] // of a part's weights with a panel
	band    int                    // as directConv has it
	pieces  int                    // of an image
	rows    int                    // of a part
	parts   int                    // of a group
	x       []float32              // pairs
	packed  []float32              // the weights
	bias    []float32              // for the columns of a panel each
	y       []dtype.BF16
}

// takesAMX reports whether ConvBF16 computes a convolution, whose depth is larger by a window where an odd channel is joined with zeros.
func (s *ConvShape) takesAMX() bool {
	_, outputs, depth, pixels := s.groupSizes()
	return s.N > 0 && outputs >= minAMXOutputs && outputs*depth >= minAMXProducts && takesAMX(outputs, pixels, depth) && takesAMX(outputs, pixels, depth+s.R*s.S)
}

// ConvBF16 is Conv2D of bfloat16, which adds products in float32 as GemmBF16 does, depthwise as float32's, and rounds them once with the bias, and reports whether it
// computes the convolution.
func ConvBF16(s *ConvShape, x, w, bias, y []dtype.BF16) (bool, error) {
	if len(x) == 0 || len(w) == 0 || len(y) == 0 || !s.depthwise() && !s.takesAMX() {
		return false, nil
	}
	if s.depthwise() {
		return true, convDepthwiseBF16(s, x, w, bias, y)
	}
	if c := newPixelsAMX(s); c != nil {
		return true, c.run(x, w, bias, y)
	}
	joined := *s
	joined.C = s.Groups * ceilDiv(s.C/s.Groups, 2)
	var c convAMX
	c.shifts, c.band = shiftsFor[float32](&joined, vec.AMXCols)
	_, outputs, depth, pixels := c.groupSizes()
	c.pieces = ceilDiv(s.OH, c.lines) * ceilDiv(s.OW, c.width)
	if c.band > 0 {
		c.pieces = ceilDiv(pixels, c.band)
	}
	c.product = amxProduct[dtype.BF16]{k: 2 * depth, steps: ceilDiv(2*depth, vec.AMXSteps), ldc: pixels, height: ceilDiv(outputs, ceilDiv(outputs, vec.AMXRows))}
	c.divide()
	plane := s.H * s.W
	images := min(s.N, max(1, joinedElems/(joined.C*plane))*par.NumThreads())
	sizes := [3]int{images*joined.C*plane + vec.AMXCols, s.K * c.product.steps * vec.AMXSteps / 2, 0}
	if bias != nil {
		sizes[2] = s.K * vec.AMXCols
	}
	return true, withWorkspace(sizes[0]+sizes[1]+sizes[2], func(space []float32) error {
		c.x, c.packed = space[:sizes[0]], space[sizes[0]:][:sizes[1]]
		if bias != nil {
			c.bias = space[sizes[0]+sizes[1]:]
			for k, v := range bias {
				fillWith(c.bias[k*vec.AMXCols:][:vec.AMXCols], v.Float32())
			}
		}
		c.pack(w, s.C/s.Groups)
		for n := 0; n < s.N; n += images {
			joined.N = min(images, s.N-n)
			c.y = y[n*s.K*pixels:]
			c.join(x[n*s.C*s.H*s.W:], s.C/s.Groups)
			if err := c.compute(); err != nil {
				return err
			}
		}
		return nil
	})
}

// joinedElems is about how many pairs are joined at a time for each thread: a second cache level holds them.
const joinedElems = 1 << 17

// divide divides the outputs of a group into parts of whole tiles, each of which has its own panels. It changes no bits.
func (c *convAMX) divide() {
	_, outputs, _, _ := c.groupSizes()
	line, height := c.product.steps*vec.AMXSteps/2, c.product.height
	c.parts = ceilDiv(outputs, min(amxPieceRows, (maxScratch-vec.AMXCols)/line)/height*height)
	for c.N*c.Groups*c.pieces*c.parts < 2*par.NumThreads() && outputs/c.parts >= 2*vec.AMXRows {
		c.parts *= 2
	}
	c.rows = ceilDiv(ceilDiv(outputs, c.parts), height) * height
	c.parts = ceilDiv(outputs, c.rows)
}

// joinedTogether is how many planes are joined in turns, whose lines are read once.
const joinedTogether = 16

// join makes planes of pairs of the input, whose groups have so many channels.
func (c *convAMX) join(x []dtype.BF16, channels int) {
	plane, split := c.H*c.W, splitter(par.For)
	if plane < vec.AMXCols {
		split = inline // the end of a plane is written to the next
	}
	cuts := ceilDiv(channels, joinedTogether)
	split(c.N*c.Groups*cuts, max(1, copyGrain/(joinedTogether*plane)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			image, channel := i/cuts, i%cuts*joinedTogether
			to := c.x[(image*ceilDiv(channels, 2)+channel/2)*plane:]
			joinChannels(to, plane, x[(image*channels+channel)*plane:], min(joinedTogether, channels-channel), plane)
		}
	})
}

// joinChannels writes pairs of elements of neighbouring planes, so far apart, the last with zeros where their number is odd. Planes shorter than a panel's rows are written
// with anything behind them, up to a whole vector.
func joinChannels(dst []float32, apart int, src []dtype.BF16, channels, plane int) {
	pairs := channels / 2
	for i := 0; i < plane && pairs > 0; i += vec.AMXCols {
		at := max(min(i, plane-vec.AMXCols), 0)
		vec.PairRows(dst[at:], apart, src[at:], plane, pairs, min(vec.AMXCols, plane))
	}
	if channels%2 > 0 {
		for i, v := range src[2*pairs*plane:][:plane] {
			dst[pairs*apart+i] = math.Float32frombits(uint32(v))
		}
	}
}

// pack packs the weights of all parts.
func (c *convAMX) pack(w []dtype.BF16, channels int) {
	_, _, depth, _ := c.groupSizes()
	window, line := c.R*c.S, c.product.steps*vec.AMXSteps/2
	par.For(c.Groups*c.parts, max(1, copyGrain/(c.rows*line)), func(lo, hi int) {
		space := newScratch[float32](c.rows*depth + vec.AMXCols)
		defer space.release()
		part := c.product
		part.a = Matrix[dtype.BF16]{asHalves(space.data), part.k, 1}
		for i := lo; i < hi; i++ {
			first, end := c.part(i)
			for k := first; k < end; k++ {
				joinChannels(space.data[(k-first)*depth:], window, w[k*channels*window:], channels, window)
			}
			worker := amxWorker[dtype.BF16]{amxProduct: &part, rowEnd: end - first, packed: &scratch[float32]{c.packed[first*line:]}}
			worker.packA()
		}
	})
}

// part returns the outputs of part i of all groups'.
func (c *convAMX) part(i int) (first, end int) {
	_, outputs, _, _ := c.groupSizes()
	group := i / c.parts * outputs
	first = group + i%c.parts*c.rows
	return first, min(first+c.rows, group+outputs)
}

// compute computes all pieces.
func (c *convAMX) compute() error {
	_, _, depth, pixels := c.groupSizes()
	size, panel := c.size(), c.product.panelSize()
	flops := 2 * c.rows * 2 * depth * ceilDiv(pixels, c.pieces)
	return ForWithWorkspace(c.N*c.Groups*c.pieces*c.parts, max(1, amxPieceFlops/flops), size+panel, func(lo, hi int, space []float32) {
		part := c.product
		part.packedB = space[size:]
		clear(part.packedB[depth*vec.AMXCols:])
		w := amxWorker[dtype.BF16]{amxProduct: &part, sums: newScratch[float32]((c.rows + 1 + vec.AMXRows) * vec.AMXCols)}
		defer w.sums.release()
		for i := lo; i < hi; i++ {
			image, piece := i/(c.parts*c.pieces), i/c.parts%c.pieces
			c.take(&w, image, image%c.Groups*c.parts+i%c.parts)
			c.piece(&w, piece, c.x[image*c.C/c.Groups*c.H*c.W:], space)
		}
	})
}

// take makes a part of a group and an image, counted over all groups, those that a worker computes.
func (c *convAMX) take(w *amxWorker[dtype.BF16], image, part int) {
	first, end := c.part(part)
	pixels := c.OH * c.OW
	w.rowEnd = end - first
	w.packed = &scratch[float32]{c.packed[first*w.steps*vec.AMXSteps/2:]}
	w.c = c.y[(image/c.Groups*c.K+first)*pixels:][:w.rowEnd*pixels]
	if c.bias != nil {
		w.startRows = c.bias[first*vec.AMXCols:]
	}
}

// piece computes a piece of an image, whose input is x.
func (c *convAMX) piece(w *amxWorker[dtype.BF16], i int, x, shifted []float32) {
	y := w.c
	if c.band > 0 {
		first := i * c.band
		end, line := min(first+c.band, c.OH*c.OW), first/c.OW
		shift(&c.shifts, shifted, x, line, (end-1)/c.OW+1-line, 0, c.OW)
		c.multiply(w, y[first:], shifted[first-line*c.OW:], 1, end-first)
		return
	}
	across := ceilDiv(c.OW, c.width)
	line, col := i/across*c.lines, i%across*c.width
	lines, cols := min(c.lines, c.OH-line), min(c.width, c.OW-col)
	shift(&c.shifts, shifted, x, line, lines, col, cols)
	c.multiply(w, y[line*c.OW+col:], shifted, lines, cols)
}

// multiply computes cols columns of some lines of the output from shifted copies of the input.
func (c *convAMX) multiply(w *amxWorker[dtype.BF16], y []dtype.BF16, shifted []float32, lines, cols int) {
	for l := range lines {
		for j := 0; j < cols; j += vec.AMXCols {
			n := min(vec.AMXCols, cols-j)
			c.panel(w.packedB, shifted[l*c.pitch+j:], n)
			w.c = y[l*c.OW+j:]
			w.piece(0, n)
		}
	}
}

// panel packs so many columns of im2col's matrix.
func (c *convAMX) panel(dst, shifted []float32, cols int) {
	pairs, window := c.C/c.Groups, c.R*c.S
	for t := range window {
		vec.GatherRows(dst[t*vec.AMXCols:], window*vec.AMXCols, shifted[c.tap(t/c.S, t%c.S):], c.channel(), pairs, cols)
	}
}
