package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Abs is dst[i] = |a[i]|; the least integer stays as it is.
func Abs[T dtype.Number](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Abs, dst, a); i < len(dst); i++ {
		v := a[i]
		switch {
		case v <= 0:
			v = 0 - v // not -v: |−0| is +0
		case v != v:
			v = withoutSign(v)
		}
		dst[i] = v
	}
}

// withoutSign is a NaN without its sign.
func withoutSign[T dtype.Number](v T) T {
	switch p := any(&v).(type) {
	case *float32:
		*p = math.Float32frombits(math.Float32bits(*p) &^ (1 << 31))
	case *float64:
		*p = math.Float64frombits(math.Float64bits(*p) &^ (1 << 63))
	}
	return v
}

// Sign is dst[i] = -1, 0 or 1 as a[i] is; 0 for NaN.
func Sign[T dtype.Number](dst, a []T) {
	a = a[:len(dst)]
	var zero T
	for i := vec.Unary(vec.Sign, dst, a); i < len(dst); i++ {
		v := a[i]
		s := zero
		if v > 0 {
			s = 1
		} else if v < 0 {
			s--
		}
		dst[i] = s
	}
}

// Floor is dst[i] = ⌊a[i]⌋.
func Floor[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Floor, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(math.Floor(float64(v)))
	}
}

// Ceil is dst[i] = ⌈a[i]⌉.
func Ceil[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Ceil, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(math.Ceil(float64(v)))
	}
}

// Round is dst[i] = the integer nearest to a[i], the even one of two.
func Round[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Round, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(math.RoundToEven(float64(v)))
	}
}

// Trunc is dst[i] = a[i] without its fraction.
func Trunc[T dtype.Float](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.Trunc, dst, a); i < len(dst); i++ {
		v := a[i]
		dst[i] = T(math.Trunc(float64(v)))
	}
}
