package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Each loop computes dst[i] from a[i] and b[i]; the slices have equal length, and dst may be one of the operands. Integers
// wrap. Floats are rounded after every operation.

// Add is dst[i] = a[i] + b[i].
func Add[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Add, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] + b[i]
	}
}

// Sub is dst[i] = a[i] - b[i].
func Sub[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Sub, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] - b[i]
	}
}

// Mul is dst[i] = a[i] · b[i].
func Mul[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Mul, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] * b[i]
	}
}

// Div is dst[i] = a[i] / b[i].
func Div[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Div, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] / b[i]
	}
}

// Neg is dst[i] = -a[i].
func Neg[T dtype.Number](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Neg, dst, a); i < len(dst); i++ {
		dst[i] = -a[i]
	}
}
