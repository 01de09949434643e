package lapack

import "cresset/dtype"

// SVDSpace is how many elements of space SVD needs for a matrix [m, n], with complete bases or not.
func SVDSpace(m, n int, full bool) int {
	long, short := max(m, n), min(m, n)
	columns := short
	if full {
		columns = long
	}
	return 2*m*n + short*short + long*columns + max(QRSpace(long, short, columns), 2*short*short+7*short+spaceOf(short))
}

// svd writes what u·diag(s)·vh = a [m, n] consists of: the k = min(m, n) singular values in descending order to s, and to the columns of u
// and the rows of vh the vectors, k of each, or where u is [m, m] and vh [n, n] complete bases. Where neither has any it computes the
// values alone. It returns 0, or how many values did not converge.
func svd[T dtype.Float](a, u matrix[T], s []T, vh matrix[T], space []T) int {
	m, n := a.Rows, a.Cols
	b, space := space[:m*n], space[m*n:]
	if m >= n {
		c := of(b, m, n)
		c.copyFrom(a)
		return c.tall(u, s, vh, space)
	}
	// aᵀ = vhᵀ·diag(s)·uᵀ
	c := of(b, n, m)
	a.transposeInto(c)
	if u.Cols == 0 && vh.Rows == 0 {
		return c.tall(u, s, vh, space)
	}
	left, right := of(space[:n*vh.Rows], n, vh.Rows), of(space[n*vh.Rows:][:m*m], m, m)
	unconverged := c.tall(left, s, right, space[n*vh.Rows+m*m:])
	left.transposeInto(vh)
	right.transposeInto(u)
	return unconverged
}

// tall is svd of a, which it overwrites, with at least as many rows as columns.
func (a matrix[T]) tall(u matrix[T], s []T, vh matrix[T], space []T) int {
	m, n := a.Rows, a.Cols
	if !a.isFinite() {
		return n
	}
	q, space := of(space[:m*n], m, n), space[m*n:]
	if m > n {
		switch u.Cols {
		case 0:
			qr(a, u, space)
		case n:
			qr(a, q, space)
		default:
			qr(a, u, space)
			q.copyFrom(u.part(0, 0, m, n))
		}
	}
	ut, vt, unconverged := a.part(0, 0, n, n).square(s, u.Cols > 0, space)
	if u.Cols == 0 {
		return unconverged
	}
	vh.copyFrom(vt)
	if m > n {
		u.part(0, 0, m, n).setProduct(q.view(), ut.view().Transposed(), n)
	} else {
		ut.transposeInto(u)
	}
	return unconverged
}

// square computes the singular values of the square matrix a, which it overwrites, and the vectors, which are rows of ut and vt.
func (a matrix[T]) square(s []T, vectors bool, space []T) (ut, vt matrix[T], unconverged int) {
	n := a.Rows
	next := func(k int) (part []T) {
		part, space = space[:k], space[k:]
		return part
	}
	ut, vt = of(next(n*n), n, n), of(next(n*n), n, n)
	tauU, tauV := next(n), next(n)
	b := bidiagonal[T]{s, next(n), rotations[T]{next(n), next(n)}, rotations[T]{next(n), next(n)}}
	a.bidiagonal(ut, vt, tauU, tauV, b.off, b.diagonal, space)
	if !vectors {
		ut, vt = ut.part(0, 0, n, 0), vt.part(0, 0, n, 0)
	} else if n > 0 {
		a.setProductOf(ut, tauU, 0, space)
		a.transposeInto(ut)
		a.setProductOf(vt.part(0, 0, n, n-1), tauV, 1, space)
		a.transposeInto(vt)
	}
	unconverged = b.diagonalize(ut, vt)
	b.descend(ut, vt)
	return ut, vt, unconverged
}

// bidiagonal overwrites the square a: Hᵀ·a·G has the elements of diagonal and, right of it, of off, and else zeros. H and G are products of
// the reflectors in the columns of h and g; column j of g begins in row j+1.
func (a matrix[T]) bidiagonal(h, g matrix[T], tauH, tauG, off, diagonal, space []T) {
	n := a.Rows
	h.clear()
	g.clear()
	for k := range n {
		m := n - k - 1
		diagonal[k], tauH[k] = reflector(a.Data[k*a.Stride+k:], m+1, a.Stride)
		v, w := space[:m+1], space[m+1:][:m]
		for i := range v {
			v[i] = a.row(k + i)[k]
			h.row(k + i)[k] = v[i]
		}
		off[k] = 0
		if m == 0 {
			break
		}
		rest := a.from(k, k+1)
		of(w, 1, m).setProduct(of(v, 1, m+1).view(), rest.view(), m+1)
		rest.addProduct(-tauH[k], of(v, m+1, 1).view(), of(w, 1, m).view(), 1)

		x := a.row(k)[k+1:]
		off[k], tauG[k] = reflector(x, m, 1)
		for i, e := range x {
			g.row(k + 1 + i)[k] = e
		}
		rest = a.from(k+1, k+1)
		of(w, 1, m).setProduct(of(x, 1, m).view(), rest.view().Transposed(), m)
		rest.addProduct(-tauG[k], of(w, m, 1).view(), of(x, 1, m).view(), 1)
	}
}
