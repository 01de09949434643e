package kern

import "cresset/dtype"

// MaxPool2DInt is MaxPool2D of integers: a window of nothing but padding gives the least of them.
func MaxPool2DInt[T dtype.Integer](s *PoolShape, x, y []T, index []int64) {
	least := leastOf[T]()
	s.eachPlane(s.R*s.S, func(plane int) {
		from := x[plane*s.H*s.W:][:s.H*s.W]
		for i := range s.OH * s.OW {
			top, bottom := span(i/s.OW*s.StrideH-s.PadH, s.R, s.DilationH, s.H)
			left, right := span(i%s.OW*s.StrideW-s.PadW, s.S, s.DilationW, s.W)
			at, v := 0, least
			for h := top; h < bottom; h += s.DilationH {
				for w := left; w < right; w += s.DilationW {
					if e := from[h*s.W+w]; e > v || h == top && w == left {
						at, v = h*s.W+w, e
					}
				}
			}
			y[plane*s.OH*s.OW+i] = v
			if index != nil {
				index[plane*s.OH*s.OW+i] = int64(at)
			}
		}
	})
}

// leastOf returns the least number of an integer type.
func leastOf[T dtype.Integer]() T {
	least := T(1)
	for least<<1 != 0 {
		least <<= 1
	}
	return min(least, 0)
}

// AvgPool2DInt is AvgPool2D of integers: sums wrap, and quotients are cut off toward 0.
func AvgPool2DInt(s *PoolShape, by Counts, x, y []int64) {
	rows, cols := s.averageWindows(by)
	average(s, rows, cols, x, y)
}
