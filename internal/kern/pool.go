package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/par"
)

// PoolShape describes two-dimensional pooling of x[Planes, H, W] to
// y[Planes, OH, OW], both contiguous, with windows of [R, S]. One-dimensional
// pooling has H, R and OH of one.
type PoolShape struct {
	Planes, H, W         int
	R, S                 int
	StrideH, StrideW     int
	PadH, PadW           int
	DilationH, DilationW int // of MaxPool2D
	OH, OW               int
}

// poolElems is the least number of visited elements that is worth a thread.
const poolElems = 1 << 13

// eachPlane calls body for every plane, on all threads.
func (s *PoolShape) eachPlane(window int, body func(plane int)) {
	work := max(s.OH*s.OW*window, s.H*s.W, 1)
	par.For(s.Planes, max(1, poolElems/work), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			body(i)
		}
	})
}

// MaxPool2D computes y, the largest element of each window, and unless index is
// nil its index in its plane of x, row*W+column. Padding never wins; of
// equal elements the first does, and of NaNs the last.
func MaxPool2D[T dtype.Float](s *PoolShape, x, y []T, index []int64) {
	var bands []band
	if index == nil {
		bands = s.bands()
	}
	patches := s.patches(Counts{})
	s.eachPlane(s.R*s.S, func(plane int) {
		from, to := x[plane*s.H*s.W:][:s.H*s.W], y[plane*s.OH*s.OW:][:s.OH*s.OW]
		if bands != nil && maxBands(s, bands, from, to) {
			return
		}
		var at []int64
		if index != nil {
			at = index[plane*s.OH*s.OW:][:len(to)]
		}
		if patches == nil {
			maxPlane(s, from, to, at)
			return
		}
		for i := range patches {
			maxPatch(s, &patches[i], from, to, at)
		}
	})
}

func maxPatch[T dtype.Float](s *PoolShape, b *patch, x, y []T, index []int64) {
	w := windowsOf(s, b, x, y)
	switch {
	case len(b.taps) == 0:
		set(s, b, y, T(math.Inf(-1)))
		if index != nil {
			set(s, b, index, 0)
		}
	case index == nil:
		w.Largest()
	default:
		w.LargestAt(index[b.y:])
	}
}

// maxPlane is MaxPool2D for one plane.
func maxPlane[T dtype.Float](s *PoolShape, x, y []T, index []int64) {
	for oh := range s.OH {
		top, bottom := span(oh*s.StrideH-s.PadH, s.R, s.DilationH, s.H)
		values := y[oh*s.OW:][:s.OW]
		for ow := range values {
			left, right := span(ow*s.StrideW-s.PadW, s.S, s.DilationW, s.W)
			at, v := 0, T(math.Inf(-1)) // of nothing but padding
			if top < bottom && left < right {
				at = largest(s, x, top, bottom, left, right)
				v = x[at]
			}
			values[ow] = v
			if index != nil {
				index[oh*s.OW+ow] = int64(at)
			}
		}
	}
}

// AdaptiveMaxPool2D computes y and index as MaxPool2D does, of the windows of
// AdaptiveAvgPool2D.
func AdaptiveMaxPool2D[T dtype.Float](s *PoolShape, x, y []T, index []int64) {
	near := *s
	near.DilationH, near.DilationW = 1, 1
	rows, cols := adaptiveWindows(s.OH, s.H), adaptiveWindows(s.OW, s.W)
	near.eachPlane(ceilDiv(s.H, max(s.OH, 1))*ceilDiv(s.W, max(s.OW, 1)), func(plane int) {
		from := x[plane*s.H*s.W:][:s.H*s.W]
		for i := range s.OH * s.OW {
			r, c := rows.at(i/s.OW), cols.at(i%s.OW)
			at := largest(&near, from, r.lo, r.hi, c.lo, c.hi)
			y[plane*s.OH*s.OW+i], index[plane*s.OH*s.OW+i] = from[at], int64(at)
		}
	})
}

// largest returns the index of the largest element of a window. The maximum and its
// place go separate ways, by instructions without a branch: which element is the
// larger cannot be predicted.
func largest[T dtype.Float](s *PoolShape, x []T, top, bottom, left, right int) int {
	at, best := top*s.W+left, T(math.Inf(-1))
	for h := top; h < bottom; h += s.DilationH {
		line := x[h*s.W:][:right]
		for w := left; w < len(line); w += s.DilationW {
			i, v := h*s.W+w, line[w]
			if v > best {
				at = i
			}
			best = max(best, v)
		}
	}
	if best == best {
		return at
	}
	for h := top; h < bottom; h += s.DilationH {
		for w := left; w < right; w += s.DilationW {
			if i := h*s.W + w; x[i] != x[i] {
				at = i
			}
		}
	}
	return at
}

// span returns the first element of a window that is within an axis of length
// n, and the end of the elements to visit. The window starts at start, which
// may be in the padding.
func span(start, length, dilation, n int) (lo, hi int) {
	end := min(start+(length-1)*dilation+1, n)
	if start < 0 {
		start += ceilDiv(-start, dilation) * dilation
	}
	return start, end
}

// MaxPool2DBackward computes dx, the gradient of MaxPool2D for x: each element
// of dy is added where index says that its value came from.
func MaxPool2DBackward[T dtype.Float](s *PoolShape, dy []T, index []int64, dx []T) {
	s.eachPlane(1, func(plane int) {
		to := dx[plane*s.H*s.W:][:s.H*s.W]
		clear(to)
		grads := dy[plane*s.OH*s.OW:][:s.OH*s.OW]
		for i, at := range index[plane*s.OH*s.OW:][:len(grads)] {
			to[at] += grads[i]
		}
	})
}
