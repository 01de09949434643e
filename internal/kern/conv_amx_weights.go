package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// The gradient of bfloat16 for the weights on AMX is, for each tap of the window, a product over pixels: rows of A are outputs of dy, columns of B channels of the input.
//
// Both are copied to planes of lines that are as far apart in the input as in dy, with zeros at the borders, as a plane for each phase of the strides that taps have: so
// every tap sees the pixels of dy in order, from a place in a plane on that is its own. A step's pairs begin at even pixels, so of a plane there are panels of pairs from
// even and from odd places on, and a tap whose place is even or odd reads one of them, some pairs further on: what is packed serves all taps. So all rows that tiles load are
// cache lines, as many steps in a row as a band has: those of conv3x3_bf16/32x64x56x56 take 40 ns, and 73 where rows of A begin anywhere.
//
// Pixels of dy behind the end of a line are zeros, which meet elements of the input: where these are not finite, nor are more of the results.

const (
	minAMXChannels = 8       // of a group, and outputs, that fill tiles well enough
	minAMXPixels   = 16      // of an image, that fill steps
	weightSums     = 1 << 17 // of a piece
	weightCopies   = 1 << 19 // elements of a piece's operands, which the second cache level holds
	maxWeightTaps  = 1 << 9
)

// weightGradAMX is such a gradient. A piece of work is some parts of 32 outputs and some blocks of 32 channels of a group; it passes over bands: lines of some images.
type weightGradAMX struct {
	*ConvShape
	x, dy, dw             []dtype.BF16
	line, down            int // pixels of a line, and lines behind a band that taps reach
	images, lines, steps  int // of a band, and steps of an image
	phases                [][2]int
	panels                []weightPanel
	taps                  []weightTap
	phase, planeX, planeY int // elements of a phase of a channel, of a channel and of an output
	pairs                 int // of a panel
	parts, blocks         int // of a group
	someParts, someBlocks int // of a piece
}

// weightPanel is pairs from even or odd places of a phase's plane on.
type weightPanel struct{ phase, odd int }

// weightTap says which panel a tap reads, from which pair on.
type weightTap struct{ panel, pair int }

// ConvBF16GradWeight is Conv2DGradWeight of bfloat16, whose sums are of float32 and rounded once, and reports whether it computes the gradient.
func ConvBF16GradWeight(s *ConvShape, x, dy, dw []dtype.BF16) (bool, error) {
	if len(x) == 0 || len(dy) == 0 || len(dw) == 0 {
		return false, nil
	}
	if s.depthwise() {
		return true, gradWeightDepthwiseBF16(s, x, dy, dw)
	}
	if !vec.HasAMX() || min(s.C, s.K) < minAMXChannels*s.Groups || s.OH*s.OW < minAMXPixels || s.R*s.S > maxWeightTaps {
		return false, nil
	}
	g := newWeightGradAMX(s)
	if g.line > 4*s.OW || volume(g.images, g.someParts, vec.AMXRows, g.planeY) > maxPiece || volume(g.images, len(g.panels), g.pairs, vec.AMXCols) > maxPiece {
		return false, nil
	}
	g.x, g.dy, g.dw = x, dy, dw
	return true, g.compute()
}

func newWeightGradAMX(s *ConvShape) *weightGradAMX {
	g := &weightGradAMX{ConvShape: s, parts: ceilDiv(s.K/s.Groups, vec.AMXRows), blocks: ceilDiv(s.C/s.Groups, vec.AMXCols)}
	right := (s.S - 1) * s.DilationW / s.StrideW
	g.down, g.line = (s.R-1)*s.DilationH/s.StrideH, (s.OW+right+1)&^1 // an even line leaves it to the column whether a tap's place is odd
	most := g.down*g.line + right
	for t := range s.R * s.S {
		h, w := t/s.S*s.DilationH, t%s.S*s.DilationW
		phase := indexIn(&g.phases, [2]int{h % s.StrideH, w % s.StrideW})
		at := h/s.StrideH*g.line + w/s.StrideW
		g.taps = append(g.taps, weightTap{indexIn(&g.panels, weightPanel{phase, at % 2}), at / 2})
	}
	g.someParts, g.someBlocks = g.parts, g.blocks
	for g.someParts*g.someBlocks > 1 && g.someParts*g.someBlocks*len(g.taps)*vec.AMXRows*vec.AMXCols > weightSums {
		g.halve()
	}
	// The bits of the results depend on the lines of a band, which depend on the shape alone.
	room := weightCopies / (vec.AMXCols * (g.someParts + len(g.panels))) // elements of a plane
	g.lines = min(max(room/g.line-g.down, 1), g.OH)
	g.lines = ceilDiv(g.OH, ceilDiv(g.OH, g.lines)) // evenly
	g.steps, g.images = ceilDiv(g.lines*g.line, vec.AMXSteps), 1
	if g.lines == g.OH {
		g.images = min(g.N, max(1, room/(g.steps*vec.AMXSteps+most)))
	}
	for threads := par.NumThreads(); threads > 1 && g.someParts*g.someBlocks > 1 && g.pieces() < 2*threads; {
		g.halve()
	}
	g.pairs = g.steps*vec.AMXSteps/2 + (most+1)/2
	g.phase = max(2*g.pairs+2, (g.lines+g.down)*g.line+ceilDiv(g.PadW, g.StrideW)) // the last line ends with zeros
	g.planeX, g.planeY = oddLines(len(g.phases)*g.phase), oddLines(g.steps*vec.AMXSteps)
	return g
}

// halve makes pieces half as large.
func (g *weightGradAMX) halve() {
	if g.someParts > g.someBlocks {
		g.someParts = ceilDiv(g.someParts, 2)
	} else {
		g.someBlocks = ceilDiv(g.someBlocks, 2)
	}
}

// pieces returns how many pieces there are.
func (g *weightGradAMX) pieces() int {
	return g.Groups * ceilDiv(g.parts, g.someParts) * ceilDiv(g.blocks, g.someBlocks)
}

// oddLines returns how many elements, at least n, fill an odd number of cache lines: planes so far apart do not share sets of a cache.
func oddLines(n int) int { return (ceilDiv(n, 2*lineElems) | 1) * 2 * lineElems }

// indexIn returns where x is in a list, to which it is appended where it is not.
func indexIn[T comparable](list *[]T, x T) int {
	for i, v := range *list {
		if v == x {
			return i
		}
	}
	*list = append(*list, x)
	return len(*list) - 1
}

// compute computes all pieces.
func (g *weightGradAMX) compute() error {
	const lanes = vec.AMXCols / 2
	window, tile := len(g.taps), vec.AMXRows*vec.AMXCols
	sums, packed := g.someParts*g.someBlocks*window*tile, len(g.panels)*g.images*g.pairs*vec.AMXCols
	copies := g.images * g.someParts * vec.AMXRows * g.planeY / 2
	spare := max(lanes*g.planeX/2, (vec.AMXCols+1)*window+lanes)
	flops := volume(2*window*g.N*g.OH*g.line, g.someParts*g.someBlocks*tile)
	return ForWithWorkspace(g.pieces(), max(1, amxPieceFlops/flops), room(sums, packed, copies, spare), func(lo, hi int, space []float32) {
		w := weightWorker{weightGradAMX: g, sums: space[:sums], packed: space[room(sums):][:packed],
			copies: asHalves(space[room(sums, packed):][:copies]), spare: space[room(sums, packed, copies):][:spare]}
		for i := lo; i < hi; i++ {
			w.piece(i)
		}
	})
}
