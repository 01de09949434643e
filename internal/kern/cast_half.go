package kern

import (
	"unsafe"

	"cresset/dtype"
)

// castPiece is how many elements a cast by way of float32 holds at a time.
const castPiece = 512

// addHalfCasts casts between a half type and others by way of float32: a half becomes one without loss, and what becomes a half is
// rounded to float32 first.
func addHalfCasts(t *[dtype.Count][dtype.Count]CastFunc) {
	for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		for other := dtype.Bool; other < dtype.Count; other++ {
			if other != half && other != dtype.Float32 {
				t[half][other] = viaFloat32(t[dtype.Float32][other], t[half][dtype.Float32], half, other)
				t[other][half] = viaFloat32(t[dtype.Float32][half], t[other][dtype.Float32], other, half)
			}
		}
	}
}

// viaFloat32 is the cast by way of float32, by a cast to that and one from there.
func viaFloat32(widen, narrow CastFunc, to, from dtype.DType) CastFunc {
	return func(dst, src unsafe.Pointer, n int) {
		d := wideRooms.Get().(*wideRoom)
		defer wideRooms.Put(d)
		middle := unsafe.Pointer(&d[0])
		for done := 0; done < n; done += castPiece {
			count := min(n-done, castPiece)
			widen(middle, unsafe.Add(src, done*from.Size()), count) // inside, for done < n
			narrow(unsafe.Add(dst, done*to.Size()), middle, count)
		}
	}
}

func castToF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.F16, float32](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToF16(v)
	}
}

func castToBF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.BF16, float32](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToBF16(v)
	}
}

func castFromF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[float32, dtype.F16](dst, src, n)
	for i, v := range s {
		d[i] = v.Float32()
	}
}

func castFromBF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[float32, dtype.BF16](dst, src, n)
	for i, v := range s {
		d[i] = v.Float32()
	}
}
