package kern

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

// TestRestsNearMultiples divides what is a multiple of the divisor or the number beside one, where rounding lifts quotients
// to integers, with quotients on both sides of what vector loops take.
func TestRestsNearMultiples(t *testing.T) {
	t.Run("float32", restsNearMultiples[float32])
	t.Run("float64", restsNearMultiples[float64])
}

func restsNearMultiples[T dtype.Float](t *testing.T) {
	const n = 4096
	rng := rand.New(rand.NewPCG(51, 52))
	a, b, got, inPlace := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	for i := range a {
		y := T(rng.NormFloat64())
		x := T(math.Trunc(math.Exp2(60*rng.Float64())) * float64(y))
		switch rng.IntN(3) {
		case 0:
			x = T(math.Nextafter32(float32(x), 0))
		case 1:
			x = T(math.Nextafter(float64(x), math.Inf(1)))
		}
		a[i], b[i] = x, y
	}
	for name, f := range map[string]struct {
		run  func(dst, a, b []T)
		want func(x, y T) T
	}{"fmod": {Fmod[T], fmod[T]}, "remainder": {Remainder[T], remainder[T]}, "floor divide": {FloorDivide[T], floorDivide[T]}} {
		eachLevel(t, func(t *testing.T) {
			f.run(got, a, b)
			copy(inPlace, b)
			f.run(inPlace, a, inPlace)
			for i := range got {
				if want := f.want(a[i], b[i]); !sameBits(got[i], want) || !sameBits(inPlace[i], want) {
					t.Fatalf("%s of %v and %v: got %v, in place %v, want %v", name, a[i], b[i], got[i], inPlace[i], want)
				}
			}
		})
	}
}
