package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Square is dst[i] = a[i]².
func Square[T dtype.Number](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Square, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = v * v
	}
}

// Cube is dst[i] = a[i]³, the product of the square and a[i].
func Cube[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Cube, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(v*v) * v
	}
}

// Sqrt is dst[i] = √a[i]; rounding the root in float64 to float32 once more does not change it.
func Sqrt[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Sqrt, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(math.Sqrt(float64(v)))
	}
}

// Reciprocal is dst[i] = 1 / a[i].
func Reciprocal[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Reciprocal, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = 1 / v
	}
}

// PowInt is dst[i] = a[i] to the power b[i], which wraps. Negative powers are 0 but for those of 1 and -1.
func PowInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = powInt(a[i], b[i])
	}
}

func powInt[T dtype.Integer](x, n T) T {
	if n < 0 {
		switch {
		case x == 1, x+1 == 0 && n%2 == 0:
			return 1
		case x+1 == 0:
			return x
		default:
			return 0
		}
	}
	p := T(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}
