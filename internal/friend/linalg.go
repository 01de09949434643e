package friend

// Linalg are the functions of package tensor that have gradients of their own and that package linalg exports. What they compute is
// told there.
type Linalg[T any] struct {
	Cholesky        func(a T, upper bool) T
	SolveTriangular func(a, b T, upper, left, unit bool) T
	LU              func(a T) (p, l, u T)
	Solve           func(a, b T, left bool) T
	Inv, Det        func(a T) T
	InvEx           func(a T) (inverse, info T)
	SlogDet         func(a T) (sign, logAbs T)
	Pinv            func(a T, hermitian bool, limit func(values T) T) T
	QR              func(a T, mode string) (q, r T)
	Eigh            func(a T, upper bool) (values, vectors T)
	EigvalsH        func(a T, upper bool) T
	SVD             func(a T, full bool) (u, s, vh T)
	SVDVals         func(a T) T

	// Autocasting returns what compute, the op of that name, makes of operands: where a scope has Autocast they are cast as its lists say,
	// and the ops of which it is made are not.
	Autocasting func(name string, compute func(operands []T) []T, operands ...T) []T
}
