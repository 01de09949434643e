package kern

import (
	"math"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Vector loops take the rest of a division from the quotient, which is right while that is small, and give NaN elsewhere:
// such elements, the NaNs that are right among them, are computed as Go does, from what a and b were.

// FloorDivide is dst[i] = ⌊a[i] / b[i]⌋, taken from the exact rest so that rounding of the quotient cannot lift it over an
// integer; a divisor of zero gives the quotient itself.
func FloorDivide[T dtype.Float](dst, a, b []T) { divide(vec.FloorDivide, dst, a, b, floorDivide) }

func floorDivide[T dtype.Float](x, y T) T {
	if y == 0 {
		return x / y
	}
	r := fmod(x, y)
	q := (x - r) / y
	if r != 0 && (r < 0) != (y < 0) {
		q--
	}
	if q == 0 {
		return T(math.Copysign(0, float64(x/y)))
	}
	floor := T(math.Floor(float64(q)))
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// Remainder is the exact rest of a[i] / b[i] with the sign of b[i].
func Remainder[T dtype.Float](dst, a, b []T) { divide(vec.Remainder, dst, a, b, remainder) }

func remainder[T dtype.Float](x, y T) T {
	r := fmod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// Fmod is the exact rest of a[i] / b[i] with the sign of a[i].
func Fmod[T dtype.Float](dst, a, b []T) { divide(vec.Fmod, dst, a, b, fmod) }

func fmod[T dtype.Float](x, y T) T { return T(math.Mod(float64(x), float64(y))) }

// divideChunk is how many elements are computed before they are looked at: they stay in the L1 cache.
const divideChunk = 1024

// divide is dst[i] = one(a[i], b[i]) by a vector loop that is NaN where it does not know.
func divide[T dtype.Float](loop vec.Loop, dst, a, b []T, one func(x, y T) T) {
	for lo := 0; lo < len(dst); lo += divideChunk {
		hi := min(lo+divideChunk, len(dst))
		d, x, y := dst[lo:hi], a[lo:hi], b[lo:hi]
		if unsafe.SliceData(d) == unsafe.SliceData(x) || unsafe.SliceData(d) == unsafe.SliceData(y) {
			divideInPlace(loop, d, x, y, one)
			continue
		}
		divideApart(loop, d, x, y, one)
	}
}

// divideInPlace is for a result that takes the place of an operand, which may be asked for once more.
func divideInPlace[T dtype.Float](loop vec.Loop, dst, a, b []T, one func(x, y T) T) {
	var space [divideChunk]T
	divideApart(loop, space[:len(dst)], a, b, one)
	copy(dst, space[:])
}

func divideApart[T dtype.Float](loop vec.Loop, dst, a, b []T, one func(x, y T) T) {
	limit := T(1 << 24)
	if unsafe.Sizeof(limit) == 8 {
		limit = 1 << 53
	}
	done := vec.Binary(loop, dst, a, b, limit)
	if hasNaN(dst[:done]) {
		for i, v := range dst[:done] {
			if v != v {
				dst[i] = one(a[i], b[i])
			}
		}
	}
	for i := done; i < len(dst); i++ {
		dst[i] = one(a[i], b[i])
	}
}

// hasNaN reports whether an element is NaN, or that it does not know.
func hasNaN[T dtype.Float](x []T) bool {
	most, ok := vectorExtreme(vec.Largest, x)
	return !ok || most != most
}
