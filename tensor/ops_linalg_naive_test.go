package tensor_test

import (
	"math"
	"slices"
)

// Linear algebra as a textbook has it, on arrays [batch, rows, columns].

func naiveTimes(x, y array) array {
	return contracted([]int{x.shape[0], x.shape[1], y.shape[2]}, x.shape[2], func(i []int, l int) float64 {
		return *x.at(i[0], i[1], l) * *y.at(i[0], l, i[2])
	})
}

func naiveTransposed(x array) array {
	out := newArray(x.shape[0], x.shape[2], x.shape[1])
	each(out.shape, func(i []int) { *out.at(i...) = *x.at(i[0], i[2], i[1]) })
	return out
}

func naiveShifted(x array, by ...float64) array {
	out := array{x.shape, slices.Clone(x.v)}
	each(out.shape, func(i []int) {
		if i[1] == i[2] {
			*out.at(i...) += by[i[1]]
		}
	})
	return out
}

func naiveIdentity(shape []int) array { return naiveShifted(newArray(shape...), 1, 1, 1) }

// naiveUpper clears what lies below the diagonal.
func naiveUpper(x array) array {
	out := array{x.shape, slices.Clone(x.v)}
	each(out.shape, func(i []int) {
		if i[1] > i[2] {
			*out.at(i...) = 0
		}
	})
	return out
}

// naiveLU eliminates without an exchange of rows.
func naiveLU(x array) (l, u array) {
	l, u = naiveIdentity(x.shape), array{x.shape, slices.Clone(x.v)}
	n := x.shape[1]
	for b := range x.shape[0] {
		for j := range n {
			for i := j + 1; i < n; i++ {
				factor := *u.at(b, i, j) / *u.at(b, j, j)
				*l.at(b, i, j) = factor
				for k := range n {
					*u.at(b, i, k) -= factor * *u.at(b, j, k)
				}
			}
		}
	}
	return l, naiveUpper(u)
}

// naiveSolved returns the solution of x·y = b.
func naiveSolved(x, b array) array {
	l, u := naiveLU(x)
	y, n := array{b.shape, slices.Clone(b.v)}, x.shape[1]
	each([]int{b.shape[0], b.shape[2]}, func(at []int) {
		for i := range n {
			for k := range i {
				*y.at(at[0], i, at[1]) -= *l.at(at[0], i, k) * *y.at(at[0], k, at[1])
			}
		}
		for i := n - 1; i >= 0; i-- {
			for k := i + 1; k < n; k++ {
				*y.at(at[0], i, at[1]) -= *u.at(at[0], i, k) * *y.at(at[0], k, at[1])
			}
			*y.at(at[0], i, at[1]) /= *u.at(at[0], i, i)
		}
	})
	return y
}

func naiveDet(x array) array {
	_, u := naiveLU(x)
	out := newArray(x.shape[0])
	for b := range out.v {
		out.v[b] = 1
		for i := range x.shape[1] {
			out.v[b] *= *u.at(b, i, i)
		}
	}
	return out
}

func naiveCholesky(x array) array {
	l := newArray(x.shape...)
	each(x.shape, func(i []int) {
		b, row, col := i[0], i[1], i[2]
		if col > row {
			return
		}
		sum := *x.at(b, row, col)
		for k := range col {
			sum -= *l.at(b, row, k) * *l.at(b, col, k)
		}
		if row == col {
			*l.at(b, row, col) = math.Sqrt(sum)
		} else {
			*l.at(b, row, col) = sum / *l.at(b, col, col)
		}
	})
	return l
}

// naiveQR reflects each column but the last onto the axis, away from where it lies.
func naiveQR(x array) (q, r array) {
	q, r = naiveIdentity(x.shape), array{x.shape, slices.Clone(x.v)}
	n := x.shape[1]
	for j := range n - 1 {
		h := naiveIdentity(x.shape)
		for b := range x.shape[0] {
			v, square := make([]float64, n), 0.0
			for i := j; i < n; i++ {
				v[i] = *r.at(b, i, j)
				square += v[i] * v[i]
			}
			v[j] += math.Copysign(math.Sqrt(square), v[j])
			square = 0
			for _, e := range v {
				square += e * e
			}
			for i := range n {
				for k := range n {
					*h.at(b, i, k) -= 2 * v[i] * v[k] / square
				}
			}
		}
		q, r = naiveTimes(q, h), naiveTimes(h, r)
	}
	return q, r
}
