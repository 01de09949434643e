package lapack

import (
	"math"
	"slices"

	"cresset/dtype"
)

// EighSpace is how many elements of space Eigh needs for n rows.
func EighSpace(n int) int { return n*n + 7*n + spaceOf(n) }

// eigh writes the eigenvalues of a symmetric matrix, of which it reads the lower triangle, to values in ascending order and, where
// vectors is true, the eigenvectors to the columns of a, which is overwritten anyway. It returns 0, or how many values did not converge.
func eigh[T dtype.Float](a matrix[T], values []T, vectors bool, space []T) int {
	n := a.Rows
	for i := range n {
		for j := range i {
			a.row(j)[i] = a.row(i)[j]
		}
	}
	if !a.isFinite() {
		return n
	}
	next := func(k int) (part []T) {
		part, space = space[:k], space[k:]
		return part
	}
	v, tau, off, r := of(next(n*n), n, n), next(n), next(n), rotations[T]{next(n), next(n)}
	a.tridiagonal(v, tau, values, off, space)
	z := v.part(0, 0, n, 0)
	if vectors {
		if n > 0 {
			a.setProductOf(v.part(0, 0, n, n-1), tau, 1, space)
		}
		a.transposeInto(v)
		z = v
	}
	left := diagonalize(values, off, z, r)
	ascend(values, z)
	if vectors {
		z.transposeInto(a)
	}
	return left
}

// tridiagonal overwrites the symmetric a: Hᵀ·a·H is tridiagonal, with the elements of diagonal and, beside it, of off, where H is the
// product of the reflectors in the columns of v, of which column j begins in row j+1.
func (a matrix[T]) tridiagonal(v matrix[T], tau, diagonal, off, space []T) {
	n := a.Rows
	v.clear()
	for k := range n {
		diagonal[k] = a.row(k)[k]
		m := n - k - 1
		if m == 0 {
			break
		}
		x := a.row(k)[k+1:]
		off[k], tau[k] = reflector(x, m, 1)
		rest := a.from(k+1, k+1)
		// x, w and x again lie side by side, so that x·wᵀ + w·xᵀ is the product of two matrices.
		xwx := space[:3*m]
		copy(xwx, x)
		copy(xwx[2*m:], x)
		x, w := xwx[:m], xwx[m:2*m]
		for i, e := range x {
			v.row(k + 1 + i)[k] = e
		}
		columns := rest.view().Transposed() // which are the rows
		of(w, 1, m).setProduct(of(x, 1, m).view(), columns, m)
		for i := range w {
			w[i] *= tau[k]
		}
		axpy(-tau[k]/2*dot(w, x), x, w)
		rest.addProduct(-1, of(xwx[:2*m], 2, m).view().Transposed(), of(xwx[m:], 2, m).view(), 2)
	}
}

// diagonalize makes d the eigenvalues of the tridiagonal matrix with the diagonal d and beside it e, and z, whose rows are a basis, the
// eigenvectors in it. It returns how many did not converge. A sweep is the implicit QL step with the shift of the first two rows.
func diagonalize[T dtype.Float](d, e []T, z matrix[T], r rotations[T]) (left int) {
	n, eps := len(d), epsilon[T]()
	for low := 0; low < n; low++ {
		for sweeps := 0; ; sweeps++ {
			high := low
			for high+1 < n && math.Abs(float64(e[high])) > eps*(math.Abs(float64(d[high]))+math.Abs(float64(d[high+1]))) {
				high++
			}
			if high == low {
				break
			}
			if sweeps == most {
				return n - low
			}
			if sweeps == 0 && math.Abs(float64(d[low])) > math.Abs(float64(d[high])) {
				reverse(d, e, low, high, z)
			}
			from := sweepQL(d, e, low, high, r)
			r.apply(z, from, high, true)
		}
	}
	return 0
}

// reverse turns rows low to high of the tridiagonal matrix round, and the rows of z with them. A QL step converges where elements grow
// from low to high: those of a matrix of low rank shrink to rounding errors.
func reverse[T dtype.Float](d, e []T, low, high int, z matrix[T]) {
	slices.Reverse(d[low : high+1])
	slices.Reverse(e[low:high])
	for i, j := low, high; i < j && z.Cols > 0; i, j = i+1, j-1 {
		z.swapRows(i, j)
	}
}

// sweepQL chases the shift's bulge from row high up to low and returns the row at which it vanished.
func sweepQL[T dtype.Float](d, e []T, low, high int, r rotations[T]) int {
	first, link := float64(d[low]), float64(e[low])
	g := (float64(d[low+1]) - first) / (2 * link)
	g = float64(d[high]) - first + link/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	e[high] = 0
	for i := high - 1; i >= low; i-- {
		f, b := s*float64(e[i]), c*float64(e[i])
		var length float64
		c, s, length = rotation(g, f)
		if i+1 < high {
			e[i+1] = T(length)
		}
		if length == 0 {
			d[i+1] -= T(p)
			return i + 1
		}
		g = float64(d[i+1]) - p
		t := (float64(d[i])-g)*s + 2*c*b
		p = s * t
		d[i+1] = T(g + p)
		g = c*t - b
		r.set(i, c, -s)
	}
	d[low] -= T(p)
	e[low] = T(g)
	return low
}

// ascend sorts values, and the rows of z with them.
func ascend[T dtype.Float](values []T, z matrix[T]) {
	for i := range values {
		least := i
		for j := i + 1; j < len(values); j++ {
			if values[j] < values[least] {
				least = j
			}
		}
		if least != i {
			values[i], values[least] = values[least], values[i]
			z.swapRows(i, least)
		}
	}
}
