package kern

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestSumHalvesIsSumOfFloats compares accumulators with those of the same numbers in float32, bit by bit.
func TestSumHalvesIsSumOfFloats(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testSumHalves[dtype.F16](t)
		testSumHalves[dtype.BF16](t)
	})
}

func testSumHalves[H Half](t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, s := range []struct{ outer, n, inner int }{
		{1, 0, 1}, {3, 1, 1}, {5, 17, 1}, {4, 1025, 1}, {1, 100_000, 1}, {1, 1, 8}, {2, 5, 8}, {1, 70, 600}, {1, 31, 1100}, {3, 9, 17}, {2, 40, 2}, {0, 3, 4}, {2, 0, 40},
	} {
		for _, finite := range []bool{true, false} {
			bits := anyHalves(rng, s.outer*s.n*s.inner)
			if finite {
				for i := range bits {
					bits[i] &^= 0x4000 // numbers below 2 in size
				}
			}
			x := guarded.Copy(t, asHalf[H](bits), true)
			wide := make([]float32, len(x))
			widen(wide, x)
			got, want := make([]float64, s.outer*s.inner), make([]float64, s.outer*s.inner)
			_ = SumHalves[H]().Reduce(asBits(x), s.outer, s.n, s.inner, func(at int, accs []float64) { copy(got[at:], accs) })
			_ = Sum[float32, float64]().Reduce(wide, s.outer, s.n, s.inner, func(at int, accs []float64) { copy(want[at:], accs) })
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("%v of %v, finite %v: sum %d is %v, want %v", s, dtype.Of[H](), finite, i, got[i], want[i])
				}
			}
		}
	}
}
