package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Moments are computed from sums of deviations from a shift near the mean: Σ (x-shift)² gives the variance, and Σ (x-shift) how
// far the shift is from the mean. The shift is the mean of a few elements. Where that turns out to be too far off, it is the
// mean itself, which takes a second pass.

// samples is the number of elements of a row whose mean is the first shift.
const samples = 8

// rowMoments are a row's mean and the mean of (x-mean)**2.
type rowMoments struct{ mean, variance float64 }

// momentsOf returns the moments of a row.
func momentsOf[T dtype.Float](x []T) rowMoments {
	n := float64(len(x))
	shift := sampled(x)
	if d := deviationsFrom(x, shift); d.near(n) {
		return d.moments(float64(shift), n)
	}
	shift = T(sum64(x) / n)
	return deviationsFrom(x, shift).moments(float64(shift), n)
}

// momentsRows writes the moments of each row of n elements.
func momentsRows[T dtype.Float](x []T, n int, m []rowMoments) {
	var shifts [rowBlock]T
	var all [rowBlock]deviations
	if n > piece || n == 0 || len(m) > rowBlock {
		for r := range m {
			m[r] = momentsOf(x[r*n:][:n])
		}
		return
	}
	for r := range m {
		shifts[r] = sampled(x[r*n:][:n])
	}
	deviationsRows(x, n, shifts[:len(m)], all[:len(m)])
	for r, d := range all[:len(m)] {
		if d.near(float64(n)) {
			m[r] = d.moments(float64(shifts[r]), float64(n))
		} else {
			m[r] = momentsOf(x[r*n:][:n])
		}
	}
}

// squaresRows writes the mean of squares of each row of n elements as the variance about 0.
func squaresRows[T dtype.Float](x []T, n int, m []rowMoments) {
	var zeros [rowBlock]T
	var all [rowBlock]deviations
	if n > 0 && n <= piece {
		deviationsRows(x, n, zeros[:len(m)], all[:len(m)])
	} else {
		for r := range m {
			all[r] = deviationsFrom(x[r*n:][:n], 0)
		}
	}
	for r := range m {
		m[r] = rowMoments{0, all[r].squares / float64(n)}
	}
}

// sampled returns the mean of a few of the elements.
func sampled[T dtype.Float](x []T) T {
	if len(x) < 2*samples {
		return T(sum64(x) / float64(len(x)))
	}
	var few [samples]T
	for i := range few {
		few[i] = x[i*(len(x)/samples)]
	}
	return meanOf(&few)
}

func meanOf[T dtype.Float](few *[samples]T) T {
	var even, odd float64
	for i := 0; i < samples; i += 2 {
		even += float64(few[i])
		odd += float64(few[i+1])
	}
	return T((even + odd) / samples)
}

// deviations are Σ (x-shift) and Σ (x-shift)**2, where the differences are of x's type.
type deviations struct{ sum, squares float64 }

// moments returns the moments of n elements by their deviations from a shift near the mean.
func (d deviations) moments(shift, n float64) rowMoments {
	off := d.sum / n
	return rowMoments{shift + off, max(d.squares/n-float64(off*off), 0)}
}

// near reports whether the shift is no farther from the mean of n elements than they are, so that the variance, a difference of
// two terms, is at least half the first. It is false of what is no number.
func (d deviations) near(n float64) bool {
	off := d.sum / n
	return 2*off*off <= d.squares/n
}

func (d deviations) plus(e deviations) deviations {
	return deviations{d.sum + e.sum, d.squares + e.squares}
}

// leastSquares is the least sum of up to piece squares of float32 of which too little cannot have vanished.
const leastSquares = 0x1p-100

func (d deviations) lost() bool { return !(d.squares >= leastSquares && isFinite(d.squares)) }

// deviationsFrom returns the deviations of a row.
func deviationsFrom[T dtype.Float](x []T, shift T) (d deviations) {
	for len(x) > piece {
		d = d.plus(deviationsPiece(x[:piece], shift))
		x = x[piece:]
	}
	return d.plus(deviationsPiece(x, shift))
}

func deviationsPiece[T dtype.Float](x []T, shift T) deviations {
	var d [1]deviations
	deviationsRows(x, len(x), []T{shift}, d[:])
	return d[0]
}

// deviationsRows writes the deviations of each row of n elements, at most piece.
func deviationsRows[T dtype.Float](x []T, n int, shifts []T, all []deviations) {
	inVectors := vec.Rows(vec.Deviations, n, shifts, all, x)
	for r, shift := range shifts {
		row := x[r*n:][:n]
		if !inVectors {
			all[r] = deviationsLanes(row, shift)
		}
		if all[r].lost() {
			all[r] = deviationsWide(row, shift)
		}
	}
}

func deviationsLanes[T dtype.Float](x []T, shift T) (d deviations) {
	d.sum = inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		for i, v := range x[lo:hi] {
			lanes[i&(len(lanes)-1)] += v - shift
		}
	})
	d.squares = inLanes(len(x), fewLanes, func(lanes []T, lo, hi int) {
		for i, v := range x[lo:hi] {
			lanes[i&(len(lanes)-1)] += T((v - shift) * (v - shift))
		}
	})
	return d
}

// deviationsWide adds in float64 throughout.
func deviationsWide[T dtype.Float](x []T, shift T) (d deviations) {
	for _, v := range x {
		off := float64(v) - float64(shift)
		d.sum += off
		d.squares += float64(off * off)
	}
	return d
}

// center is a number in two parts of type T: mean + rest.
type center[T dtype.Float] struct{ mean, rest T }

func centerOf[T dtype.Float](mean float64) center[T] {
	m := T(mean)
	return center[T]{m, T(mean - float64(m))}
}

// from returns x less the number. The first difference is exact where x is near it.
func (c center[T]) from(x T) T { return x - c.mean - c.rest }
