package kern

import (
	"unsafe"

	"cresset/dtype"
)

// Integer divisors must not be zero: a backend checks them first.

// HasZero reports whether an element is zero.
func HasZero[T dtype.Integer](a []T) bool {
	for _, v := range a {
		if v == 0 {
			return true
		}
	}
	return false
}

// FloorDivideInt is dst[i] = ⌊a[i] / b[i]⌋.
func FloorDivideInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		q, r := a[i]/b[i], a[i]%b[i]
		dst[i] = q - apart(r, b[i])&1
	}
}

// apart has all bits set where one number is negative and the other positive, and none else; a jump would often be guessed
// wrong.
func apart[T dtype.Integer](r, b T) T {
	sign := 8*unsafe.Sizeof(r) - 1
	if low, _ := limits[T](); low == 0 {
		return 0
	}
	return (r ^ b) >> sign & ((r | -r) >> sign)
}

// DivTruncInt is dst[i] = a[i] / b[i] without the fraction.
func DivTruncInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

// RemainderInt is a[i] - ⌊a[i] / b[i]⌋·b[i], which has the sign of b[i].
func RemainderInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		r := a[i] % b[i]
		dst[i] = r + apart(r, b[i])&b[i]
	}
}

// FmodInt is the rest of a[i] / b[i], which has the sign of a[i].
func FmodInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] % b[i]
	}
}
