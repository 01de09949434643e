package kern

import (
	"math"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// Maximum is dst[i] = the larger of a[i] and b[i]; NaN where either is.
func Maximum[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Maximum, dst, a, b); i < len(dst); i++ {
		v := a[i]
		if w := b[i]; v < w || w != w {
			v = w
		}
		dst[i] = v
	}
}

// Minimum is dst[i] = the smaller of a[i] and b[i]; NaN where either is.
func Minimum[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.Minimum, dst, a, b); i < len(dst); i++ {
		v := a[i]
		if w := b[i]; w < v || w != w {
			v = w
		}
		dst[i] = v
	}
}

// ClampInt is dst[i] = min(max(a[i], low), high); a bound that is absent does not limit.
func ClampInt[T dtype.Integer](dst, a []T, p op.Bounds) {
	a = a[:len(dst)]
	low, high := limits[T]()
	if p.HasLow {
		low = T(p.IntLow)
	}
	if p.HasHigh {
		high = T(p.IntHigh)
	}
	for i := vec.Unary(vec.Clamp, dst, a, low, high); i < len(dst); i++ {
		dst[i] = min(max(a[i], low), high)
	}
}

// limits returns the least and the largest integer of a type.
func limits[T dtype.Integer]() (low, high T) {
	if low--; low > 0 {
		return 0, low
	}
	low <<= 8*unsafe.Sizeof(low) - 1
	return low, ^low
}

// Clamp is dst[i] = min(max(a[i], low), high), which keeps NaN; a bound that is absent does not limit.
func Clamp[T dtype.Float](dst, a []T, p op.Bounds) {
	a = a[:len(dst)]
	low, high := boundsOf[T](p)
	for i := vec.Unary(vec.Clamp, dst, a, low, high); i < len(dst); i++ {
		v := a[i]
		if v < low {
			v = low
		}
		if high < v {
			v = high
		}
		dst[i] = v
	}
}

// boundsOf are the bounds of floats, infinite where one is absent.
func boundsOf[T dtype.Float](p op.Bounds) (low, high T) {
	low, high = T(math.Inf(-1)), T(math.Inf(1))
	if p.HasLow {
		low = T(p.Low)
	}
	if p.HasHigh {
		high = T(p.High)
	}
	return low, high
}

// Where is dst[i] = a[i] where cond[i], else b[i].
func Where[T dtype.Element](dst []T, cond []bool, a, b []T) {
	cond, a, b = cond[:len(dst)], a[:len(dst)], b[:len(dst)]
	done := vec.Ternary(vec.Where, dst, cond, a, b)
	if unsafe.Sizeof(*new(T)) == 1 {
		done = word * vec.Ternary(vec.WhereBytes, wordsOf(bytesOf(dst)), wordsOf(bytesOf(cond)), wordsOf(bytesOf(a)), wordsOf(bytesOf(b)))
	}
	for i := done; i < len(dst); i++ {
		v := b[i]
		if cond[i] {
			v = a[i]
		}
		dst[i] = v
	}
}
