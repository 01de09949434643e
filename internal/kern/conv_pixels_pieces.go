package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// pixelPieces says how a convolution by pixels is cut, and where its taps find elements of windows in the copies of a piece's input.
type pixelPieces struct {
	*ConvShape
	copies  shifts
	inPlace bool // the input is read where it lies, unless lines of its planes share few sets of a cache
	bands   int  // of lines
	parts   int  // of a line
	behind  int  // zeros that windows read behind the last line
	above   int  // lines of a copy before those that windows read
	left    int  // columns likewise
	plane   int  // elements from a channel to the next
	blocks  []pixelTaps
}

// pixelTaps tells where some steps of a product find their elements of A, of so many channels each. Blocks of them follow each other.
type pixelTaps struct {
	at       []int32
	last     int // the largest
	channels int
}

// pixelArea is a piece: some lines of the output, and columns of them.
type pixelArea struct{ line, lines, col, cols int }

const (
	// pixelSteps is about the steps of a block, whose weights for the outputs of a tile stay in the first cache level.
	pixelSteps = 256
	// pixelElems bounds the copy of a piece's input, and pixelRun its pixels, whose sums for the outputs of a tile a cache holds.
	pixelElems, pixelRun = 1 << 16, 1 << 9
	// pixelOutputs and pixelLeast are the least outputs and pixels of all images that pay for packing weights.
	pixelOutputs, pixelLeast = 12, 64
)

// pixels returns how the convolution is cut, whose outputs have so many products, or nil where it is computed otherwise, as where too many pixels would belong to no
// output.
func pixels[T dtype.Float](s *ConvShape, products int) *pixelPieces {
	_, outputs, _, count := s.groupSizes()
	least := vec.PixelSteps()
	if least == 0 || outputs < pixelOutputs || products < least || s.N*count < pixelLeast ||
		volume(s.C, s.H+(s.R+s.OH)*s.DilationH*s.StrideH, s.W+(s.S+s.OW)*s.DilationW*s.StrideW) >= math.MaxInt32 {
		return nil
	}
	d := &pixelPieces{ConvShape: s, inPlace: s.pointwise() && count*dtype.Of[T]().Size()%(pageBytes/16) > 0}
	d.cut()
	if !d.full() {
		return nil
	}
	return d
}

// full reports whether few pixels are computed that belong to no output.
func (d *pixelPieces) full() bool {
	rows, count := vec.TileRows(), d.OH*d.OW
	all := d.bands * d.parts * ceilDiv(d.most(), rows) * rows
	return 3*all <= 4*count+12 && d.pixelsOf(pixelArea{lines: d.OH / d.bands, cols: d.OW / d.parts}) >= rows
}

// cut decides on the pieces. Each copies the lines around its own that its windows reach.
func (d *pixelPieces) cut() {
	reachH, reachW := (d.R-1)*d.DilationH, (d.S-1)*d.DilationW
	around, beside := reachH/d.StrideH, reachW/d.StrideW
	s := &d.copies
	*s = shifts{ConvShape: d.ConvShape, groups: 1, copies: min(d.StrideW, reachW+1), phases: min(d.StrideH, reachH+1)}
	room := pixelElems / (d.C / d.Groups * s.copies * s.phases)
	if d.inPlace {
		room = d.H * d.W
	}
	d.cutColumns(ceilDiv(d.OW, min(max(room/(around+min(cutLines, d.OH))-beside, 8*vec.TileRows()), pixelRun, d.OW)))
	d.cutLines(ceilDiv(d.OH, min(d.OH, max(1, min(room/s.pitch-around, pixelRun/s.pitch)))))
}

// cutColumns cuts lines into parts.
func (d *pixelPieces) cutColumns(parts int) {
	s := &d.copies
	d.parts, s.width = parts, ceilDiv(d.OW, parts)
	need := s.width + (d.S-1)*d.DilationW/d.StrideW
	switch {
	case d.inPlace:
		need, s.pitch = d.W, d.W
	case parts == 1:
		s.pitch = s.closest()
	default:
		s.pitch = need
	}
	d.behind = need - s.pitch
}

// cutLines cuts an image into bands of lines.
func (d *pixelPieces) cutLines(bands int) {
	s := &d.copies
	d.bands, s.lines = bands, ceilDiv(d.OH, bands)
	s.depth = (d.R-1)*d.DilationH/d.StrideH + s.lines + min(d.behind, 1)
}

// closest returns the least pitch of whole lines for which the zeros behind one are those before the next.
func (s *shifts) closest() int {
	pitch := s.width
	for first := range s.copies {
		need := s.width + ((s.S-1)*s.DilationW-first)/s.StrideW
		lo, hi := within(need, first-s.PadW, s.StrideW, s.W)
		pitch = max(pitch, hi, need-lo)
	}
	return pitch
}

// table writes the taps to space for one of each weight: of several channels each, then those of the channels that are left.
func (d *pixelPieces) table(space []int32) {
	s, line := &d.copies, d.copies.pitch
	d.plane = s.copies * s.phases * s.depth * line
	if d.inPlace {
		d.plane = d.H * d.W
	}
	all := d.C / d.Groups
	whole := all / vec.PixelChannels * vec.PixelChannels
	taps := space[:0]
	for c := 0; c < all; {
		b := pixelTaps{channels: 1}
		if c < whole {
			b.channels = vec.PixelChannels
		}
		start := len(taps)
		for range d.windowsOfBlock(b.channels, c, whole) {
			for r := range d.R {
				for q := range d.S {
					h, w := d.above+r*d.DilationH, d.left+q*d.DilationW
					at := c*d.plane + ((w%d.StrideW*s.phases+h%d.StrideH)*s.depth+h/d.StrideH)*line + w/d.StrideW
					taps, b.last = append(taps, int32(at)), max(b.last, at)
				}
			}
			if c += b.channels; c == whole || c == all {
				break
			}
		}
		b.at = taps[start:]
		d.blocks = append(d.blocks, b)
	}
}

// windowsOfBlock returns how many windows of so many channels a block has from channel c on. Blocks up to the last whole one have about as many each: conv3x3/32x64x56x56
// takes a fortieth less time than with a short last one.
func (d *pixelPieces) windowsOfBlock(channels, c, whole int) int {
	most := max(1, pixelSteps/(channels*d.R*d.S))
	if c >= whole {
		return most
	}
	left := (whole - c) / channels
	return ceilDiv(left, ceilDiv(left, most))
}

// area returns the image and group of piece i, and what is computed of it.
func (d *pixelPieces) area(i int) (image int, area pixelArea) {
	band, part := i/d.parts%d.bands, i%d.parts
	area.line, area.col = d.OH*band/d.bands, d.OW*part/d.parts
	area.lines, area.cols = d.OH*(band+1)/d.bands-area.line, d.OW*(part+1)/d.parts-area.col
	return i / d.parts / d.bands, area
}

// pixelsOf returns how many pixels are computed for an area.
func (d *pixelPieces) pixelsOf(a pixelArea) int { return (a.lines-1)*d.copies.pitch + a.cols }

// lineByLine reports whether an area's pixels are computed line by line, because tiles fill its lines: so no pixel belongs to no output.
func (d *pixelPieces) lineByLine(a pixelArea) bool {
	return a.cols%vec.TileRows() == 0 && a.cols < d.copies.pitch
}

// pitchOf returns how many sums there are from a line of an area to the next.
func (d *pixelPieces) pitchOf(a pixelArea) int {
	if d.lineByLine(a) {
		return a.cols
	}
	return d.copies.pitch
}

// sums returns how many pixels there is memory for: more than a piece has, since tiles and vectors are whole.
func (d *pixelPieces) sums() int { return d.most() + max(vec.TileRows(), vec.PanelCols[float32]()) }

// most returns how many are computed for the largest.
func (d *pixelPieces) most() int {
	return d.pixelsOf(pixelArea{lines: d.copies.lines, cols: d.copies.width})
}

// size returns the elements of the copies.
func (d *pixelPieces) size() int {
	if d.inPlace {
		return 0
	}
	return d.copies.size() + d.behind
}

// copyArea writes the copies of the input of an area.
func copyArea[T dtype.Float](d *pixelPieces, dst, x []T, a pixelArea) {
	s := &d.copies
	for first := range s.copies {
		for phase := range s.phases {
			to := dst[(first*s.phases+phase)*s.depth*s.pitch:]
			depth := a.lines + ((d.R-1)*d.DilationH-phase)/d.StrideH
			shiftPlanes(s, to, x, a.line*d.StrideH+phase-d.PadH, depth, a.col*d.StrideW+first-d.PadW, s.pitch)
			if d.behind > 0 {
				copyLines(s, to[depth*s.pitch:], nil, 1, d.behind, d.behind, d.behind)
			}
		}
	}
}
