package kern

import (
	"cresset/internal/par"
)

// Conv2DInt computes y, the cross-correlation of x with w plus bias, which has K elements or is nil, as Conv2D does, of integers, whose
// sums wrap.
func Conv2DInt[T int32 | int64](s *ConvShape, x, w, bias, y []T) {
	_, outputs, depth, pixels := s.groupSizes()
	channels := s.C / s.Groups
	par.For(s.N*s.K, grainOf(2*depth*pixels), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			image, k := i/s.K, i%s.K
			plane := y[i*pixels:][:pixels]
			clear(plane)
			if bias != nil {
				for j := range plane {
					plane[j] = bias[k]
				}
			}
			first := image*s.C + k/outputs*channels
			for c := range channels {
				for tap, weight := range w[(k*channels+c)*s.R*s.S:][:s.R*s.S] {
					addTap(s, plane, x[(first+c)*s.H*s.W:][:s.H*s.W], tap/s.S, tap%s.S, weight)
				}
			}
		}
	})
}

// addTap adds to a plane of y what one weight of the window, at row r and column q, takes from a plane of x.
func addTap[T int32 | int64](s *ConvShape, y, x []T, r, q int, weight T) {
	for i := range s.OH {
		row := i*s.StrideH - s.PadH + r*s.DilationH
		if row < 0 || row >= s.H {
			continue
		}
		from, to := x[row*s.W:][:s.W], y[i*s.OW:][:s.OW]
		for j := range to {
			if at := j*s.StrideW - s.PadW + q*s.DilationW; at >= 0 && at < s.W {
				to[j] += from[at] * weight
			}
		}
	}
}

// Conv2DGradInputInt computes dx, the transposed convolution of dy with w plus bias, which has C elements or is nil, as
// Conv2DGradInput does, of integers, whose sums wrap.
func Conv2DGradInputInt(s *ConvShape, dy, w, bias, dx []int64) {
	_, outputs, _, pixels := s.groupSizes()
	channels := s.C / s.Groups
	par.For(s.N*s.C, grainOf(2*outputs*s.R*s.S*pixels), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			image, c := i/s.C, i%s.C
			plane := dx[i*s.H*s.W:][:s.H*s.W]
			clear(plane)
			if bias != nil {
				for j := range plane {
					plane[j] = bias[c]
				}
			}
			first := c / channels * outputs
			for k := first; k < first+outputs; k++ {
				for tap, weight := range w[(k*channels+c%channels)*s.R*s.S:][:s.R*s.S] {
					addTapBack(s, plane, dy[(image*s.K+k)*pixels:][:pixels], tap/s.S, tap%s.S, weight)
				}
			}
		}
	})
}

// addTapBack adds to a plane of dx what one weight of the window, at row r and column q, gives back from a plane of dy.
func addTapBack(s *ConvShape, dx, dy []int64, r, q int, weight int64) {
	for i := range s.OH {
		row := i*s.StrideH - s.PadH + r*s.DilationH
		if row < 0 || row >= s.H {
			continue
		}
		from, to := dy[i*s.OW:][:s.OW], dx[row*s.W:][:s.W]
		for j, g := range from {
			if at := j*s.StrideW - s.PadW + q*s.DilationW; at >= 0 && at < s.W {
				to[at] += g * weight
			}
		}
	}
}
