package data

import (
	"cmp"
	"math"
	"slices"
)

const (
	subRows  = 8   // scan lines per row of pixels
	subUnits = 256 // steps per pixel along a scan line
)

// raster fills polygons on a canvas, non-zero winding, in integers alone so that every machine gets the same pixels.
type raster struct {
	width, height int
	crossings     [][]crossing // per scan line
	cover         []int        // per pixel of one row, up to subRows*subUnits
}

// crossing is where an edge meets a scan line.
type crossing struct {
	x       int // in subUnits
	winding int // 1 for an edge that runs down, -1 for one that runs up
}

func newRaster(width, height int) *raster {
	return &raster{width: width, height: height, crossings: make([][]crossing, height*subRows), cover: make([]int, width)}
}

// polygon adds a closed polygon, its points in pixels.
func (r *raster) polygon(points []point) {
	last := points[len(points)-1]
	ax, ay := toUnits(last.x), toUnits(last.y)
	for _, p := range points {
		bx, by := toUnits(p.x), toUnits(p.y)
		r.edge(ax, ay, bx, by)
		ax, ay = bx, by
	}
}

func toUnits(v float64) int { return int(math.Floor(float64(v*subUnits) + 0.5)) }

// edge records where the edge from a to b meets the scan lines; line i runs through the middle of its share of a pixel.
func (r *raster) edge(ax, ay, bx, by int) {
	winding := 1
	if ay > by {
		ax, ay, bx, by, winding = bx, by, ax, ay, -1
	}
	const pitch = subUnits / subRows
	first := max(0, ceilDiv(ay-pitch/2, pitch))
	for i := first; i < len(r.crossings); i++ {
		y := i*pitch + pitch/2
		if y >= by {
			return
		}
		x := ax + (bx-ax)*(y-ay)/(by-ay)
		r.crossings[i] = append(r.crossings[i], crossing{x, winding})
	}
}

// ceilDiv returns a/b rounded up, for b > 0.
func ceilDiv(a, b int) int { return -floorDiv(-a, b) }

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// fill writes how much of each pixel is covered, 0 to 255, and clears the raster.
func (r *raster) fill(pixels []uint8) {
	for row := range r.height {
		clear(r.cover)
		for i := row * subRows; i < (row+1)*subRows; i++ {
			r.scan(r.crossings[i])
			r.crossings[i] = r.crossings[i][:0]
		}
		for x, c := range r.cover {
			pixels[row*r.width+x] = uint8(c * 255 / (subRows * subUnits))
		}
	}
}

// scan adds the spans between crossings where the winding number is not zero.
func (r *raster) scan(line []crossing) {
	slices.SortFunc(line, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	winding := 0
	for i, c := range line {
		if winding != 0 {
			r.span(line[i-1].x, c.x)
		}
		winding += c.winding
	}
}

// span adds the part of a scan line from a to b to the pixels under it.
func (r *raster) span(a, b int) {
	a, b = max(a, 0), min(b, r.width*subUnits)
	for a < b {
		x := a / subUnits
		end := min(b, (x+1)*subUnits)
		r.cover[x] += end - a
		a = end
	}
}
