package kern

import (
	"sync"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// A Half is an element of two bytes that loops compute with in float32, and round once.
type Half interface{ dtype.F16 | dtype.BF16 }

// OfHalf is a loop over one operand of a half type: the vector loop l, and for what that leaves the one of float32.
//
//go:noinline
func OfHalf[T Half](l vec.Loop, wide func(dst, a []float32)) func(dst, a []T) {
	return func(dst, a []T) {
		if i := vec.Half(l, dst, a); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, _ []float32) { wide(d, a) })
		}
	}
}

// OfHalves is a loop over two operands of a half type.
//
//go:noinline
func OfHalves[T Half](l vec.Loop, wide func(dst, a, b []float32)) func(dst, a, b []T) {
	return func(dst, a, b []T) {
		if i := vec.Halves(l, dst, a, b); i < len(dst) {
			viaFloats(dst[i:], a[i:], b[i:], wide)
		}
	}
}

// OfHalfWith is OfHalf of a loop with parameters, which scalars reads for the vector loop.
//
//go:noinline
func OfHalfWith[T Half, P any](l vec.Loop, wide func(dst, a []float32, p P), scalars func(p P) []float32) func(dst, a []T, p P) {
	return func(dst, a []T, p P) {
		if i := vec.Half(l, dst, a, scalars(p)...); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, _ []float32) { wide(d, a, p) })
		}
	}
}

// OfHalvesWith is OfHalves of a loop with parameters.
func OfHalvesWith[T Half, P any](l vec.Loop, wide func(dst, a, b []float32, p P), scalars func(p P) []float32) func(dst, a, b []T, p P) {
	return func(dst, a, b []T, p P) {
		if i := vec.Halves(l, dst, a, b, scalars(p)...); i < len(dst) {
			viaFloats(dst[i:], a[i:], b[i:], func(d, a, b []float32) { wide(d, a, b, p) })
		}
	}
}

// NumbersOf are an op's parameters as the scalars of a vector loop.
func NumbersOf(p op.Number) []float32 { return []float32{float32(p.A), float32(p.B)} }

// BoundsOf are the bounds of Clamp as the scalars of a vector loop.
func BoundsOf(p op.Bounds) []float32 {
	low, high := boundsOf[float32](p)
	return []float32{low, high}
}

// CubeHalf is dst[i] = a[i]³.
func CubeHalf[T Half](dst, a []T) {
	if bf16, ok := any(dst).([]dtype.BF16); ok {
		CubeBF16(bf16, any(a).([]dtype.BF16))
		return
	}
	OfHalf[T](vec.CubeF16, Cube[float32])(dst, a)
}

// CubeBF16 is dst[i] = a[i]³, the square rounded, as PyTorch does for this type alone.
func CubeBF16(dst, a []dtype.BF16) {
	a = a[:len(dst)]
	for i := vec.Half(vec.CubeBF16, dst, a); i < len(dst); i++ {
		v := a[i].Float32()
		dst[i] = dtype.ToBF16(dtype.ToBF16(v*v).Float32() * v)
	}
}

// NegHalf is dst[i] = -a[i].
func NegHalf[T Half](dst, a []T) {
	a = a[:len(dst)]
	for i := inFours(vec.NegHalves, dst, a); i < len(dst); i++ {
		dst[i] = a[i] ^ 0x8000
	}
}

// AbsHalf is dst[i] = |a[i]|.
func AbsHalf[T Half](dst, a []T) {
	a = a[:len(dst)]
	for i := inFours(vec.AbsHalves, dst, a); i < len(dst); i++ {
		dst[i] = a[i] & 0x7fff
	}
}

// inFours runs a loop over eight bytes at a time and returns how many elements it computed.
func inFours[T Half](l vec.Loop, dst, a []T) int {
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(a)) // of as many elements
	return 4 * vec.Cast(l+vec.Int64, to, from, 8, 8, len(dst)/4)
}

// wideRoom is scratch memory for the elements that viaFloats widens.
type wideRoom [3][castPiece]float32

var wideRooms = sync.Pool{New: func() any { return new(wideRoom) }}

// viaFloats computes elements of a half type, in pieces, by a loop of float32. Without b the loop gets room in its place.
func viaFloats[T Half](dst, a, b []T, wide func(dst, a, b []float32)) {
	half := dtype.Of[T]()
	widen, narrow := Cast(dtype.Float32, half), Cast(half, dtype.Float32)
	d := wideRooms.Get().(*wideRoom)
	defer wideRooms.Put(d)
	load := func(k int, s []T, lo, n int) []float32 {
		if s != nil {
			widen(unsafe.Pointer(&d[k]), unsafe.Pointer(&s[lo : lo+n][0]), n)
		}
		return d[k][:n]
	}
	for lo := 0; lo < len(dst); lo += castPiece {
		n := min(len(dst)-lo, castPiece)
		wide(d[0][:n], load(1, a, lo, n), load(2, b, lo, n))
		narrow(unsafe.Pointer(&dst[lo : lo+n][0]), unsafe.Pointer(&d[0]), n)
	}
}
