package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Two phases of columns whose windows have as many columns are computed by the same tiles, which store their sums beside each other: half of a
// panel's columns are outputs of the first phase, half those of the second. conv_transpose2x2/8x128x28x28 takes four fifths of the time so.

// joinedPhases are the two phases of columns of a phase of rows.
type joinedPhases[T dtype.Float] struct {
	*pixelConv[T]               // the first
	second        *pixelConv[T] // the other
	shift         int           // how many columns further its windows begin
}

// joined returns the phases of columns of a phase of rows as one, or nil where they are computed one by one.
func (g *pixelPhases[T]) joined(line []*pixelConv[T]) *joinedPhases[T] {
	if len(line) != 2 || !vec.StoresPlanes() || g.shape.W%2 > 0 || g.K/g.Groups%vec.Lanes[T]() > 0 {
		return nil
	}
	j := &joinedPhases[T]{pixelConv: line[0], second: line[1], shift: line[1].left - line[0].left}
	few := true // pixels are computed twice at the ends of lines
	for _, cols := range []int{g.OW / g.parts, g.copies.width} {
		few = few && cols >= vec.TileRows() && 8*j.tilesOf(cols)*vec.TileRows() <= 9*cols
	}
	if !few || j.S != j.second.S || j.R*j.S == 0 || j.DilationW != j.second.DilationW || j.shift != 0 && j.shift != 1 {
		return nil
	}
	return j
}

// tilesOf returns how many tiles compute a line of so many pixels of both phases.
func (j *joinedPhases[T]) tilesOf(cols int) int { return ceilDiv(cols, vec.TileRows()) }

// packBoth writes the panels: for each group and vector of outputs [depth, phases, outputs].
func (j *joinedPhases[T]) packBoth(panels, first, second []T) error {
	j.panels = panels
	_, outputs, depth, _ := j.groupSizes()
	lanes := vec.Lanes[T]()
	return ForWithWorkspace(j.K/lanes, max(1, copyGrain/(2*lanes*depth)), 0, func(lo, hi int, _ []T) {
		for i := lo; i < hi; i++ {
			panel, k := panels[2*i*lanes*depth:], i*lanes
			j.packOutputs(panel, first[k*depth:], 2*lanes, min(lanes, outputs))
			j.packOutputs(panel[lanes:], second[k*depth:], 2*lanes, min(lanes, outputs))
		}
	})
}

// lines computes so many lines of an area for a vector of outputs from k on. Sums of blocks of taps are kept but for the last.
func (j *joinedPhases[T]) lines(to planes[T], input []T, group, k, lines int, area pixelArea, row, sums []T) {
	rows, lanes := vec.TileRows(), vec.Lanes[T]()
	_, outputs, depth, _ := j.groupSizes()
	tile := vec.Tile[T]{Rows: rows, Cols: 2 * lanes, RowB: to.plane, ColA: j.plane}
	if j.bias != nil {
		copy(row[copy(row, j.bias[group*outputs+k:][:lanes]):], row)
		tile.From = row
	}
	panel, size := j.panels[2*(group*outputs+k)*depth:], rows*2*lanes
	tile.Step = vec.Steps{A: rows, C: size, Next: 2 * rows * dtype.Of[T]().Size()}
	for n, taps := range j.blocks {
		tile.K, tile.B = len(taps.at)*taps.channels, panel
		tiles := j.tilesOf(area.cols)
		run := func(line, first, at, count int) {
			tile.A, tile.Count = input[line*j.copies.pitch+first:], count
			kept := sums[(line*tiles+at)*size:]
			if n > 0 {
				tile.From, tile.RowFrom, tile.Step.From = kept, 2*lanes, size
			}
			tile.C, tile.RowC = kept, 2*lanes
			if n == len(j.blocks)-1 {
				tile.C, tile.Next = nil, to.at[line*to.row+2*first:]
			}
			tile.RunPhases(taps.at, taps.last, taps.channels, j.shift)
		}
		for l := range lines {
			whole := area.cols / rows
			run(l, 0, 0, whole)
			if whole < tiles { // the last tile overlaps the one before
				run(l, area.cols-rows, whole, 1)
			}
		}
		panel = panel[tile.K*2*lanes:]
	}
}
