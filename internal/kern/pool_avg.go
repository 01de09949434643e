package kern

import (
	"cresset/dtype"
)

// Counts says what divides the sum of a window: All unless that is 0, else its elements, with those of the padding if Padding holds.
type Counts struct {
	Padding bool
	All     int
}

// AvgPool2D computes y, the mean of each window. Dilation is not used.
func AvgPool2D[T dtype.Float](s *PoolShape, by Counts, x, y []T) {
	near := *s
	near.DilationH, near.DilationW = 1, 1
	s = &near
	patches := s.patches(by)
	if patches == nil {
		rows, cols := s.averageWindows(by)
		average(s, rows, cols, x, y)
		return
	}
	s.eachPlane(s.R*s.S, func(plane int) {
		from, to := x[plane*s.H*s.W:][:s.H*s.W], y[plane*s.OH*s.OW:][:s.OH*s.OW]
		for i := range patches {
			averagePatch(s, &patches[i], from, to)
		}
	})
}

func averagePatch[T dtype.Float](s *PoolShape, b *patch, x, y []T) {
	if len(b.taps) == 0 {
		set(s, b, y, 0)
		return
	}
	w := windowsOf(s, b, x, y)
	w.Mean(T(b.count))
}

// AvgPool2DBackward computes dx, the gradient of AvgPool2D for x.
func AvgPool2DBackward[T dtype.Float](s *PoolShape, by Counts, dy, dx []T) error {
	rows, cols := s.averageWindows(by)
	return averageBackward(s, rows, cols, dy, dx)
}

// AdaptiveAvgPool2D computes y, the mean of windows that cover x: window i of
// OH begins at row floor(i*H/OH) and ends before row ceil((i+1)*H/OH), and so
// for columns. Of s it uses Planes, H, W, OH and OW.
func AdaptiveAvgPool2D[T dtype.Float](s *PoolShape, x, y []T) {
	average(s, adaptiveWindows(s.OH, s.H), adaptiveWindows(s.OW, s.W), x, y)
}

// AdaptiveAvgPool2DBackward computes dx, the gradient of AdaptiveAvgPool2D for x.
func AdaptiveAvgPool2DBackward[T dtype.Float](s *PoolShape, dy, dx []T) error {
	return averageBackward(s, adaptiveWindows(s.OH, s.H), adaptiveWindows(s.OW, s.W), dy, dx)
}

// window is the part of an axis that one output averages, and the length that
// it counts for.
type window struct{ lo, hi, count int }

// windows are those of one axis. The first are in a table, whose size is bounded; the others, which few axes have, are
// computed where they are asked for.
type windows struct {
	table []window
	of    func(i int) window
	count int
}

const tabled = 1 << 10

func newWindows(count int, of func(i int) window) *windows {
	w := &windows{make([]window, min(count, tabled)), of, count}
	for i := range w.table {
		w.table[i] = of(i)
	}
	return w
}

func (w *windows) at(i int) window {
	if i < len(w.table) {
		return w.table[i]
	}
	return w.of(i)
}

func (s *PoolShape) averageWindows(by Counts) (rows, cols *windows) {
	rows = paddedWindows(s.OH, s.StrideH, s.PadH, s.R, s.H, by, by.All)
	return rows, paddedWindows(s.OW, s.StrideW, s.PadW, s.S, s.W, by, 1)
}

// paddedWindows are those of an axis; where by.All is not 0 the count of each is all.
func paddedWindows(out, stride, pad, length, n int, by Counts, all int) *windows {
	return newWindows(out, func(i int) window {
		start := i*stride - pad
		end := min(start+length, n+pad)
		w := window{lo: max(start, 0), hi: min(end, n), count: end - start}
		switch {
		case by.All != 0:
			w.count = all
		case !by.Padding:
			w.count = w.hi - w.lo
		}
		return w
	})
}

func adaptiveWindows(out, n int) *windows {
	return newWindows(out, func(i int) window {
		lo, hi := i*n/out, ceilDiv((i+1)*n, out)
		return window{lo, hi, hi - lo}
	})
}

func average[T dtype.Float | int64](s *PoolShape, rows, cols *windows, x, y []T) {
	s.eachPlane(s.R*s.S, func(plane int) {
		from := x[plane*s.H*s.W:][:s.H*s.W]
		to := y[plane*s.OH*s.OW:][:s.OH*s.OW]
		for i := range rows.count {
			r := rows.at(i)
			for j := range cols.count {
				c := cols.at(j)
				if r.lo >= r.hi || c.lo >= c.hi {
					to[i*s.OW+j] = 0
					continue
				}
				var sum T
				for h := r.lo; h < r.hi; h++ {
					for _, v := range from[h*s.W+c.lo : h*s.W+c.hi] {
						sum += v
					}
				}
				to[i*s.OW+j] = sum / T(r.count*c.count)
			}
		}
	})
}

// averageBackward spreads each row of shares along a line once, and adds that to all lines of its windows.
func averageBackward[T dtype.Float](s *PoolShape, rows, cols *windows, dy, dx []T) error {
	work := max(s.OH*s.OW*max(s.S, 1), s.H*s.W, 1)
	return ForWithWorkspace(s.Planes, max(1, poolElems/work), s.W, func(lo, hi int, line []T) {
		for plane := lo; plane < hi; plane++ {
			from := dy[plane*s.OH*s.OW:][:s.OH*s.OW]
			to := dx[plane*s.H*s.W:][:s.H*s.W]
			fresh := 0 // the first line that has no value yet
			for i := range rows.count {
				r := rows.at(i)
				if r.lo >= r.hi {
					continue
				}
				spread(line, from[i*s.OW:][:s.OW], cols, r.count)
				clear(to[fresh*s.W : max(fresh, r.lo)*s.W])
				for h := r.lo; h < r.hi; h++ {
					sum := to[h*s.W:][:s.W]
					if h < fresh {
						Add(sum, sum, line)
						continue
					}
					copy(sum, line)
				}
				fresh = max(fresh, r.hi)
			}
			clear(to[fresh*s.W:])
		}
	})
}

// spread sets line to the sums of what each window of a row hands to its columns.
func spread[T dtype.Float](line, dy []T, cols *windows, rows int) {
	clear(line)
	for j, dy := range dy {
		c := cols.at(j)
		if c.lo >= c.hi {
			continue
		}
		share := dy / T(rows*c.count)
		for w := c.lo; w < c.hi; w++ {
			line[w] += share
		}
	}
}
