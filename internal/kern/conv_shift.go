package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A convolution is a product of the weights with im2col's matrix, whose row (c, r, q) holds for each output pixel the input
// element that weight (c, r, q) is multiplied by. Tiles need only a part of that matrix: for each column q of the window a copy
// of the input, shifted by q, with the stride of columns and the padding applied. In it, the elements for one weight are
// contiguous for all output pixels, even across the ends of lines: they are a row of B, whose start depends on r and c alone,
// and a table of offsets (taps) replaces the matrix. So S copies are made instead of R·S. Where tiles end with the lines, a
// single padded copy serves all q. Input lines that the stride of lines skips between are sorted by the remainder of their
// number, their phase, so that those of successive output lines are neighbours.

// shifts describes the shifted copies of the input of some groups for some output lines:
// [groups, C/Groups, copies, phases, depth, pitch].
type shifts struct {
	*ConvShape
	lines  int // of the output at most
	width  int // columns of the output
	groups int // that are copied together
	copies int
	phases int // of input lines
	depth  int // lines of a phase
	pitch  int // elements of a line
}

const (
	// shiftedBytes bounds the copies: with a few rows of weights they stay in the second cache level.
	shiftedBytes = 1 << 19
	// cutLines is the least number of output lines of a piece of cut lines: each piece also copies the lines above and below
	// that its windows reach.
	cutLines = 8
	// maxTaps bounds the products that are summed before they are added to the output.
	maxTaps = 1 << 10
	// maxCopied bounds the elements that one call copies.
	maxCopied = 1 << 16
)

// shiftsFor chooses the copies for a piece of work, given the columns of a tile, and returns the number of consecutive output
// pixels of a piece, or 0 where a piece is a part of some lines instead.
func shiftsFor[T dtype.Float](s *ConvShape, tile int) (shifts, int) {
	reach := (s.R - 1) * s.DilationH
	d := shifts{ConvShape: s, groups: 1, copies: s.S, phases: min(s.StrideH, reach+1), pitch: s.OW, width: s.OW}
	around := reach / s.StrideH // lines of a phase beyond those of the output
	room := shiftedBytes / dtype.Of[T]().Size() / (s.C / s.Groups * d.phases)
	pixels := s.OH * s.OW
	if joined := room / s.S; (around+min(cutLines, s.OH))*s.OW <= joined {
		band := min(pixels, max(tile, joined-(around+1)*s.OW))
		band = ceilDiv(pixels, ceilDiv(pixels, band)) // evenly
		band = ceilDiv(band, tile) * tile
		d.lines = min(s.OH, (band+s.OW-2)/s.OW+1)
		d.depth = around + d.lines
		return d, band
	}
	beside := 0 // columns of a line beyond those of the output
	if s.StrideW == 1 {
		d.copies, beside = 1, (s.S-1)*s.DilationW
	}
	room /= d.copies
	d.lines = min(s.OH, cutLines)
	tiles := max(1, (room/(around+d.lines)-beside)/tile)
	tiles = ceilDiv(ceilDiv(s.OW, tile), ceilDiv(ceilDiv(s.OW, tile), tiles)) // evenly
	d.width = min(s.OW, tiles*tile)
	d.pitch = d.width + beside
	d.lines = min(s.OH, max(d.lines, room/d.pitch-around))
	d.lines = ceilDiv(s.OH, ceilDiv(s.OH, d.lines))
	d.depth = around + d.lines
	return d, 0
}

// size returns the elements of the copies.
func (s *shifts) size() int {
	return volume(s.groups, s.C/s.Groups, s.channel())
}

// tapTable holds, for some weights, where in the copies the row of B starts that each is multiplied by.
type tapTable struct {
	at    [maxTaps + vec.TapsAhead]int32
	first int // of the weights
	count int // of them; 0 for an empty table
	last  int // the largest
}

// taps fills a table for count weights from k on, unless it holds them already.
func (s *shifts) taps(t *tapTable, k, count int) {
	if t.first == k && t.count == count {
		return
	}
	t.first, t.count, t.last = k, count, 0
	for i := range count {
		at := 0
		if window := s.R * s.S; i < window {
			c, r, q := (k+i)/window, (k+i)/s.S%s.R, (k+i)%s.S
			at = c*s.channel() + s.tap(r, q)
		} else {
			at = int(t.at[i-window]) + s.channel()
		}
		t.at[i], t.last = int32(at), max(t.last, at)
	}
}

// channel returns the elements of the copies of a channel.
func (s *shifts) channel() int { return volume(s.copies, s.phases, s.depth, s.pitch) }

// tap returns where in a channel's copies the elements start that place (r, q) of a window meets.
func (s *shifts) tap(r, q int) int {
	line, of, beside := r*s.DilationH, q, 0
	if s.copies == 1 {
		of, beside = 0, q*s.DilationW
	}
	return ((of*s.phases+line%s.StrideH)*s.depth+line/s.StrideH)*s.pitch + beside
}

// shift writes the copies of x for output lines from line and columns from col on.
func shift[T dtype.Float](s *shifts, dst, x []T, line, lines, col, cols int) {
	if s.copies == 1 {
		cols += s.pitch - s.width
	}
	for q := range s.copies {
		for phase := range s.phases {
			from := line*s.StrideH + phase - s.PadH
			depth := lines + ((s.R-1)*s.DilationH-phase)/s.StrideH
			shiftPlanes(s, dst[(q*s.phases+phase)*s.depth*s.pitch:], x, from, depth, col*s.StrideW+q*s.DilationW-s.PadW, cols)
		}
	}
}

// shiftPlanes copies input lines from, from+StrideH and so on of all channels: column j of the copy is column j*StrideW+offset.
func shiftPlanes[T dtype.Float](s *shifts, dst, x []T, from, lines, offset, cols int) {
	above, below := within(lines, from, s.StrideH, s.H)
	lo, hi := within(cols, offset, s.StrideW, s.W)
	if lo == hi {
		above, below = lines, lines
	}
	copyLines(s, dst, nil, above, cols, cols, cols)
	if above < below {
		copyLines(s, dst[above*s.pitch:], x[(from+above*s.StrideH)*s.W+lo*s.StrideW+offset:], below-above, lo, hi, cols)
	}
	copyLines(s, dst[below*s.pitch:], nil, lines-below, cols, cols, cols)
}

// within returns the i below n for which offset+i*stride is in [0, size): those from lo to hi.
func within(n, offset, stride, size int) (lo, hi int) {
	lo = min(ceilDiv(max(-offset, 0), stride), n)
	if last := size - 1 - offset; last >= 0 {
		hi = min(last/stride+1, n)
	}
	return lo, max(lo, hi)
}

// copyLines copies lines of all channels, columns lo to hi; the others become zero.
func copyLines[T dtype.Float](s *shifts, dst, x []T, lines, lo, hi, cols int) {
	if lines == 0 {
		return
	}
	planeY := s.channel()
	v := vec.Lines[T]{Rows: lines, Zeros: lo, Cols: hi - lo, Width: cols, RowX: s.StrideH * s.W, PlaneX: s.H * s.W, Stride: s.StrideW,
		RowY: s.pitch, PlaneY: planeY}
	channels := s.groups * s.C / s.Groups
	atOnce := max(1, maxCopied/(lines*cols))
	for c := 0; c < channels; c += atOnce {
		v.Planes, v.Y = min(atOnce, channels-c), dst[c*planeY:]
		if hi > lo {
			v.X = x[c*v.PlaneX:]
		}
		v.Copy()
	}
}
