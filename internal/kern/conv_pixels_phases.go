package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Where the gradient for the input has phases (conv_phases.go), all are computed by pixels for the same piece, from one copy of dy that holds what any of them reads.
// Sums of phases of columns lie beside each other, so that to transpose them interleaves the phases, and none is written to memory: conv_transpose4x4/8x128x28x28
// takes a fifth less time.

// pixelPhases is such a gradient.
type pixelPhases[T dtype.Float] struct {
	pixelPieces                    // those of a window that holds the windows of all phases
	shape       *ConvShape         // whose gradient is computed
	convs       [][]*pixelConv[T]  // of phases of rows, and of columns
	both        []*joinedPhases[T] // of phases of rows: those of columns as one, nil where they are not
}

// mostPhases bounds the phases along an axis, whose sums a cache holds.
const mostPhases = 4

// newPixelPhases returns how the gradient is computed, or nil where it is computed otherwise.
func newPixelPhases[T dtype.Float](s *ConvShape, bias []T) *pixelPhases[T] {
	rows, cols := s.phases()
	if rows*cols == 1 || max(rows, cols) > mostPhases {
		return nil
	}
	above, lines := s.reach(rows, func(a int) axisPhase { h, _ := s.phase(a, 0); return h })
	left, across := s.reach(cols, func(b int) axisPhase { _, w := s.phase(0, b); return w })
	pieces := pixels[T](s.phased(axisPhase{count: lines, dilation: 1, pad: above}, axisPhase{count: across, dilation: 1, pad: left}), s.K/s.Groups*s.R*s.S)
	if pieces == nil {
		return nil
	}
	g := &pixelPhases[T]{pixelPieces: *pieces, shape: s}
	for a := range rows {
		var line []*pixelConv[T]
		for b := range cols {
			h, w := s.phase(a, b)
			p := *pieces
			p.ConvShape, p.above, p.left = s.phased(h, w), above-h.pad, left-w.pad
			d := newPixelConv(&p, bias)
			d.beside, d.each = cols, rows*cols
			line = append(line, d)
		}
		g.convs, g.both = append(g.convs, line), append(g.both, g.joined(line))
	}
	return g
}

// reach returns where the windows of all phases of an axis begin, before the element itself, and their length together.
func (s *ConvShape) reach(phases int, phase func(i int) axisPhase) (before, length int) {
	before, end := math.MinInt32, math.MinInt32
	for i := range phases {
		if p := phase(i); p.count > 0 {
			before, end = max(before, p.pad), max(end, (p.count-1)*p.dilation-p.pad)
		}
	}
	return before, before + end + 1
}

// gradInputByPixels computes dx.
func gradInputByPixels[T dtype.Float](g *pixelPhases[T], dy, w, dx []T) error {
	size, panels := len(w), 0
	for _, line := range g.convs {
		for _, d := range line {
			panels += d.weights()
		}
	}
	return withWorkspaces(size+panels, g.shape.K/g.Groups*g.shape.R*g.shape.S, func(space []T, taps []int32) error {
		weights, panels := space[:size], space[size:]
		flipAll(g.shape, w, weights)
		for a, line := range g.convs {
			if j := g.both[a]; j != nil {
				_, _, depth, _ := j.groupSizes()
				j.table(taps[:depth])
				if err := j.packBoth(panels, weights, weights[j.K*depth:]); err != nil {
					return err
				}
				taps, weights, panels = taps[depth:], weights[2*j.K*depth:], panels[2*j.weights():]
				continue
			}
			for _, d := range line {
				_, _, depth, _ := d.groupSizes()
				if depth == 0 {
					continue
				}
				d.table(taps[:depth])
				if err := d.pack(panels[:d.weights()], weights); err != nil {
					return err
				}
				taps, weights, panels = taps[depth:], weights[d.K*depth:], panels[d.weights():]
			}
		}
		return g.run(dy, dx)
	})
}

// run computes all pieces.
func (g *pixelPhases[T]) run(dy, dx []T) error {
	s, width := g.shape, vec.PanelCols[T]()
	_, _, depth, _ := s.groupSizes()
	pieces := g.N * g.Groups * g.bands * g.parts
	sums := g.sums() * len(g.convs[0]) * width
	return ForWithWorkspace(pieces, grainOf(2*depth*s.K/s.Groups*s.OH*s.OW/(g.bands*g.parts)), g.size()+2*sums+width, func(lo, hi int, space []T) {
		copied, row, sums, turned := space[:g.size()], space[g.size():][:width], space[g.size()+width:][:sums], space[g.size()+width+sums:]
		for i := lo; i < hi; i++ {
			image, area := g.area(i)
			input := inputOf(&g.pixelPieces, dy, image, area, copied)
			for k := 0; k < g.K/g.Groups; k += width {
				for a := range g.convs {
					g.lines(dx, input, image, k, a, area, row, sums, turned)
				}
			}
		}
	})
}

// lines computes the lines of an area that belong to phase a of rows, for the outputs of a panel from k on.
func (g *pixelPhases[T]) lines(dx, input []T, image, k, a int, area pixelArea, row, sums, turned []T) {
	s, outputs, phases := g.shape, g.K/g.Groups, len(g.convs[a])
	line, col := area.line*s.StrideH+a, area.col*s.StrideW
	if line >= s.H {
		return
	}
	dx = dx[(image*outputs+k)*s.H*s.W:]
	to, width := planes[T]{dx[line*s.W+col:], s.H * s.W, s.StrideH * s.W}, 0
	count := min(area.lines, ceilDiv(s.H-line, s.StrideH))
	if j := g.both[a]; j != nil {
		for n := k; n < min(k+j.width, outputs); n += j.width / 2 {
			j.lines(to, input, image%g.Groups, n, count, area, row, sums)
			to.at = to.at[min(j.width/2*to.plane, len(to.at)):]
		}
		return
	}
	first := dx[(line-a)*s.W+col:] // line of the phases of rows: all phases prefetch from there on, each a cache line behind the one before
	for b, d := range g.convs[a] {
		width = min(d.width, d.columns-k)
		if len(d.blocks) == 0 {
			d.fill(sums[b*width:], image%g.Groups, k, row, area)
			continue
		}
		part := to
		part.at = first[min((a*phases+b)*lineElems, len(first)):]
		d.multiply(sums[b*width:], input, image%g.Groups, k, row, area, part, false)
	}
	lines := pixelLines[T]{lines: count, cols: min(area.cols*s.StrideW, s.W-col), pitch: g.pitchOf(area) * phases,
		outputs: min(width, outputs-k), width: width}
	lines.store(to, sums, turned)
}
