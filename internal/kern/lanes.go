package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Sums over a row are made in lanes, 16 of float32 and 8 of float64: as many elements as the largest vector holds.
// Element i is added to lane i modulo their number, in order and in float64, and lanes meet in pairs at the end. So all
// machines give the same bits, and the error grows with an eighth of the row's length at most.

// A sum is its lanes; where a loop makes two sums, the lanes of the second follow those of the first.
const maxLanes = 16

// lanesOf is the number of lanes for elements of type T, a power of two.
func lanesOf[T dtype.Number]() int {
	var zero T
	return min(maxLanes, 64/int(unsafe.Sizeof(zero))) // only the size is asked for
}

// joinLanes returns the sum of lanes, whose number is a power of two.
func joinLanes(l []float64) float64 {
	for n := len(l) / 2; n > 0; n /= 2 {
		for i, v := range l[n : 2*n] {
			l[i] += v
		}
	}
	return l[0]
}

// sum64 returns Σ x.
func sum64[T dtype.Number](x []T) float64 {
	var l [maxLanes]float64
	n := lanesOf[T]()
	for i := vec.Fold(vec.Sum, l[:], nil, x); i < len(x); i++ {
		l[i&(n-1)] += float64(x[i])
	}
	return joinLanes(l[:n])
}

// dot64 returns Σ x*y.
func dot64[T dtype.Float](x, y []T) float64 {
	var l [maxLanes]float64
	n := lanesOf[T]()
	for i := vec.Fold(vec.SumProducts, l[:], nil, x, y); i < len(x); i++ {
		l[i&(n-1)] += float64(float64(x[i]) * float64(y[i]))
	}
	return joinLanes(l[:n])
}

// squares64 returns Σ (x-mean)**2, where the differences are of type T.
func squares64[T dtype.Float](x []T, mean float64) float64 {
	var l [maxLanes]float64
	n, c := lanesOf[T](), centerOf[T](mean)
	for i := vec.Fold(vec.Deviations, l[:], []T{c.mean, c.rest}, x); i < len(x); i++ {
		d := float64(c.from(x[i]))
		l[i&(n-1)] += float64(d * d)
	}
	return joinLanes(l[:n])
}

// sums64 returns Σ x and Σ x*x of float32, whose squares float64 holds exactly.
func sums64(x []float32) (sum, square float64) {
	const n = maxLanes
	var l [2 * n]float64
	for i := vec.Fold(vec.Moments, l[:], nil, x); i < len(x); i++ {
		v := float64(x[i])
		l[i%n] += v
		l[n+i%n] += float64(v * v)
	}
	return joinLanes(l[:n]), joinLanes(l[n:])
}

// moments64 returns the mean of x and the mean of (x-mean)**2.
func moments64[T dtype.Float](x []T) (mean, variance float64) {
	n := float64(len(x))
	if f, ok := any(x).([]float32); ok {
		sum, square := sums64(f)
		mean = sum / n
		if variance, ok = varianceOf(square/n, mean); ok {
			return mean, variance
		}
	} else {
		mean = sum64(x) / n
	}
	return mean, squares64(x, mean) / n
}

// varianceOf returns the mean of squares less the square of the mean, both of float32 and made in float64. It is ok
// unless the mean is so far from zero, beside the variance, that too little of it remains, or it is no number: of 2**20
// elements the mean of squares is off by 2**-37 of itself at most, so the variance by 2**-26.
func varianceOf(squares, mean float64) (variance float64, ok bool) {
	variance = squares - float64(mean*mean)
	return variance, variance*(1<<10) >= squares
}

// center is a number in two parts of type T: mean + rest.
type center[T dtype.Float] struct{ mean, rest T }

func centerOf[T dtype.Float](mean float64) center[T] {
	m := T(mean)
	return center[T]{m, T(mean - float64(m))}
}

// from returns x less the number. The first difference is exact where x is near it.
func (c center[T]) from(x T) T { return x - c.mean - c.rest }
