package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// NormMiddle is dst[o][i] = the p-norm of src[o][·][i].
func NormMiddle[T dtype.Float](dst, src []T, outer, n, inner int, p float64) error {
	if p != 2 || inner != 1 || n == 0 || n > piece {
		return Reduce(dst, src, outer, n, inner, func(row []T) T { return NormRow(row, p) })
	}
	par.For(len(dst), max(1, piece/n), func(lo, hi int) {
		var sums [rowBlock]float64
		for ; lo < hi; lo += rowBlock {
			next := min(lo+rowBlock, hi)
			sumSquares(src[lo*n:next*n], n, sums[:next-lo])
			for r, sum := range sums[:next-lo] {
				dst[lo+r] = T(math.Sqrt(sum))
			}
		}
	})
	return nil
}

// NormRow returns the p-norm of a row, (Σ |x|**p)**(1/p): the largest |x| where p is +Inf, the smallest where it is -Inf,
// how many elements are not zero where p is 0.
func NormRow[T dtype.Float](row []T, p float64) T {
	switch {
	case math.IsInf(p, 0):
		return T(extremeSize(row, p))
	case p == 0:
		return T(CountRow(row))
	case p == 1:
		return T(powerSum(row, p))
	case p == 2:
		return T(math.Sqrt(powerSum(row, p)))
	}
	return T(math.Pow(powerSum(row, p), 1/p))
}

func powerSum[T dtype.Float](row []T, p float64) float64 {
	if len(row) <= piece {
		return powerPiece(row, p)
	}
	return inPieces(len(row), func(lo, hi int) float64 { return powerPiece(row[lo:hi], p) }, plus)
}

func powerPiece[T dtype.Float](row []T, p float64) float64 {
	var sum float64
	switch p {
	case 1:
		return sizesPiece(row)
	case 2:
		return squaresPiece(row)
	case 3:
		for _, v := range row {
			size := math.Abs(float64(v))
			sum += float64(size * size * size)
		}
	case 4:
		for _, v := range row {
			square := float64(v) * float64(v)
			sum += float64(square * square)
		}
	default:
		for _, v := range row {
			sum += math.Pow(math.Abs(float64(v)), p)
		}
	}
	return sum
}

func squaresPiece[T dtype.Float](row []T) float64 {
	var sum [1]float64
	if vec.Rows(vec.SumSquares, len(row), nil, sum[:], row) && isFinite(sum[0]) {
		return sum[0]
	}
	return dotPiece(row, row)
}

func sizesPiece[T dtype.Float](row []T) float64 {
	var sum [1]float64
	if !vec.Rows(vec.SumSizes, len(row), nil, sum[:], row) {
		sum[0] = inLanes(len(row), manyLanes, func(lanes []T, lo, hi int) {
			for i, v := range row[lo:hi] {
				lanes[i&(len(lanes)-1)] += T(math.Abs(float64(v)))
			}
		})
	}
	if isFinite(sum[0]) {
		return sum[0]
	}
	return sumWide(len(row), func(i int) float64 { return math.Abs(float64(row[i])) })
}

// extremeSize returns the largest |x| of a row, or the smallest where p is negative; NaN wins, and of no elements the
// largest is 0.
func extremeSize[T dtype.Float](row []T, p float64) float64 {
	loop, best := vec.LargestSize, 0.0
	if p < 0 {
		loop, best = vec.SmallestSize, math.Inf(1)
	}
	for len(row) > 0 {
		part := row[:min(len(row), piece)]
		v, ok := vectorExtreme(loop, part)
		if !ok {
			break
		}
		if p > 0 {
			best = max(best, float64(v))
		} else {
			best = min(best, float64(v))
		}
		row = row[len(part):]
	}
	for _, v := range row {
		if p > 0 {
			best = max(best, math.Abs(float64(v)))
		} else {
			best = min(best, math.Abs(float64(v)))
		}
	}
	return best
}

// NormGrad is dx = dy · ∂y/∂x for the p-norm y of x. Where it has no derivative, it follows PyTorch: equal extremes share,
// and nothing flows to zeros, nor where y is 0.
func NormGrad[T dtype.Float](dy, y T, x, dx []T, p float64) {
	switch {
	case p == 0:
		clear(dx)
	case math.IsInf(p, 0):
		shareSizeGrad(dy, y, x, dx)
	case p == 2:
		for i, v := range x {
			dx[i] = 0
			if y != 0 {
				dx[i] = dy * T(v/y)
			}
		}
	default:
		powerGrad(float64(dy), float64(y), x, dx, p)
	}
}

func powerGrad[T dtype.Float](dy, y float64, x, dx []T, p float64) {
	scale := dy
	if p != 1 {
		scale /= math.Pow(y, p-1)
		if y == 0 {
			scale = 0
		}
	}
	for i, v := range x {
		size := 1.0
		if p != 1 {
			size = math.Pow(math.Abs(float64(v)), p-1)
		}
		switch {
		case v == 0:
			dx[i] = 0
		case v < 0:
			dx[i] = T(-scale * size)
		default:
			dx[i] = T(scale * size)
		}
	}
}

func shareSizeGrad[T dtype.Float](dy, y T, x, dx []T) {
	count := 0
	for _, v := range x {
		if v == y || v == -y {
			count++
		}
	}
	for i, v := range x {
		dx[i] = 0
		if v == 0 {
			continue
		}
		if v == y {
			dx[i] = dy / T(count)
		} else if v == -y {
			dx[i] = -dy / T(count)
		}
	}
}
