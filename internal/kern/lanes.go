package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Sums over a row are made in lanes, 16 of float32 and 8 of float64: as many elements as the largest vector holds.
// Element i is added to lane i modulo their number, in order and in float64, and lanes meet in pairs at the end; a row
// longer than piece is summed in pieces of that length. So all machines give the same bits, and the error grows with an
// eighth of the row's length at most.

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

// sumRows writes Σ x of each row of n elements.
func sumRows[T dtype.Number](x []T, n int, sums []float64) {
	if n <= piece && vec.Rows(vec.Sum, n, nil, sums, x) {
		return
	}
	for r := range sums {
		sums[r] = sum64(x[r*n:][:n])
	}
}

// sum64 returns Σ x.
func sum64[T dtype.Number](x []T) (sum float64) {
	for len(x) > piece {
		sum += sumPiece(x[:piece])
		x = x[piece:]
	}
	return sum + sumPiece(x)
}

func sumPiece[T dtype.Number](x []T) float64 {
	var l [maxLanes]float64
	if vec.Rows(vec.Sum, len(x), nil, l[:1], x) {
		return l[0]
	}
	n := lanesOf[T]()
	for i, v := range x {
		l[i&(n-1)] += float64(v)
	}
	return joinLanes(l[:n])
}

// dot64 returns Σ x*y.
func dot64[T dtype.Float](x, y []T) (sum float64) {
	for len(x) > piece {
		sum += dotPiece(x[:piece], y[:piece])
		x, y = x[piece:], y[piece:]
	}
	return sum + dotPiece(x, y)
}

func dotPiece[T dtype.Float](x, y []T) float64 {
	var l [maxLanes]float64
	y = y[:len(x)]
	if vec.Rows(vec.SumProducts, len(x), nil, l[:1], x, y) {
		return l[0]
	}
	n := lanesOf[T]()
	for i, v := range x {
		l[i&(n-1)] += float64(float64(v) * float64(y[i]))
	}
	return joinLanes(l[:n])
}

// squares64 returns Σ (x-mean)**2, where the differences are of type T.
func squares64[T dtype.Float](x []T, mean float64) (sum float64) {
	c := centerOf[T](mean)
	for len(x) > piece {
		sum += c.squares(x[:piece])
		x = x[piece:]
	}
	return sum + c.squares(x)
}

// center is a number in two parts of type T: mean + rest.
type center[T dtype.Float] struct{ mean, rest T }

func centerOf[T dtype.Float](mean float64) center[T] {
	m := T(mean)
	return center[T]{m, T(mean - float64(m))}
}

// from returns x less the number. The first difference is exact where x is near it.
func (c center[T]) from(x T) T { return x - c.mean - c.rest }

// squares returns Σ (x-mean)**2 of a piece.
func (c center[T]) squares(x []T) float64 {
	var l [maxLanes]float64
	if vec.Rows(vec.Deviations, len(x), []T{c.mean, c.rest}, l[:1], x) {
		return l[0]
	}
	n := lanesOf[T]()
	for i, v := range x {
		d := float64(c.from(v))
		l[i&(n-1)] += float64(d * d)
	}
	return joinLanes(l[:n])
}
