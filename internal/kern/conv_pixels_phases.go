package kern

import (
	"unsafe"

	"cresset/internal/kern/vec"
)

// Where columns have two phases (conv_phases.go), both are computed by pixels for the same piece, and their sums are interleaved before they are
// transposed: a pair of them is a number of 64 bits. So no phase is written to memory, and conv_transpose4x4/8x128x28x28 takes a sixth less time.

// pixelPair are the convolutions of both phases of columns, for one of rows.
type pixelPair struct {
	convs [2]*pixelConv[float32]
	shape *ConvShape // whose gradient is computed
	row   int        // the phase of rows
}

// pixelPairs returns the pairs of all phases of rows, or nil where they are computed otherwise.
func pixelPairs(s *ConvShape, bias []float32) (pairs []*pixelPair) {
	rows, cols := s.phases()
	if cols != 2 || s.StrideW != 2 || s.W%2 > 0 {
		return nil
	}
	for a := range rows {
		left, right := pixels[float32](s.phased(s.phase(a, 0))), pixels[float32](s.phased(s.phase(a, 1)))
		if left == nil || right == nil || !left.join(right) {
			return nil
		}
		pairs = append(pairs, &pixelPair{[2]*pixelConv[float32]{newPixelConv(left, bias), newPixelConv(right, bias)}, s, a})
	}
	return pairs
}

// join cuts both convolutions into the same pieces, and reports whether these suit both.
func (d *pixelPieces) join(e *pixelPieces) bool {
	parts, bands, inPlace := max(d.parts, e.parts), max(d.bands, e.bands), d.inPlace && e.inPlace
	both := []*pixelPieces{d, e}
	for _, p := range both {
		p.inPlace = inPlace
		p.cutColumns(parts)
	}
	pitch := max(d.copies.pitch, e.copies.pitch)
	for _, p := range both {
		p.behind = max(p.behind+p.copies.pitch-pitch, 0)
		p.copies.pitch = pitch
		p.cutLines(bands)
	}
	return d.full() && e.full() && d.OW/parts >= pairLanes
}

// pairLanes is how many pairs a vector holds.
const pairLanes = 4

// gradInputByPixels computes dx by pairs.
func gradInputByPixels(s *ConvShape, pairs []*pixelPair, dy, w, dx []float32) error {
	size, panels := len(w), 0
	for _, p := range pairs {
		panels += p.convs[0].weights() + p.convs[1].weights()
	}
	return withWorkspaces(size+panels, s.K/s.Groups*s.R*s.S, func(space []float32, taps []int32) error {
		weights, panels := space[:size], space[size:]
		flipAll(s, w, weights)
		for _, p := range pairs {
			for _, d := range p.convs {
				_, _, depth, _ := d.groupSizes()
				d.table(taps[:depth])
				taps = taps[depth:]
				if err := d.pack(panels[:d.weights()], weights); err != nil {
					return err
				}
				weights, panels = weights[d.K*d.C/d.Groups*d.R*d.S:], panels[d.weights():]
			}
			if err := p.run(dy, dx); err != nil {
				return err
			}
		}
		return nil
	})
}

// run computes the lines of dx that belong to the pair.
func (p *pixelPair) run(dy, dx []float32) error {
	d, e := p.convs[0], p.convs[1]
	all, grain := d.work()
	copied, sums := max(d.size(), e.size()), max(d.sums(), e.sums())*d.width
	return ForWithWorkspace(all, grain, 2*copied+4*sums+d.width, func(lo, hi int, space []float32) {
		left, right, space := space[:copied], space[copied:2*copied], space[2*copied:]
		row, space := space[:d.width], space[d.width:]
		for i := lo; i < hi; i++ {
			image, area := d.area(i)
			even, odd := d.input(dy, image, area, left), e.input(dy, image, area, right)
			for k := 0; k < d.K/d.Groups; k += d.width {
				d.multiply(space, even, image%d.Groups, k, row, area, nil)
				width := e.multiply(space[sums:], odd, image%d.Groups, k, row, area, nil)
				pairs := space[2*sums:][:2*d.pixelsOf(area)*width]
				vec.Interleave(pairs, space[:len(pairs)/2], space[sums:])
				p.store(dx, pairs, image, k, area, width)
			}
		}
	})
}

// store transposes pairs to lines of the planes of an image and group, from output k on.
func (p *pixelPair) store(dx, pairs []float32, image, k int, area pixelArea, width int) {
	s, d := p.shape, p.convs[0]
	outputs, plane := d.K/d.Groups, s.H*s.W
	to, from := widePairs(dx[(image*outputs+k)*plane:]), widePairs(pairs)
	t := vec.Transposes[float64]{Rows: pairLanes, Cols: min(width, outputs-k), RowDst: plane / 2, RowSrc: width, StepDst: pairLanes, StepSrc: pairLanes * width}
	for l := range area.lines {
		line := (area.line+l)*s.StrideH + p.row
		if line >= s.H {
			return
		}
		t.Dst, t.Src, t.Count = to[line*s.W/2+area.col:], from[l*d.copies.pitch*width:], area.cols/pairLanes
		t.Run()
		if area.cols%pairLanes > 0 {
			last := area.cols - pairLanes
			t.Dst, t.Src, t.Count = t.Dst[last:], t.Src[last*width:], 1
			t.Run()
		}
	}
}

// widePairs returns pairs as numbers of 64 bits.
func widePairs(pairs []float32) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(pairs))), len(pairs)/2) // as many bytes; assembly and moves need no alignment
}
