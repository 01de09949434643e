package kern

import (
	"math"

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
		if r != 0 && (r < 0) != (b[i] < 0) {
			q--
		}
		dst[i] = q
	}
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
		if r != 0 && (r < 0) != (b[i] < 0) {
			r += b[i]
		}
		dst[i] = r
	}
}

// FmodInt is the rest of a[i] / b[i], which has the sign of a[i].
func FmodInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] % b[i]
	}
}

// FloorDivide is dst[i] = ⌊a[i] / b[i]⌋, taken from the exact rest so that rounding of the quotient cannot lift it over an
// integer; a divisor of zero gives the quotient itself.
func FloorDivide[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if y == 0 {
			dst[i] = x / y
			continue
		}
		r := T(math.Mod(float64(x), float64(y)))
		q := (x - r) / y
		if r != 0 && (r < 0) != (y < 0) {
			q--
		}
		if q == 0 {
			dst[i] = T(math.Copysign(0, float64(x/y)))
			continue
		}
		floor := T(math.Floor(float64(q)))
		if q-floor > 0.5 {
			floor++
		}
		dst[i] = floor
	}
}

// DivTrunc is dst[i] = a[i] / b[i] without the fraction.
func DivTrunc[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Trunc(float64(a[i] / b[i])))
	}
}

// Remainder is the exact rest of a[i] / b[i] with the sign of b[i].
func Remainder[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		r := T(math.Mod(float64(a[i]), float64(b[i])))
		if r != 0 && (r < 0) != (b[i] < 0) {
			r += b[i]
		}
		dst[i] = r
	}
}

// Fmod is the exact rest of a[i] / b[i] with the sign of a[i].
func Fmod[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Mod(float64(a[i]), float64(b[i])))
	}
}
