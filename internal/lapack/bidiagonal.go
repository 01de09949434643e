package lapack

import (
	"math"

	"cresset/dtype"
)

// bidiagonal is a square matrix with elements on its diagonal and right of it; of off the last is 0.
type bidiagonal[T dtype.Float] struct {
	diagonal, off []T
	left, right   rotations[T] // of a sweep
}

// diagonalize makes the diagonal the singular values and rotates the rows of ut and vt with it. It returns how many values did not
// converge.
func (b *bidiagonal[T]) diagonalize(ut, vt matrix[T]) int {
	end, sweeps := len(b.diagonal), 0
	for end > 0 {
		start := b.split(end)
		if start == end-1 {
			if b.diagonal[start] < 0 {
				b.diagonal[start] = -b.diagonal[start]
				negate(vt.row(start))
			}
			end, sweeps = end-1, 0
			continue
		}
		if sweeps++; sweeps > most {
			return end
		}
		switch zero := b.zero(start, end); {
		case zero < 0:
			b.sweep(start, end)
			b.right.apply(vt, start, end-1, false)
			b.left.apply(ut, start, end-1, false)
		case zero == end-1:
			b.clearColumn(start, end, vt)
		default:
			b.clearRow(zero, end, ut)
		}
	}
	return 0
}

// split returns where the last block that is joined begins that ends before end, and clears the negligible element before it.
func (b *bidiagonal[T]) split(end int) int {
	eps := epsilon[T]()
	for k := end - 2; k >= 0; k-- {
		if math.Abs(float64(b.off[k])) <= eps*(math.Abs(float64(b.diagonal[k]))+math.Abs(float64(b.diagonal[k+1]))) {
			b.off[k] = 0
			return k + 1
		}
	}
	return 0
}

// zero returns the last negligible element of the diagonal from start to end, and clears it; -1 where there is none.
func (b *bidiagonal[T]) zero(start, end int) int {
	for k := end - 1; k >= start; k-- {
		beside := math.Abs(float64(b.off[k]))
		if k == end-1 {
			beside = 0
		}
		if k > start {
			beside += math.Abs(float64(b.off[k-1]))
		}
		if math.Abs(float64(b.diagonal[k])) <= epsilon[T]()*beside {
			b.diagonal[k] = 0
			return k
		}
	}
	return -1
}

// sweep is the implicit QR step of Golub and Kahan on rows start to end.
func (b *bidiagonal[T]) sweep(start, end int) {
	d, e := b.diagonal, b.off
	f, g := b.shifted(start, end)
	for j := start; j < end-1; j++ {
		c, s, r := rotation(f, g)
		if j > start {
			e[j-1] = T(r)
		}
		b.right.set(j, c, s)
		dj, ej, next := float64(d[j]), float64(e[j]), float64(d[j+1])
		f, ej = c*dj+s*ej, c*ej-s*dj
		g, next = s*next, c*next

		c, s, r = rotation(f, g)
		d[j] = T(r)
		b.left.set(j, c, s)
		f, next = c*ej+s*next, c*next-s*ej
		d[j+1] = T(next)
		if j+1 < end-1 {
			g = s * float64(e[j+1])
			e[j+1] = T(c * float64(e[j+1]))
		}
	}
	e[end-2] = T(f)
}

// shifted returns the first column of bᵀ·b less the eigenvalue of its last two rows that is nearer to the last element, but for a
// factor.
func (b *bidiagonal[T]) shifted(start, end int) (f, g float64) {
	d, e := b.diagonal, b.off
	scale := 0.0
	for _, v := range [...]T{d[end-1], d[end-2], e[end-2], d[start], e[start]} {
		scale = max(scale, math.Abs(float64(v)))
	}
	last, before, link := float64(d[end-1])/scale, float64(d[end-2])/scale, float64(e[end-2])/scale
	first, beside := float64(d[start])/scale, float64(e[start])/scale
	half := ((before+last)*(before-last) + link*link) / 2
	square := last * link * last * link
	shift := 0.0
	if half != 0 || square != 0 {
		shift = square / (half + math.Copysign(math.Sqrt(half*half+square), half))
	}
	return (first+last)*(first-last) + shift, first * beside
}

// clearColumn removes the element above the last of the diagonal, which is zero, by rotations with the columns before.
func (b *bidiagonal[T]) clearColumn(start, end int, vt matrix[T]) {
	f := float64(b.off[end-2])
	b.off[end-2] = 0
	for j := end - 2; j >= start; j-- {
		c, s, r := rotation(float64(b.diagonal[j]), f)
		b.diagonal[j] = T(r)
		if j > start {
			f = -s * float64(b.off[j-1])
			b.off[j-1] = T(c * float64(b.off[j-1]))
		}
		rotate(vt.row(j), vt.row(end-1), T(c), T(s))
	}
}

// clearRow removes the element beside a zero of the diagonal by rotations with the rows that follow.
func (b *bidiagonal[T]) clearRow(zero, end int, ut matrix[T]) {
	f := float64(b.off[zero])
	b.off[zero] = 0
	for j := zero + 1; j < end; j++ {
		c, s, r := rotation(float64(b.diagonal[j]), f)
		b.diagonal[j] = T(r)
		if j < end-1 {
			f = -s * float64(b.off[j])
			b.off[j] = T(c * float64(b.off[j]))
		}
		rotate(ut.row(j), ut.row(zero), T(c), T(s))
	}
}

// descend sorts the values, and the rows of ut and vt with them.
func (b *bidiagonal[T]) descend(ut, vt matrix[T]) {
	for i := range b.diagonal {
		largest := i
		for j := i + 1; j < len(b.diagonal); j++ {
			if b.diagonal[j] > b.diagonal[largest] {
				largest = j
			}
		}
		if largest != i {
			b.diagonal[i], b.diagonal[largest] = b.diagonal[largest], b.diagonal[i]
			ut.swapRows(i, largest)
			vt.swapRows(i, largest)
		}
	}
}

func negate[T dtype.Float](x []T) {
	for i := range x {
		x[i] = -x[i]
	}
}
