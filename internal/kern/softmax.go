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
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T, n int) {
		var space [2][rowBlock]T
		var sums [rowBlock]float64
		rows := len(x) / n
		largest, factors := space[0][:rows], space[1][:rows]
		largestRows(x, n, largest)
		expRows(x, y, n, largest, sums[:rows])
		for r, sum := range sums[:rows] {
			factors[r] = T(1 / sum)
		}
		scaleRows(y, n, factors)
	})
}

// LogSoftmax computes y = x - max - log Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func LogSoftmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T, n int) {
		var largest [rowBlock]T
		var sums [rowBlock]float64
		var shifts [2 * rowBlock]T
		rows := len(x) / n
		largestRows(x, n, largest[:rows])
		sumExpRows(x, y, n, largest[:rows], sums[:rows])
		for r, sum := range sums[:rows] {
			shifts[2*r], shifts[2*r+1] = largest[r], T(math.Log(sum))
		}
		shiftRows(x, y, n, shifts[:2*rows])
	})
}

// SoftmaxBackward computes dx = y * (dy - Σ dy*y), the gradient of Softmax for x.
func SoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T, n int) {
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
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T, n int) {
		for lo := 0; lo < len(dx); lo += n {
			dy, y, dx := dy[lo:lo+n], y[lo:lo+n], dx[lo:lo+n]
			sum := T(sum64(dy))
			if vec.Rows(vec.LogSoftmaxGrad, n, []T{sum}, noResults, dx, dy, y) {
				continue
			}
			exp(dx, y)
			for i, v := range dx {
				dx[i] = dy[i] - T(v*sum)
			}
		}
	})
}

// noResults are the results of loops that make none of a row.
var noResults []float64

// largestRows writes the largest element of each row, NaN where one is; of zeros of both signs it is any.
func largestRows[T dtype.Float](x []T, n int, largest []T) {
	if n <= piece && vec.Rows(vec.Largest, n, nil, largest, x) {
		return
	}
	for r := range largest {
		largest[r] = MaxValueRow(x[r*n:][:n])
	}
}

// expRows writes e**(x-largest) to y, and the sum of each row of y, which is NaN where x has a NaN or an infinity is the
// largest, as the formula is.
func expRows[T dtype.Float](x, y []T, n int, largest []T, sums []float64) {
	if n <= piece && vec.Rows(vec.ExpShifted, n, largest, sums, y, x) {
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
	expBelow(y, y)
	return sum64(y)
}

// sumExpRows is expRows where the sums alone are wanted: y is working memory.
func sumExpRows[T dtype.Float](x, y []T, n int, largest []T, sums []float64) {
	if n <= piece && vec.Rows(vec.SumExp, n, largest, sums, x) {
		return
	}
	expRows(x, y, n, largest, sums)
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
)

// rowsOf returns how many rows of n elements are worked on together.
func rowsOf(n int) int { return min(rowBlock, max(1, blockElems/max(n, 1))) }

// forRowBlocks calls body with blocks lo … hi-1 of rows of n elements.
func forRowBlocks(rows, n int, body func(lo, hi int)) {
	par.For(rows, max(1, rowElems/max(n, 1)), func(lo, hi int) {
		for ; lo < hi; lo += rowsOf(n) {
			body(lo, min(lo+rowsOf(n), hi))
		}
	})
}

// forRows calls body with blocks of runs along the middle axis of a, b and out,
// all [outer, axis, inner], rows of n elements; b may be nil. Where inner is more
// than one, body works on copies, for which there may be no memory. out must not
// overlap a or b.
func forRows[T dtype.Float](outer, axis, inner int, a, b, out []T, body func(a, b, out []T, n int)) error {
	if axis == 0 || inner == 0 {
		return nil
	}
	if inner == 1 {
		forRowBlocks(outer, axis, func(lo, hi int) {
			lo, hi = lo*axis, hi*axis
			var second []T
			if b != nil {
				second = b[lo:hi]
			}
			body(a[lo:hi], second, out[lo:hi], axis)
		})
		return nil
	}
	blocks := ceilDiv(inner, together)
	size := volume(min(together, inner), axis)
	return ForWithLoan(outer*blocks, max(1, rowElems/(axis*together)), volume(3, size), func(lo, hi int, space []T) {
		rowsA, rowsB, rowsOut := space[:size], space[size:2*size], space[2*size:]
		for i := lo; i < hi; i++ {
			first := i / blocks * axis * inner
			column := i % blocks * together
			count := min(together, inner-column)
			gatherRows(rowsA, a[first+column:], axis, count, inner)
			if b != nil {
				gatherRows(rowsB, b[first+column:], axis, count, inner)
			}
			body(rowsA[:count*axis], rowsB[:count*axis], rowsOut[:count*axis], axis)
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

// exp writes e**src to dst, which may be src.
func exp[T dtype.Float](dst, src []T) {
	if from, ok := any(src).([]float32); ok {
		ExpF32(any(dst).([]float32), from)
		return
	}
	for i, v := range src {
		dst[i] = T(math.Exp(float64(v)))
	}
}

// expBelow is exp where no element of src is positive.
func expBelow[T dtype.Float](dst, src []T) {
	if from, ok := any(src).([]float32); ok {
		ExpBelowF32(any(dst).([]float32), from)
		return
	}
	exp(dst, src)
}
