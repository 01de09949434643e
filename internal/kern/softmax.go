package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Softmax computes y = e**(x-max) / Σ e**(x-max) along the middle axis of x[outer, axis, inner].
func Softmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	return forRows(outer, axis, inner, x, nil, y, softmaxRows)
}

// LogSoftmax computes y = x - max - log Σ e**(x-max) along the middle axis of x[outer, axis, inner].
func LogSoftmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	if inner != 1 || len(y) < hugeRows {
		return forRows(outer, axis, inner, x, nil, y, logSoftmaxRows)
	}
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T, n int, next []T) {
		var shifts [2 * rowBlock]T
		rows := len(x) / n
		shiftsRows(x, n, shifts[:2*rows], next)
		if !vec.StreamRows(nil, vec.Shift, n, shifts[:2*rows], y, x) {
			shiftRows(x, y, n, shifts[:2*rows])
		}
	})
}

// SoftmaxBackward computes dx = y * (dy - Σ dy*y), the gradient of Softmax for x.
func SoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, softmaxBackwardRows)
}

// LogSoftmaxBackward computes dx = dy - e**y * Σ dy, the gradient of LogSoftmax for x.
func LogSoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, logSoftmaxBackwardRows)
}

// A rowsBody computes at most rowBlock rows of n elements from those of a and perhaps b; it prefetches next.
type rowsBody[T dtype.Float] = func(a, b, out []T, n int, next []T)

func softmaxRows[T dtype.Float](x, _, y []T, n int, next []T) {
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
}

func logSoftmaxRows[T dtype.Float](x, _, y []T, n int, next []T) {
	var shifts [2 * rowBlock]T
	rows := len(x) / n
	shiftsRows(x, n, shifts[:2*rows], next)
	shiftRows(x, y, n, shifts[:2*rows])
}

func softmaxBackwardRows[T dtype.Float](dy, y, dx []T, n int, _ []T) {
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
}

func logSoftmaxBackwardRows[T dtype.Float](dy, y, dx []T, n int, _ []T) {
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
}

// noResults stands for the results of vector loops that have none.
var noResults []float64

// topRows writes the largest element of each row that is not NaN, -Inf where all are: a NaN shows in the sums that follow. Of zeros
// of both signs it is either.
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

// expRows writes e**(x-largest) to y, and the sum of each row of y, which is NaN where x has a NaN or an infinity is the largest. It
// prefetches next.
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

// sumExpRows is expRows where the sums alone are wanted.
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

// stretch is how many exponentials are computed before they are added: they stay in the L1 cache.
const stretch = 128

func sumExpPiece[T dtype.Float](x []T, largest T) float64 {
	var sum [1]float64
	if vec.Rows(vec.SumExp, len(x), []T{largest}, sum[:], x) {
		return sum[0]
	}
	return inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		var space [stretch]T
		for ; lo < hi; lo += stretch {
			exps := space[:min(stretch, hi-lo)]
			for i, v := range x[lo:][:len(exps)] {
				exps[i] = v - largest
			}
			ExpBelow(exps, exps)
			for i, v := range exps {
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
	rowBlock   = 64      // rows of a block, at most
	blockElems = 1 << 11 // elements of a block, unless a row has more: they stay in the L1 cache

	// hugeRows is elements of rows that no cache holds. vec.StreamRows writes them: log_softmax/4096x1024 and
	// batch_norm/32x64x56x56 take a quarter less time so.
	hugeRows = 2 << 20
	// hugeElems is elements of a block of such rows: they, and the next block that is prefetched, stay in the L2 cache, which saves
	// log_softmax/4096x1024 and layer_norm/4096x1024 a fifth.
	hugeElems = 1 << 15
)

// rowsOf returns how many rows of n elements a block has.
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

// after returns the rows of n elements that follow lo … hi-1, as many as these, or what there is of them: what to prefetch.
func after[T any](x []T, n, lo, hi int) []T {
	return x[hi*n : min((2*hi-lo)*n, len(x))]
}

// forRows calls body with blocks of runs along the middle axis of a, b and out, all [outer, axis, inner], as rows of n elements; b may
// be nil. Where inner is not 1, rows are gathered and scattered, which may fail for want of memory; else next is the block of a
// to prefetch. out must not overlap a or b.
func forRows[T dtype.Float](outer, axis, inner int, a, b, out []T, body rowsBody[T]) error {
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
	blocks := ceilDiv(inner, reduceLanes)
	size := volume(min(reduceLanes, inner), axis)
	return ForWithWorkspace(outer*blocks, max(1, rowElems/(axis*reduceLanes)), volume(3, size), func(lo, hi int, space []T) {
		rowsA, rowsB, rowsOut := space[:size], space[size:2*size], space[2*size:]
		for i := lo; i < hi; i++ {
			first := i / blocks * axis * inner
			column := i % blocks * reduceLanes
			count := min(reduceLanes, inner-column)
			gatherLanes(rowsA, a[first+column:], axis, count, inner)
			if b != nil {
				gatherLanes(rowsB, b[first+column:], axis, count, inner)
			}
			body(rowsA[:count*axis], rowsB[:count*axis], rowsOut[:count*axis], axis, nil)
			scatterLanes(out[first+column:], rowsOut, axis, count, inner)
		}
	})
}
