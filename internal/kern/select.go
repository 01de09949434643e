package kern

import (
	"math"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

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

// limitsOf are the bounds of integers, the extremes of the type where one is absent.
func limitsOf[T dtype.Integer](p op.Bounds) (low, high T) {
	low, high = limits[T]()
	if p.HasLow {
		low = T(p.IntLow)
	}
	if p.HasHigh {
		high = T(p.IntHigh)
	}
	return low, high
}

// limits returns the least and the largest integer of a type.
func limits[T dtype.Integer]() (low, high T) {
	if low--; low > 0 {
		return 0, low
	}
	low <<= 8*unsafe.Sizeof(low) - 1
	return low, ^low
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
