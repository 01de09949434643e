package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Comparisons with NaN are false, but for Ne.

// Eq is dst[i] = a[i] == b[i].
func Eq[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Eq, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] == b[i]
	}
}

// Ne is dst[i] = a[i] != b[i].
func Ne[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Ne, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] != b[i]
	}
}

// Lt is dst[i] = a[i] < b[i].
func Lt[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Lt, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] < b[i]
	}
}

// Le is dst[i] = a[i] ≤ b[i].
func Le[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Le, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] <= b[i]
	}
}

// Gt is dst[i] = a[i] > b[i].
func Gt[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Gt, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] > b[i]
	}
}

// Ge is dst[i] = a[i] ≥ b[i].
func Ge[T dtype.Number](dst []bool, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Ge, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] >= b[i]
	}
}

// IsNaN is dst[i] = whether a[i] is not a number.
func IsNaN[T dtype.Float](dst []bool, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.IsNaN, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = v != v
	}
}
