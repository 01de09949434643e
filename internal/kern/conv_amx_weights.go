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
// even and from odd places on, and a tap whose place is even or odd reads one of them, some pairs further on: what is packed serves all taps.
//
// 64 outputs of 3x3 taps and 32 channels take 1,152 cycles for 32 pixels, by two FMA of 16 lanes a cycle 18,400; packing takes some 300, by counting shuffles. Pixels of dy
// behind the end of a line are zeros, which meet elements of the input: where these are not finite, nor are more of the results.

const (
	minAMXChannels = 8  // of a group, and outputs, that fill tiles well enough
	minAMXPixels   = 16 // of an image, that fill steps
	weightSteps    = 8  // of a call: the first cache level holds what they read of dy and of two panels
	weightSums     = 1 << 16
)

// weightGradAMX is such a gradient. A piece of work is some outputs of a group, its part, and up to 32 channels.
type weightGradAMX struct {
	*ConvShape
	dy, x            []dtype.BF16 // planes
	dyPlane, xPlane  int          // elements of a plane
	line, lines      int          // of a plane of x
	steps, bandSteps int          // of a plane of dy, and of what is packed at a time
	phases           [][2]int     // of planes of x
	panels           []weightPanel
	starts           []int // of what is packed of each panel, and the end of all
	taps             []weightTap
	rows, parts      int // outputs of a part, parts of a group
	blocks           int // of channels
}

// weightPanel is pairs from even or odd places of a phase's plane on, which so many more pairs than a band's are read of.
type weightPanel struct{ phase, odd, more int }

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
	if !vec.HasAMX() || min(s.C, s.K) < minAMXChannels*s.Groups || s.OH*s.OW < minAMXPixels {
		return false, nil
	}
	g := newWeightGradAMX(s)
	if g.line > 4*s.OW {
		return false, nil
	}
	sizes := [2]int{volume(s.N, s.K, g.dyPlane/2), volume(s.N, s.C, len(g.phases), g.xPlane/2)}
	return true, withWorkspace(room(sizes[:]...), func(space []float32) error {
		g.dy, g.x = asHalves(space[:sizes[0]]), asHalves(space[room(sizes[0]):][:sizes[1]])
		g.copyPlanes(x, dy)
		return g.compute(dw)
	})
}

func newWeightGradAMX(s *ConvShape) *weightGradAMX {
	g := &weightGradAMX{ConvShape: s}
	down, right := (s.R-1)*s.DilationH/s.StrideH, (s.S-1)*s.DilationW/s.StrideW
	g.line, g.lines = (s.OW+right+1)&^1, s.OH+down // an even line leaves it to the column whether a tap's place is odd
	most := down*g.line + right
	g.steps = ceilDiv(s.OH*g.line, vec.AMXSteps)
	g.bandSteps = min(g.steps, 4*weightSteps+2*most/vec.AMXSteps)
	g.dyPlane, g.xPlane = oddLines(g.steps*vec.AMXSteps), oddLines(g.steps*vec.AMXSteps+most+2)
	for t := range s.R * s.S {
		h, w := t/s.S*s.DilationH, t%s.S*s.DilationW
		phase := indexIn(&g.phases, [2]int{h % s.StrideH, w % s.StrideW})
		at := h/s.StrideH*g.line + w/s.StrideW
		panel := indexIn(&g.panels, weightPanel{phase, at % 2, (most + 1) / 2})
		g.taps = append(g.taps, weightTap{panel, at / 2})
	}
	g.starts = []int{0}
	for i, p := range g.panels {
		g.starts = append(g.starts, g.starts[i]+g.panelPairs(p)*vec.AMXCols)
	}
	g.divide()
	return g
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

// divide divides the outputs of a group into parts of whole tiles, each of which packs panels for itself. It changes no bits.
func (g *weightGradAMX) divide() {
	outputs, tile := g.K/g.Groups, vec.AMXRows
	g.blocks = ceilDiv(g.C/g.Groups, vec.AMXCols)
	most := max(1, weightSums/(len(g.taps)*vec.AMXCols*tile))
	tiles := ceilDiv(outputs, tile)
	g.parts = ceilDiv(tiles, most)
	for g.Groups*g.blocks*g.parts < 2*par.NumThreads() && g.parts < tiles && par.NumThreads() > 1 {
		g.parts = min(2*g.parts, tiles)
	}
	g.rows = ceilDiv(tiles, g.parts) * tile
	g.parts = ceilDiv(outputs, g.rows)
}

// copyPlanes copies dy and the input.
func (g *weightGradAMX) copyPlanes(x, dy []dtype.BF16) {
	par.For(g.N*g.K, max(1, copyGrain/g.dyPlane), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := g.dy[i*g.dyPlane:][:g.dyPlane]
			clear(to)
			for h := range g.OH {
				copy(to[h*g.line:], dy[(i*g.OH+h)*g.OW:][:g.OW])
			}
		}
	})
	count := len(g.phases)
	par.For(g.N*g.C*count, max(1, copyGrain/g.xPlane), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			g.copyPhase(g.x[i*g.xPlane:][:g.xPlane], x[i/count*g.H*g.W:][:g.H*g.W], g.phases[i%count])
		}
	})
}

// copyPhase copies the elements of a channel that a phase's taps read.
func (g *weightGradAMX) copyPhase(to, x []dtype.BF16, phase [2]int) {
	clear(to)
	above, below := within(g.lines, phase[0]-g.PadH, g.StrideH, g.H)
	left, right := within(g.line, phase[1]-g.PadW, g.StrideW, g.W)
	if above == below || left == right {
		return
	}
	cols, rowX := right-left, g.StrideH*g.W
	to, x = to[above*g.line+left:], x[(above*g.StrideH+phase[0]-g.PadH)*g.W+left*g.StrideW+phase[1]-g.PadW:]
	if g.StrideW == 2 { // the gradient of conv3x3_stride2_bf16/32x64x56x56 takes a tenth less time so
		vec.EverySecond(to, g.line, x, rowX, below-above, cols)
		return
	}
	for i := range below - above {
		line, from := to[i*g.line:][:cols], x[i*rowX:]
		if g.StrideW == 1 {
			copy(line, from)
			continue
		}
		for j := range line {
			line[j] = from[j*g.StrideW]
		}
	}
}

// compute computes all pieces.
func (g *weightGradAMX) compute(dw []dtype.BF16) error {
	panels, window := g.starts[len(g.panels)], len(g.taps)
	sums, rest := g.rows*window*vec.AMXCols, (vec.AMXCols+1)*window+vec.AMXCols
	flops := 2 * g.N * g.steps * vec.AMXSteps * window * g.rows * vec.AMXCols
	return ForWithWorkspace(g.Groups*g.blocks*g.parts, max(1, amxPieceFlops/flops), room(panels, sums, rest), func(lo, hi int, space []float32) {
		packed, sums, rest := space[:panels], space[room(panels):][:sums], space[room(panels, sums):]
		for i := lo; i < hi; i++ {
			group, block, part := i/(g.blocks*g.parts), i/g.parts%g.blocks, i%g.parts
			outputs := g.K / g.Groups
			first := part * g.rows
			rows, channel := min(g.rows, outputs-first), group*(g.C/g.Groups)+block*vec.AMXCols
			channels := min(vec.AMXCols, g.C/g.Groups-block*vec.AMXCols)
			g.piece(group*outputs+first, rows, channel, channels, packed, sums)
			g.store(dw, group*outputs+first, rows, block*vec.AMXCols, channels, sums, rest)
		}
	})
}

// panelPairs returns how many pairs are packed of a band.
func (g *weightGradAMX) panelPairs(p weightPanel) int { return g.bandSteps*vec.AMXSteps/2 + p.more }

// piece sums the products of all images for outputs from k and channels from c on, counted over all groups: sums are [taps, rows, 32].
func (g *weightGradAMX) piece(k, rows, c, channels int, packed, sums []float32) {
	for n := range g.N {
		for l := 0; l < g.steps; l += g.bandSteps {
			steps := min(g.bandSteps, g.steps-l)
			g.pack(packed, n*g.C+c, channels, l*vec.AMXSteps, steps)
			g.multiply(g.dy[(n*g.K+k)*g.dyPlane+l*vec.AMXSteps:], rows, steps, packed, sums, n+l == 0)
		}
	}
}

// pack packs the panels of so many steps from a pixel on, of channels whose planes begin at one.
func (g *weightGradAMX) pack(dst []float32, channel, channels, first, steps int) {
	apart := len(g.phases) * g.xPlane
	for i, p := range g.panels {
		x := g.x[(channel*len(g.phases)+p.phase)*g.xPlane+first+p.odd:]
		pairs := steps*vec.AMXSteps/2 + p.more
		for j := 0; j < channels; j += vec.AMXCols / 2 {
			vec.PairColumns(dst[g.starts[i]+j:], vec.AMXCols, x[j*apart:], apart, min(vec.AMXCols/2, channels-j), pairs)
		}
	}
}

// multiply adds the products of some steps to sums, from zero at the first. A tile of outputs meets all taps before the next does.
func (g *weightGradAMX) multiply(dy []dtype.BF16, rows, steps int, packed, sums []float32, begin bool) {
	t := vec.AMXTile{RowA: g.dyPlane, ColA: vec.AMXSteps, RowFrom: vec.AMXCols, Count: 1}
	for _, group := range tileGroups(0, rows, ceilDiv(rows, ceilDiv(rows, vec.AMXRows))) {
		for row := group.row; row < group.row+group.tiles*group.height; row += group.height {
			t.Rows = group.height
			for l := 0; l < steps; l += weightSteps {
				t.K, t.A = min(weightSteps, steps-l), dy[row*g.dyPlane+l*vec.AMXSteps:]
				for i, tap := range g.taps {
					t.B = packed[g.starts[tap.panel]+(tap.pair+l*vec.AMXSteps/2)*vec.AMXCols:]
					t.Sums, t.From = sums[(i*g.rows+row)*vec.AMXCols:], nil
					if !begin || l > 0 {
						t.From = t.Sums
					}
					t.RunSums()
				}
			}
		}
	}
}

// store writes the sums for outputs from k and channels of their group from c on, whose windows are ordered by channel. What a copy writes beyond a window the next one
// overwrites.
func (g *weightGradAMX) store(dw []dtype.BF16, k, rows, c, channels int, sums, space []float32) {
	const lanes = vec.AMXCols / 2
	window := len(g.taps)
	for i := range rows {
		for t := (window - 1) / lanes * lanes; t >= 0; t -= lanes {
			vec.Transpose(space[t:], window, sums[(t*g.rows+i)*vec.AMXCols:], g.rows*vec.AMXCols, min(lanes, window-t), channels)
		}
		narrow(dw[((k+i)*(g.C/g.Groups)+c)*window:], space[:channels*window])
	}
}
