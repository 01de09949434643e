package lapack

import (
	"math"

	"cresset/dtype"
	"cresset/internal/par"
)

// most is how many sweeps a value may take to converge; two are usual.
const most = 60

// epsilon is the distance from 1 to the next number.
func epsilon[T dtype.Float]() float64 {
	if T(1)+T(0x1p-40) == 1 {
		return 0x1p-23
	}
	return 0x1p-52
}

// rotation returns c and s with c·f + s·g = r and c·g - s·f = 0.
func rotation(f, g float64) (c, s, r float64) {
	r = math.Hypot(f, g)
	if r == 0 {
		return 1, 0, 0
	}
	return f / r, g / r, r
}

// rotate makes x c·x + s·y and y c·y - s·x.
func rotate[T dtype.Float](x, y []T, c, s T) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i], y[i] = c*v+s*w, c*w-s*v
	}
}

// rotations are a sweep: number i is of rows i and i+1 of a matrix.
type rotations[T dtype.Float] struct{ c, s []T }

func (r rotations[T]) set(i int, c, s float64) { r.c[i], r.s[i] = T(c), T(s) }

// apply rotates the rows of z by numbers lo to hi, the last of them first where it goes down.
func (r rotations[T]) apply(z matrix[T], lo, hi int, down bool) {
	const grain = 1 << 13 // elements, which take microseconds
	par.For(z.Cols, max(16, grain/max(hi-lo, 1)), func(left, right int) {
		for k := range hi - lo {
			i := lo + k
			if down {
				i = hi - 1 - k
			}
			rotate(z.row(i)[left:right], z.row(i + 1)[left:right], r.c[i], r.s[i])
		}
	})
}
