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
func OfHalf[T Half](l vec.Loop, wide func(dst, a []float32)) func(dst, a []T) {
	return func(dst, a []T) {
		if i := vec.Half(l, dst, a); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, _ []float32) { wide(d, a) })
		}
	}
}

// OfHalves is a loop over two operands of a half type.
func OfHalves[T Half](l vec.Loop, wide func(dst, a, b []float32)) func(dst, a, b []T) {
	return func(dst, a, b []T) {
		if i := vec.Halves(l, dst, a, b); i < len(dst) {
			viaFloats(dst[i:], a[i:], b[i:], wide)
		}
	}
}

// RightOfHalves is OfHalves with one b for all a, which need not be a number of the half type.
func RightOfHalves[T Half](l vec.Loop, wide func(dst, a, b []float32)) func(dst, a []T, b float32) {
	return func(dst, a []T, b float32) {
		if i := vec.Half(l+vec.Right, dst, a, b); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, same []float32) { wide(d, a, fillFloats(same, b)) })
		}
	}
}

// LeftOfHalves is OfHalves with one a for all b.
func LeftOfHalves[T Half](l vec.Loop, wide func(dst, a, b []float32)) func(dst, b []T, a float32) {
	return func(dst, b []T, a float32) {
		if i := vec.Half(l+vec.Left, dst, b, a); i < len(dst) {
			viaFloats(dst[i:], b[i:], nil, func(d, b, same []float32) { wide(d, fillFloats(same, a), b) })
		}
	}
}

// ClampHalf is Clamp of a half type.
func ClampHalf[T Half](l vec.Loop) func(dst, a []T, p op.Bounds) {
	return func(dst, a []T, p op.Bounds) {
		low, high := boundsOf[float32](p)
		if i := vec.Half(l, dst, a, low, high); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, _ []float32) { Clamp(d, a, p) })
		}
	}
}

// LeakyReLUHalf is LeakyReLU of a half type.
func LeakyReLUHalf[T Half](l vec.Loop) func(dst, a []T, p op.Number) {
	return func(dst, a []T, p op.Number) {
		if i := vec.Half(l, dst, a, float32(p.A)); i < len(dst) {
			viaFloats(dst[i:], a[i:], nil, func(d, a, _ []float32) { LeakyReLU(d, a, p) })
		}
	}
}

// LeakyReLUGradHalf is LeakyReLUGrad of a half type.
func LeakyReLUGradHalf[T Half](l vec.Loop) func(dst, dy, x []T, p op.Number) {
	return func(dst, dy, x []T, p op.Number) {
		if i := vec.Halves(l, dst, dy, x, float32(p.A)); i < len(dst) {
			viaFloats(dst[i:], dy[i:], x[i:], func(d, dy, x []float32) { LeakyReLUGrad(d, dy, x, p) })
		}
	}
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

// A desk is room for what viaFloats widens.
type desk [3][detourPiece]float32

var desks = sync.Pool{New: func() any { return new(desk) }}

// viaFloats computes elements of a half type, in pieces, by a loop of float32. Without b the loop gets room in its place.
func viaFloats[T Half](dst, a, b []T, wide func(dst, a, b []float32)) {
	half := dtype.Of[T]()
	widen, narrow := Cast(dtype.Float32, half), Cast(half, dtype.Float32)
	d := desks.Get().(*desk)
	defer desks.Put(d)
	load := func(k int, s []T, lo, n int) []float32 {
		if s != nil {
			widen(unsafe.Pointer(&d[k]), unsafe.Pointer(&s[lo : lo+n][0]), n)
		}
		return d[k][:n]
	}
	for lo := 0; lo < len(dst); lo += detourPiece {
		n := min(len(dst)-lo, detourPiece)
		wide(d[0][:n], load(1, a, lo, n), load(2, b, lo, n))
		narrow(unsafe.Pointer(&dst[lo : lo+n][0]), unsafe.Pointer(&d[0]), n)
	}
}

// fillFloats fills s with v and returns it.
func fillFloats(s []float32, v float32) []float32 {
	for i := range s {
		s[i] = v
	}
	return s
}
