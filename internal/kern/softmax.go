package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/par"
)

// Softmax computes y = e**(x-max) / Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func Softmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T) {
		_, sum := expShifted(x, y)
		for i := range y {
			y[i] = T(float64(y[i]) / sum)
		}
	})
}

// LogSoftmax computes y = x - max - log Σ e**(x-max) along the middle axis of
// x[outer, axis, inner].
func LogSoftmax[T dtype.Float](outer, axis, inner int, x, y []T) error {
	return forRows(outer, axis, inner, x, nil, y, func(x, _, y []T) {
		largest, sum := expShifted(x, y)
		log := T(math.Log(sum))
		for i, v := range x {
			y[i] = v - largest - log
		}
	})
}

// SoftmaxBackward computes dx = y * (dy - Σ dy*y), the gradient of Softmax for x.
func SoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T) {
		sum := T(dot64(dy, y))
		for i, v := range y {
			dx[i] = v * (dy[i] - sum)
		}
	})
}

// LogSoftmaxBackward computes dx = dy - e**y * Σ dy, the gradient of LogSoftmax
// for x.
func LogSoftmaxBackward[T dtype.Float](outer, axis, inner int, dy, y, dx []T) error {
	return forRows(outer, axis, inner, dy, y, dx, func(dy, y, dx []T) {
		sum := T(sum64(dy))
		exp(dx, y)
		for i, v := range dx {
			dx[i] = dy[i] - T(v*sum)
		}
	})
}

// expShifted writes e**(x-max) to y and returns max and the sum of y. A NaN or
// an infinity in x makes the sum NaN, as the formula does.
func expShifted[T dtype.Float](x, y []T) (largest T, sum float64) {
	largest = T(math.Inf(-1))
	for _, v := range x {
		if v > largest {
			largest = v
		}
	}
	for i, v := range x {
		y[i] = v - largest
	}
	exp(y, y)
	return largest, sum64(y)
}

const (
	rowElems = 1 << 10 // the least elements that are worth a thread
	lanes    = 16      // rows that are gathered together where they are not contiguous: a cache line of float32
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
	blocks := ceilDiv(inner, lanes)
	size := volume(min(lanes, inner), axis)
	return ForWithLoan(outer*blocks, max(1, rowElems/(axis*lanes)), volume(3, size), func(lo, hi int, space []T) {
		rowsA, rowsB, rowsOut := space[:size], space[size:2*size], space[2*size:]
		for i := lo; i < hi; i++ {
			first := i / blocks * axis * inner
			column := i % blocks * lanes
			count := min(lanes, inner-column)
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

// sum64 returns Σ x. Four sums side by side hide the latency of an addition.
func sum64[T dtype.Float](x []T) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		v := (*[4]T)(x)
		s0, s1, s2, s3 = s0+float64(v[0]), s1+float64(v[1]), s2+float64(v[2]), s3+float64(v[3])
		x = x[4:]
	}
	for _, v := range x {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}

// dot64 returns Σ x*y, added as sum64 adds.
func dot64[T dtype.Float](x, y []T) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		v, w := (*[4]T)(x), (*[4]T)(y)
		s0 += float64(float64(v[0]) * float64(w[0]))
		s1 += float64(float64(v[1]) * float64(w[1]))
		s2 += float64(float64(v[2]) * float64(w[2]))
		s3 += float64(float64(v[3]) * float64(w[3]))
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(float64(v) * float64(y[i]))
	}
	return (s0 + s1) + (s2 + s3)
}
