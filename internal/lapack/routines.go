package lapack

import "cresset/dtype"

// Routines are the factorizations of matrices of one type of element, and what solves systems by them; the generic functions that they call tell what they do. A package
// that called such a function would compile it again, so this one does it for all.
type Routines[T dtype.Float] struct {
	Cholesky        func(a Matrix[T]) (minor int)
	SolveTriangular func(a, b Matrix[T], upper, unit bool)
	LU              func(a Matrix[T], perm []int64) (sign T, singular int)
	LUSolve         func(lu Matrix[T], perm []int64, b, x Matrix[T], transposed bool, space []T)
	QR              func(a, q Matrix[T], space []T)
	Eigh            func(a Matrix[T], values []T, vectors bool, space []T) (left int)
	SVD             func(a, u Matrix[T], s []T, vh Matrix[T], space []T) (left int)
}

var (
	routines32 = routinesOf[float32]()
	routines64 = routinesOf[float64]()
)

func routinesOf[T dtype.Float]() *Routines[T] {
	type m = matrix[T]
	return &Routines[T]{
		Cholesky:        func(a Matrix[T]) int { return cholesky(m(a)) },
		SolveTriangular: func(a, b Matrix[T], upper, unit bool) { solveTriangular(m(a), m(b), upper, unit) },
		LU:              func(a Matrix[T], perm []int64) (T, int) { return factorLU(m(a), perm) },
		LUSolve: func(lu Matrix[T], perm []int64, b, x Matrix[T], transposed bool, space []T) {
			solveLU(m(lu), perm, m(b), m(x), transposed, space)
		},
		QR:   func(a, q Matrix[T], space []T) { qr(m(a), m(q), space) },
		Eigh: func(a Matrix[T], values []T, vectors bool, space []T) int { return eigh(m(a), values, vectors, space) },
		SVD:  func(a, u Matrix[T], s []T, vh Matrix[T], space []T) int { return svd(m(a), m(u), s, m(vh), space) },
	}
}

// For returns the routines for elements of type T.
func For[T dtype.Float]() *Routines[T] {
	if r, ok := any(routines32).(*Routines[T]); ok {
		return r
	}
	return any(routines64).(*Routines[T])
}
