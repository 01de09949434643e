package lapack

import (
	"math"

	"cresset/dtype"
)

// reflector is the start of H = I - tau·v·vᵀ, which is orthogonal and makes x beta·(1, 0, 0, …): it puts v, whose first element is 1,
// in the place of the n elements x[i·step]. beta has the sign that x[0] has not, but where the others are zero nothing is changed.
func reflector[T dtype.Float](x []T, n, step int) (beta, tau T) {
	if n == 0 {
		return 0, 0
	}
	alpha := float64(x[0])
	rest := 0.0
	if n > 1 {
		rest = norm(x[step:], n-1, step)
	}
	x[0] = 1
	if rest == 0 {
		return T(alpha), 0
	}
	b := -math.Copysign(math.Hypot(alpha, rest), alpha)
	for i := 1; i < n; i++ {
		x[i*step] = T(float64(x[i*step]) / (alpha - b))
	}
	return T(b), T((b - alpha) / b)
}

// reflectors are the columns of v, zero above their first element, which is 1: the product H₀·H₁·… = I - v·t·vᵀ. t is their triangle.
type reflectors[T dtype.Float] struct{ v, t matrix[T] }

// join computes the triangle of columns of v. It needs as many elements of space as there are columns.
func join[T dtype.Float](v matrix[T], tau, space []T) reflectors[T] {
	k := v.Cols
	t := of(space[:k*k], k, k)
	t.clear()
	t.setProduct(v.view().Transposed(), v.view(), v.Rows) // what columns have in common
	for j := range k {
		common := space[k*k:][:j]
		for i := range common {
			common[i] = t.row(i)[j]
		}
		for i := range j {
			t.row(i)[j] = -tau[j] * dot(t.row(i)[i:j], common[i:])
		}
		t.row(j)[j] = tau[j]
	}
	for i := range k {
		clear(t.row(i)[:i])
	}
	return reflectors[T]{v, t}
}

// apply makes c (I - v·t·vᵀ)·c, or with the transpose of the reflectors. It needs 2·columns of v·columns of c elements of space.
func (r reflectors[T]) apply(c matrix[T], transposed bool, space []T) {
	k := r.v.Cols
	x, y := of(space[:k*c.Cols], k, c.Cols), of(space[k*c.Cols:][:k*c.Cols], k, c.Cols)
	x.setProduct(r.v.view().Transposed(), c.view(), r.v.Rows)
	t := r.t.view()
	if transposed {
		t = t.Transposed()
	}
	y.setProduct(t, x.view(), k)
	c.addProduct(-1, r.v.view(), y.view(), k)
}

// spaceOf is how many elements of space join and apply need together for matrices of n columns.
func spaceOf(n int) int { return block*block + block + 2*block*n }

// setProductOf makes q the first columns of the product of the reflectors in the columns of v. Column j of v begins in row first+j.
func (q matrix[T]) setProductOf(v matrix[T], tau []T, first int, space []T) {
	q.setIdentity()
	if v.Cols == 0 {
		return
	}
	for start := (v.Cols - 1) / block * block; start >= 0; start -= block {
		k, at := min(block, v.Cols-start), first+start
		r := join(v.part(at, start, v.Rows-at, k), tau[start:start+k], space)
		r.apply(q.from(at, min(at, q.Cols)), false, space[block*block+block:]) // what stands left of there is zero
	}
}
