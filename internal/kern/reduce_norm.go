package kern

import (
	"math"

	"cresset/dtype"
)

// NormRow returns the p-norm of a row, (Σ |x|**p)**(1/p): the largest |x| where p is +Inf, the smallest where it is -Inf,
// how many elements are not zero where p is 0.
func NormRow[T dtype.Float](row []T, p float64) T {
	switch {
	case math.IsInf(p, 0):
		return T(extremeSize(row, p > 0))
	case p == 0:
		return T(CountNonZero[T, int64]().Row(row))
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

// powerPiece returns Σ |x|**p.
func powerPiece[T dtype.Float](row []T, p float64) (sum float64) {
	switch p {
	case 1:
		return sizesPiece(row)
	case 2:
		return dotPiece(row, row)
	default:
		for _, v := range row {
			sum += math.Pow(math.Abs(float64(v)), p)
		}
	}
	return sum
}

// sizesPiece returns Σ |x|, as sumPiece adds.
func sizesPiece[T dtype.Float](row []T) float64 {
	sum := inLanes(len(row), manyLanes, func(lanes []T, lo, hi int) {
		for i, v := range row[lo:hi] {
			lanes[i&(len(lanes)-1)] += T(math.Abs(float64(v)))
		}
	})
	if isFinite(sum) {
		return sum
	}
	return sumWide(len(row), func(i int) float64 { return math.Abs(float64(row[i])) })
}

// extremeSize returns the largest |x| of a row, 0 of no elements, or the smallest, which is then +Inf; NaN wins.
func extremeSize[T dtype.Float](row []T, largest bool) float64 {
	most, least := 0.0, math.Inf(1)
	for _, v := range row {
		size := math.Abs(float64(v))
		most, least = max(most, size), min(least, size)
	}
	if largest {
		return most
	}
	return least
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
