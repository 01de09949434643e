package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Softmax computes y = e**(x-max) / Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func Softmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	if inStrips(axis, inner) {
		return softmaxOfColumns(outer, axis, inner, x, y)
	}
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T, n int, next []T) {
		var space [2][rowBlock]T
		var sums [rowBlock]float64
		rows := len(x) / n
		largest, factors := space[0][:rows], space[1][:rows]
		topRows(x, n, largest)
		expRows(x, y, n, largest, sums[:rows], next)
		for r, sum := range sums[:rows] {
			factors[r] = T(1 / sum)
		}
		scaleRows(y, n, factors)
	})
}

// LogSoftmax computes y = x - max - log Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func LogSoftmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	if inStrips(axis, inner) {
		return logSoftmaxOfColumns(outer, axis, inner, x, y)
	}
	around := inner == 1 && len(y) >= hugeRows
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T, n int, next []T) {
		var shifts [2 * rowBlock]T
		rows := len(x) / n
		shiftsRows(x, n, shifts[:2*rows], next)
		if around && vec.StreamRows(nil, vec.Shift, n, shifts[:2*rows], y, x) {
			return
		}
		shiftRows(x, y, n, shifts[:2*rows])
	})
}

// SoftmaxBackward computes dx = y * (dy - Σ dy*y), the gradient of Softmax for x.
func SoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	if inStrips(axis, inner) {
		return softmaxGradOfColumns(outer, axis, inner, dy, y, dx)
	}
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T, n int, _ []T) {
		for lo := 0; lo < len(dx); lo += n {
			dy, y, dx := dy[lo:lo+n], y[lo:lo+n], dx[lo:lo+n]
			sum := T(dot64(dy, y))
			if vec.Rows(vec.SoftmaxGrad, n, []T{sum}, noResults, dx, dy, y) {
				continue
			}
			for i, v := range y {
				dx[i] = v * (dy[i] - sum)
			}
		}
	})
}

// LogSoftmaxBackward computes dx = dy - e**y * Σ dy, the gradient of LogSoftmax
// for x.
func LogSoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	if inStrips(axis, inner) {
		return logSoftmaxGradOfColumns(outer, axis, inner, dy, y, dx)
	}
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T, n int, _ []T) {
		for lo := 0; lo < len(dx); lo += n {
			dy, y, dx := dy[lo:lo+n], y[lo:lo+n], dx[lo:lo+n]
			sum := T(sum64(dy))
			if vec.Rows(vec.LogSoftmaxGrad, n, []T{sum}, noResults, dx, dy, y) {
				continue
			}
			Exp(dx, y)
			for i, v := range dx {
				dx[i] = dy[i] - T(v*sum)
			}
		}
	})
}

// noResults are the results of loops that make none of a row.
var noResults []float64

// topRows writes the largest element of each row that is a number, -Inf where none is: a NaN will show in what follows.
// Of zeros of both signs it is any.
func topRows[T dtype.Float](x []T, n int, tops []T) {
	if n <= piece && vec.Rows(vec.Top, n, nil, tops, x) {
		return
	}
	for r := range tops {
		top := T(math.Inf(-1))
		for _, v := range x[r*n:][:n] {
			if v > top {
				top = v
			}
		}
		tops[r] = top
	}
}

// expRows writes e**(x-largest) to y, and the sum of each row of y, which is NaN where x has a NaN or an infinity is the
// largest, as the formula is; next is what will be read then.
func expRows[T dtype.Float](x, y []T, n int, largest []T, sums []float64, next []T) {
	if n <= piece && vec.RowsPrefetching(next, vec.ExpShifted, n, largest, sums, y, x) {
		return
	}
	for r := range sums {
		sums[r] = 0
		for lo := r * n; lo < (r+1)*n; lo += piece {
			hi := min(lo+piece, (r+1)*n)
			sums[r] += expPiece(x[lo:hi], y[lo:hi], largest[r])
		}
	}
}

func expPiece[T dtype.Float](x, y []T, largest T) float64 {
	var sum [1]float64
	if vec.Rows(vec.ExpShifted, len(x), []T{largest}, sum[:], y, x) {
		return sum[0]
	}
	for i, v := range x {
		y[i] = v - largest
	}
	ExpBelow(y, y)
	return inLanes(len(y), fewLanes, func(lanes []T, lo, hi int) {
		for i, v := range y[lo:hi] {
			lanes[i&(len(lanes)-1)] += v
		}
	})
}

// sumExpRows is expRows where the sums alone are wanted; next is what will be read then.
func sumExpRows[T dtype.Float](x []T, n int, largest []T, sums []float64, next []T) {
	if n <= piece && vec.RowsPrefetching(next, vec.SumExp, n, largest, sums, x) {
		return
	}
	for r := range sums {
		sums[r] = 0
		for lo := r * n; lo < (r+1)*n; lo += piece {
			sums[r] += sumExpPiece(x[lo:min(lo+piece, (r+1)*n)], largest[r])
		}
	}
}

// stretch is how many powers are computed before they are added: they stay in the L1 cache.
const stretch = 128

func sumExpPiece[T dtype.Float](x []T, largest T) float64 {
	var sum [1]float64
	if vec.Rows(vec.SumExp, len(x), []T{largest}, sum[:], x) {
		return sum[0]
	}
	return inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		var space [stretch]T
		for ; lo < hi; lo += stretch {
			powers := space[:min(stretch, hi-lo)]
			for i, v := range x[lo:][:len(powers)] {
				powers[i] = v - largest
			}
			ExpBelow(powers, powers)
			for i, v := range powers {
				lanes[i&(len(lanes)-1)] += v
			}
		}
	})
}

// scaleRows multiplies each row by its factor.
func scaleRows[T dtype.Float](y []T, n int, factors []T) {
	if vec.Rows(vec.Scale, n, factors, noResults, y, y) {
		return
	}
	for r, f := range factors {
		for i := range y[r*n:][:n] {
			y[r*n+i] *= f
		}
	}
}

// shiftRows writes x less two shifts of its row to y.
func shiftRows[T dtype.Float](x, y []T, n int, shifts []T) {
	if vec.Rows(vec.Shift, n, shifts, noResults, y, x) {
		return
	}
	for i, v := range x {
		r := i / n
		y[i] = v - shifts[2*r] - shifts[2*r+1]
	}
}

const (
	rowElems   = 1 << 12 // the least elements that are worth a thread
	rowBlock   = 64      // rows that are worked on together, at most
	blockElems = 1 << 11 // elements of such rows, unless a row has more: they stay in the L1 cache
	together   = 16      // rows that are gathered together where they are not contiguous: a cache line of float32

	hugeRows  = 2 << 20 // elements of rows that no cache holds: see vec.StreamRows
	hugeElems = 1 << 15 // elements that are worked on together of such rows: they, and those that follow, stay in the L2 cache
)

// rowsOf returns how many rows of n elements are worked on together.
func rowsOf(n int) int { return min(rowBlock, max(1, blockElems/max(n, 1))) }

// forRowBlocks calls body with blocks lo … hi-1 of rows of n elements.
func forRowBlocks(rows, n int, body func(lo, hi int)) {
	block, grain := rowsOf(n), max(1, rowElems/max(n, 1))
	if rows*n >= hugeRows {
		block = min(rowBlock, max(1, hugeElems/n))
		grain = max(block, grain)
	}
	par.For(rows, grain, func(lo, hi int) {
		for ; lo < hi; lo += block {
			body(lo, min(lo+block, hi))
		}
	})
}

// after returns as many rows of n elements as lo … hi-1 that follow these, or what there is of them.
func after[T any](x []T, n, lo, hi int) []T {
	return x[hi*n : min((2*hi-lo)*n, len(x))]
}

// forRows calls body with blocks of runs along the middle axis of a, b and out,
// all [outer, axis, inner], rows of n elements; b may be nil. Where inner is more
// than one, body works on copies, for which there may be no memory; elsewhere next
// is what it will get as a then. out must not overlap a or b.
func forRows[T dtype.Float](outer, axis, inner int, a, b, out []T, body func(a, b, out []T, n int, next []T)) error {
	if axis == 0 || inner == 0 {
		return nil
	}
	if inner == 1 {
		forRowBlocks(outer, axis, func(lo, hi int) {
			first, last := lo*axis, hi*axis
			var second []T
			if b != nil {
				second = b[first:last]
			}
			body(a[first:last], second, out[first:last], axis, after(a, axis, lo, hi))
		})
		return nil
	}
	blocks := ceilDiv(inner, together)
	size := volume(min(together, inner), axis)
	return ForWithWorkspace(outer*blocks, max(1, rowElems/(axis*together)), volume(3, size), func(lo, hi int, space []T) {
		rowsA, rowsB, rowsOut := space[:size], space[size:2*size], space[2*size:]
		for i := lo; i < hi; i++ {
			first := i / blocks * axis * inner
			column := i % blocks * together
			count := min(together, inner-column)
			gatherRows(rowsA, a[first+column:], axis, count, inner)
			if b != nil {
				gatherRows(rowsB, b[first+column:], axis, count, inner)
			}
			body(rowsA[:count*axis], rowsB[:count*axis], rowsOut[:count*axis], axis, nil)
			scatterRows(out[first+column:], rowsOut, axis, count, inner)
		}
	})
}

// gatherRows writes dst[l*axis+i] = src[i*stride+l] for l below count.
func gatherRows[T dtype.Float](dst, src []T, axis, count, stride int) {
	for i := range axis {
		for l, v := range src[i*stride:][:count] {
			dst[l*axis+i] = v
		}
	}
}

// scatterRows writes dst[i*stride+l] = src[l*axis+i] for l below count.
func scatterRows[T dtype.Float](dst, src []T, axis, count, stride int) {
	for i := range axis {
		to := dst[i*stride:][:count]
		for l := range to {
			to[l] = src[l*axis+i]
		}
	}
}
