package linalg

import (
	"math"

	"cresset/tensor"
)

// Solve returns the solution x of a·x = b, or with Left(false) of x·a = b, for square a. b is matrices, or a vector for each matrix of a.
// Batches are broadcast. It panics where a is singular.
func Solve(a, b *tensor.Tensor, opts ...SolveOption) *tensor.Tensor {
	left := true
	for _, o := range opts {
		left = bool(o.(Left))
	}
	return inner.Solve(a, b, left)
}

// SolveTriangular returns the solution x of a·x = b, or with Left(false) of x·a = b, for lower triangular a, or with Upper(true) for
// upper triangular a. What lies beyond the triangle is not read, with UniTriangular(true) neither is the diagonal. Batches are broadcast.
// A zero on the diagonal gives infinities and NaN.
func SolveTriangular(a, b *tensor.Tensor, opts ...TriangularOption) *tensor.Tensor {
	upper, left, unit := false, true, false
	for _, o := range opts {
		switch o := o.(type) {
		case Upper:
			upper = bool(o)
		case Left:
			left = bool(o)
		case UniTriangular:
			unit = bool(o)
		}
	}
	return inner.SolveTriangular(a, b, upper, left, unit)
}

// Inv returns the inverse of each matrix. It panics where one is singular.
func Inv(a *tensor.Tensor) *tensor.Tensor { return inner.Inv(a) }

// Det returns the determinant of each matrix, 1 of a matrix without elements. Its gradient is that of singular matrices too.
func Det(a *tensor.Tensor) *tensor.Tensor { return inner.Det(a) }

// SlogDet returns the sign of each determinant and the logarithm of its absolute value, 0 and -∞ for a singular matrix. The sign has no
// gradient.
func SlogDet(a *tensor.Tensor) (sign, logAbs *tensor.Tensor) { return inner.SlogDet(a) }

// LogDet returns the logarithm of each determinant, NaN where that is negative.
func LogDet(a *tensor.Tensor) *tensor.Tensor {
	sign, logAbs := SlogDet(a)
	return logAbs.MaskedFill(sign.LtScalar(0), math.NaN())
}
