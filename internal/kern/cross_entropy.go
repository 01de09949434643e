package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// SoftmaxShifts writes two numbers for each run along the middle axis of x[outer, axis, inner]: the largest element of the
// run, and log Σ e**(x-largest). The logarithm of the softmax is x less both.
func SoftmaxShifts[T dtype.Float](outer, axis, inner int, x, shifts []T) error {
	if inner == 1 {
		forRowBlocks(outer, axis, func(lo, hi int) { shiftsRows(x[lo*axis:hi*axis], axis, shifts[2*lo:2*hi], after(x, axis, lo, hi)) })
		return nil
	}
	return forEachRow(x, outer, axis, inner, func(at int, row []T) { shiftsRows(row, axis, shifts[2*at:2*at+2], nil) })
}

// shiftsRows writes the shifts of at most rowBlock rows of n elements; it prefetches next.
func shiftsRows[T dtype.Float](x []T, n int, shifts, next []T) {
	var space [rowBlock]T
	var sums [rowBlock]float64
	rows := len(shifts) / 2
	largest := space[:rows]
	topRows(x, n, largest)
	sumExpRows(x, n, largest, sums[:rows], next)
	for r, sum := range sums[:rows] {
		shifts[2*r], shifts[2*r+1] = largest[r], T(math.Log(sum))
	}
}

// CrossEntropyBackward computes dx, the gradient for the logits x of the NLL of their log probabilities, by their shifts: with
// g = weight[t]*dy[i]*scale of the target t of i it is g*(softmax - 1) at the target and g*softmax elsewhere. dy, scale and
// an ignored target are as for NLLBackward.
func CrossEntropyBackward[T dtype.Float](s ChannelShape, x, shifts, dy []T, scale float64, targets []int64, weight []T, ignore int64, dx []T) error {
	step := 1
	if len(dy) == 1 {
		step = 0
	}
	return MapRows(dx, x, s.N, s.C, s.L, func(i int, x, dx []T) {
		t, g := targets[i], T(0)
		if t != ignore {
			g = T(float64(weightOf(weight, t)) * scale * float64(dy[i*step]))
		}
		scaledSoftmax(x, dx, []T{shifts[2*i], shifts[2*i+1], g})
		if t != ignore {
			dx[t] -= g
		}
	})
}

// scaledSoftmax writes e**(x-first-second) * scale.
func scaledSoftmax[T dtype.Float](x, y, scalars []T) {
	if vec.Rows(vec.CrossEntropyGrad, len(x), scalars, noResults, y, x) {
		return
	}
	for i, v := range x {
		y[i] = v - scalars[0] - scalars[1]
	}
	ExpBelow(y, y)
	for i := range y {
		y[i] *= scalars[2]
	}
}
