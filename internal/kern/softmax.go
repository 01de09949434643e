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
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T) {
		factor := T(1 / expShifted(x, y, MaxValueRow(x)))
		for i := vec.Unary(vec.Scale, y, y, factor); i < len(y); i++ {
			y[i] *= factor
		}
	})
}

// LogSoftmax computes y = x - max - log Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func LogSoftmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T) {
		largest := MaxValueRow(x)
		log := T(math.Log(sumExpShifted(x, y, largest)))
		for i := vec.Unary(vec.Shift, y, x, largest, log); i < len(y); i++ {
			y[i] = x[i] - largest - log
		}
	})
}

// SoftmaxBackward computes dx = y * (dy - Σ dy*y), the gradient of Softmax for x.
func SoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T) {
		sum := T(dot64(dy, y))
		for i := vec.Binary(vec.SoftmaxGrad, dx, dy, y, sum); i < len(dx); i++ {
			dx[i] = y[i] * (dy[i] - sum)
		}
	})
}

// LogSoftmaxBackward computes dx = dy - e**y * Σ dy, the gradient of LogSoftmax
// for x.
func LogSoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T) {
		sum := T(sum64(dy))
		done := vec.Binary(vec.LogSoftmaxGrad, dx, dy, y, sum)
		dy, dx = dy[done:], dx[done:]
		exp(dx, y[done:])
		for i, v := range dx {
			dx[i] = dy[i] - T(v*sum)
		}
	})
}

// expShifted writes e**(x-largest) to y and returns its sum, which is NaN where x
// has a NaN or an infinity is the largest, as the formula is.
func expShifted[T dtype.Float](x, y []T, largest T) float64 {
	var l [maxLanes]float64
	done := vec.Fold(vec.ExpShifted, l[:], []T{largest}, y, x)
	return expShiftedRest(x, y, largest, l[:lanesOf[T]()], done)
}

// sumExpShifted is expShifted where the sum alone is wanted: y is working memory.
func sumExpShifted[T dtype.Float](x, y []T, largest T) float64 {
	var l [maxLanes]float64
	done := vec.Fold(vec.SumExp, l[:], []T{largest}, x)
	return expShiftedRest(x, y, largest, l[:lanesOf[T]()], done)
}

// expShiftedRest does what expShifted does from the element done on.
func expShiftedRest[T dtype.Float](x, y []T, largest T, l []float64, done int) float64 {
	x, y = x[done:], y[done:]
	for i, v := range x {
		y[i] = v - largest
	}
	exp(y, y)
	for i, v := range y {
		l[i&(len(l)-1)] += float64(v) // done is a multiple of the lanes, unless nothing is left
	}
	return joinLanes(l)
}

const (
	rowElems = 1 << 12 // the least elements that are worth a thread
	together = 16      // rows that are gathered together where they are not contiguous: a cache line of float32
)

// forRows calls body with each run along the middle axis of a, b and out, all
// [outer, axis, inner]; b may be nil. Where inner is more than one, body works on
// copies, for which there may be no memory. out must not overlap a or b.
func forRows[T dtype.Float](outer, axis, inner int, a, b, out []T, body func(a, b, out []T)) error {
	if axis == 0 || inner == 0 {
		return nil
	}
	if inner == 1 {
		par.For(outer, max(1, rowElems/axis), func(lo, hi int) {
			for i := lo * axis; i < hi*axis; i += axis {
				var second []T
				if b != nil {
					second = b[i:][:axis]
				}
				body(a[i:][:axis], second, out[i:][:axis])
			}
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
			for l := range count {
				body(rowsA[l*axis:][:axis], rowsB[l*axis:][:axis], rowsOut[l*axis:][:axis])
			}
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
