package kern

import (
	"cmp"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// AxisTaps tell which elements of an axis each element of a result is a weighted sum of: element i has Width taps, from i*Width on,
// or fewer, where a negative place ends them. A Width of 0 leaves the axis as it is.
type AxisTaps[T dtype.Float] struct {
	Width   int
	Places  []int64
	Weights []T
}

// of returns the taps of an element of the result.
func (a *AxisTaps[T]) of(i int) (places []int64, weights []T) {
	places, weights = a.Places[i*a.Width:][:a.Width], a.Weights[i*a.Width:][:a.Width]
	for t, p := range places {
		if p < 0 {
			return places[:t], weights[:t]
		}
	}
	return places, weights
}

// ResampleShape are planes of x and of y, by extents from the outermost axis on.
type ResampleShape struct {
	Planes   int
	From, To [3]int
}

// resampleElems bounds the rows of a piece of work, which then stay in the first cache level.
const resampleElems = 1 << 12

// resampler sums along the first axis, then along the second, then along the third, a piece of rows of y at a time. Products and
// sums are rounded on their own. interpolate/8x64x28x28 takes a tenth of the time that a composition of gathers takes.
type resampler[T dtype.Float] struct {
	*ResampleShape
	taps    [3]AxisTaps[T]
	rows    vec.RowTaps[T]  // of the second axis
	columns *vec.Columns[T] // of the third
	lines   int             // of y in a piece
	pitch   int             // of the lines between the second sum and the third
}

// Resample computes y, whose elements are weighted sums of those of x along each axis.
func Resample[T dtype.Float](s *ResampleShape, taps [3]AxisTaps[T], x, y []T) error {
	if len(y) == 0 {
		return nil
	}
	r := resampler[T]{ResampleShape: s, taps: taps}
	lanes := max(vec.Lanes[T](), 1)
	height, width := s.From[1], s.From[2]
	r.pitch = ceilDiv(width, lanes)*lanes + lanes
	r.lines = min(s.To[1], max(4, resampleElems/max(r.pitch, s.To[2])))
	r.lines = ceilDiv(s.To[1], ceilDiv(s.To[1], r.lines))
	volumes, between, offsets := 0, 0, 0
	if taps[0].Width > 0 {
		volumes = height*width + lanes
	}
	if taps[1].Width > 0 {
		between, offsets = r.lines*r.pitch, s.To[1]+len(taps[1].Places)
	}
	if taps[2].Width > 0 {
		r.columns = vec.NewColumns(taps[2].Places, taps[2].Weights, taps[2].Width, s.To[2])
	}
	var failed error
	err := ForWithWorkspace(1, 1, offsets, func(_, _ int, offsets []int64) {
		if taps[1].Width > 0 {
			r.rows = rowTapsOf(&taps[1], s.To[1], width, offsets)
		}
		failed = r.run(volumes, between, x, y)
	})
	return cmp.Or(err, failed)
}

// run computes all pieces, each with working memory for a sum of volumes and for lines between the second sum and the third.
func (r *resampler[T]) run(volumes, between int, x, y []T) error {
	pieces := ceilDiv(r.To[1], r.lines)
	work := r.lines * r.To[2] * max(r.taps[0].Width, 1) * max(r.taps[1].Width, 1) * max(r.taps[2].Width, 1)
	return ForWithWorkspace(r.Planes*r.To[0]*pieces, grainOf(2*work), volumes+between, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			line := i % pieces * r.lines
			r.piece(i/pieces, line, min(r.lines, r.To[1]-line), x, y, space[:volumes], space[volumes:])
		}
	})
}

// rowTapsOf are the taps of an axis as vec takes them, of rows of so many elements, in working memory for a number a row and one a tap.
func rowTapsOf[T dtype.Float](a *AxisTaps[T], to, width int, space []int64) vec.RowTaps[T] {
	clear(space)
	r := vec.RowTaps[T]{Width: a.Width, Counts: space[:to], Offsets: space[to:], Weights: a.Weights}
	for i := range to {
		places, _ := a.of(i)
		r.Counts[i] = int64(len(places))
		for t, p := range places {
			r.Offsets[i*a.Width+t] = vec.OffsetBytes[T](int(p) * width)
			r.Last = max(r.Last, int(p)*width)
		}
	}
	return r
}

// piece computes some lines of plane i of the results, which counts the first axis too.
func (r *resampler[T]) piece(i, line, lines int, x, y, volume, between []T) {
	height, width := r.From[1], r.From[2]
	from := volume
	if r.taps[0].Width == 0 {
		from = x[i*height*width:]
	} else {
		planes := x[i/r.To[0]*r.From[0]*height*width:]
		places, weights := r.taps[0].of(i % r.To[0])
		first, end := r.covered(line, lines)
		combine(volume[first*width:end*width], planes[first*width:], places, weights, height*width)
	}
	to := y[(i*r.To[1]+line)*r.To[2]:][:lines*r.To[2]]
	pitch := width
	if r.taps[1].Width == 0 {
		from = from[line*width:]
	} else {
		r.combineRows(between, from, line, lines, to)
		from, pitch = between, r.pitch
	}
	if r.taps[2].Width == 0 {
		v := vec.Lines[T]{Planes: 1, Rows: lines, Cols: width, Width: width, X: from, RowX: pitch, Stride: 1, Y: to, RowY: width}
		v.Copy()
		return
	}
	r.sumColumns(to, from, pitch, lines)
}

// covered returns which lines of a plane of x some lines of y are sums of: from first up to, not including, end.
func (r *resampler[T]) covered(line, lines int) (first, end int) {
	if r.taps[1].Width == 0 {
		return line, line + lines
	}
	first = r.From[1]
	for i := range lines {
		places, _ := r.taps[1].of(line + i)
		for _, p := range places {
			first, end = min(first, int(p)), max(end, int(p)+1)
		}
	}
	return min(first, end), end
}

// combineRows sums lines of x to lines from line on, before next is written. Vectors that would read beyond x are left to Go.
func (r *resampler[T]) combineRows(y, x []T, line, lines int, next []T) {
	width, i := r.From[2], 0
	if lanes := vec.Lanes[T](); lanes > 0 {
		vectors := ceilDiv(width, lanes)
		if r.rows.Last+vectors*lanes <= len(x) {
			i = lines // all but the last planes
		}
		for ; i < lines; i++ {
			places, _ := r.taps[1].of(line + i)
			if r.beyond(places, vectors*lanes, len(x)) {
				break
			}
		}
		rows := r.rows
		rows.Last = min(rows.Last, len(x)-vectors*lanes)
		vec.Combine(y, r.pitch, x, &rows, line, i, vectors, next, r.To[2])
	}
	for ; i < lines; i++ {
		places, weights := r.taps[1].of(line + i)
		combine(y[i*r.pitch:][:width], x, places, weights, width)
	}
}

// beyond reports whether so many elements from the start of one of some lines on end beyond n.
func (r *resampler[T]) beyond(places []int64, elems, n int) bool {
	for _, p := range places {
		if int(p)*r.From[2]+elems > n {
			return true
		}
	}
	return false
}

// combine sums rows of that stride.
func combine[T dtype.Float](y, x []T, places []int64, weights []T, apart int) {
	if len(places) == 0 {
		clear(y)
		return
	}
	for t, p := range places {
		row, w := x[int(p)*apart:][:len(y)], weights[t]
		if t == 0 {
			for j, v := range row {
				y[j] = w * v
			}
			continue
		}
		for j, v := range row {
			y[j] += T(w * v)
		}
	}
}

// sumColumns sums elements of lines, whose stride is pitch, to lines of y.
func (r *resampler[T]) sumColumns(y, x []T, pitch, lines int) {
	whole, wide := 0, r.To[2]
	if reach := r.columns.Reach(); reach > 0 {
		whole = max(0, min(lines, (len(x)-reach)/pitch+1))
		if len(x) < reach {
			whole = 0
		}
		r.columns.Run(y, wide, x, pitch, whole)
	}
	for _, part := range r.columns.Rest() {
		r.sumPart(y, x, pitch, 0, whole, part[0], part[1])
	}
	r.sumPart(y, x, pitch, whole, lines, 0, wide)
}

// sumPart sums to columns from col to colEnd-1 of some lines of y.
func (r *resampler[T]) sumPart(y, x []T, pitch, line, end, col, colEnd int) {
	for i := line; i < end; i++ {
		for j := col; j < colEnd; j++ {
			y[i*r.To[2]+j] = r.sum(x[i*pitch:], j)
		}
	}
}

// sum is the sum of elements of a line that is element j of the result.
func (r *resampler[T]) sum(x []T, j int) (sum T) {
	places, weights := r.taps[2].of(j)
	for t, p := range places {
		product := T(weights[t] * x[p])
		if t == 0 {
			sum = product
		} else {
			sum += product
		}
	}
	return sum
}
