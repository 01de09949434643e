package kern

import (
	"math"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Sums over a row are made in lanes, as many as hide the latency of vector additions: element i is added to lane i modulo their
// number, in order. At the end lanes are added by a reduction tree, in pairs. Lanes of float64 just do that. Lanes of float32 add
// runs of laneRun elements in float32, are then added in pairs until laneTotals are left, and these are added in float64, as is
// all that follows. The number of lanes is the same for every instruction set, so every machine gives the same bits; and a sum
// of float32, however many, is off by 17·2**-24 times Σ |x| at most. Where a run overflows, or squares underflow, the row is
// summed in float64 throughout. A row longer than piece is summed in pieces of that length.

const (
	manyLanes  = 4 * 64 // bytes of the lanes of loops that do little else than add
	fewLanes   = 64     // of others
	laneRun    = 16
	laneTotals = 16
)

// inLanes returns a sum of n terms in so many bytes of lanes; add adds the terms from lo to hi-1, the first to the first lane.
func inLanes[T dtype.Number](n, bytes int, add func(lanes []T, lo, hi int)) float64 {
	if n == 0 {
		return 0
	}
	var totals [laneTotals]float64
	size := int(unsafe.Sizeof(T(0)))
	lanes, run := make([]T, bytes/size), n // on the heap, for add is called by its value
	if size == 4 {
		run = laneRun * len(lanes)
	}
	left := min(laneTotals, len(lanes))
	for lo := 0; lo < n; lo += run {
		clear(lanes)
		add(lanes, lo, min(lo+run, n))
		for count := len(lanes) / 2; count >= left; count /= 2 {
			for i, v := range lanes[count : 2*count] {
				lanes[i] += v
			}
		}
		for i, v := range lanes[:left] {
			totals[i] += float64(v)
		}
	}
	return joinLanes(totals[:left])
}

// joinLanes returns the sum of lanes, whose number is a power of two, by a reduction tree.
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
	if n > piece || !vec.Rows(vec.Sum, n, nil, sums, x) {
		for r := range sums {
			sums[r] = sum64(x[r*n:][:n])
		}
		return
	}
	for r, sum := range sums {
		if !isFinite(sum) {
			sums[r] = sumPiece(x[r*n:][:n])
		}
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
	var sum [1]float64
	if !vec.Rows(vec.Sum, len(x), nil, sum[:], x) {
		sum[0] = inLanes(len(x), manyLanes, func(lanes []T, lo, hi int) {
			for i, v := range x[lo:hi] {
				lanes[i&(len(lanes)-1)] += v
			}
		})
	}
	if isFinite(sum[0]) {
		return sum[0]
	}
	return sumWide(len(x), func(i int) float64 { return float64(x[i]) })
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
	var sum [1]float64
	y = y[:len(x)]
	if !vec.Rows(vec.SumProducts, len(x), nil, sum[:], x, y) {
		sum[0] = inLanes(len(x), manyLanes, func(lanes []T, lo, hi int) {
			y := y[lo:hi]
			for i, v := range x[lo:hi] {
				lanes[i&(len(lanes)-1)] += T(v * y[i])
			}
		})
	}
	if isFinite(sum[0]) {
		return sum[0]
	}
	return sumWide(len(x), func(i int) float64 { return float64(x[i]) * float64(y[i]) })
}

// sumWide returns a sum of n terms in float64.
func sumWide(n int, term func(i int) float64) (sum float64) {
	for i := range n {
		sum += float64(term(i))
	}
	return sum
}

func isFinite(x float64) bool { return !math.IsNaN(x - x) }
