package kern

import "cresset/dtype"

// Rotation turns pairs of elements by loops of products, sums and differences, each of which rounds.
type Rotation[T dtype.Element] struct{ Mul, Add, Sub func(dst, a, b []T) }

// RotationRoom is how many products are held at once.
const RotationRoom = 256

// Row turns the elements i and i + n of x by the angles whose cosines and sines are given, n of each, or back, and copies what is behind.
func (r Rotation[T]) Row(dst, x, cos, sin []T, room *[RotationRoom]T, back bool) {
	n := len(cos)
	first, second := r.Sub, r.Add
	if back {
		first, second = second, first
	}
	for lo := 0; lo < n; lo += RotationRoom {
		hi := min(lo+RotationRoom, n)
		a, b, c, s := x[lo:hi], x[n+lo:n+hi], cos[lo:hi], sin[lo:hi]
		r.combine(first, dst[lo:hi], a, c, b, s, room[:hi-lo])
		r.combine(second, dst[n+lo:n+hi], b, c, a, s, room[:hi-lo])
	}
	copy(dst[2*n:], x[2*n:])
}

// combine is dst = f(a·c, b·s).
func (r Rotation[T]) combine(f func(dst, a, b []T), dst, a, c, b, s, room []T) {
	r.Mul(dst, a, c)
	r.Mul(room, b, s)
	f(dst, dst, room)
}
