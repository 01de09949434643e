package kern

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestLayerNormHalf compares it with LayerNorm of the same numbers in float32, bit by bit.
func TestLayerNormHalf(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testLayerNormHalf[dtype.F16](t)
		testLayerNormHalf[dtype.BF16](t)
	})
}

func testLayerNormHalf[H Half](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, s := range []struct{ rows, cols int }{{1, 1}, {3, 17}, {70, 300}, {150, 128}, {5, normHalfElems + 9}, {0, 4}} {
		numbers := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			return x
		}
		floats := numbers(s.rows * s.cols)
		for i := range s.rows / 5 * s.cols {
			if i%16 != 0 { // so that the first shifts of some rows are far from their means
				floats[i] += 100
			}
		}
		x := guarded.Slice[H](t, len(floats), true)
		narrow(x, floats)
		widen(floats, x)
		weight := numbers(s.cols)
		for _, centred := range []bool{true, false} {
			var mean, wantMean, bias []float32
			if centred {
				bias, mean, wantMean = numbers(s.cols), make([]float32, s.rows), make([]float32, s.rows)
			}
			y, rstd := guarded.Slice[H](t, len(x), true), make([]float32, s.rows)
			wantY, wantRstd, rounded := make([]float32, len(x)), make([]float32, s.rows), make([]H, len(x))
			if err := LayerNormHalf(s.rows, s.cols, x, weight, bias, 1e-5, y, mean, rstd); err != nil {
				t.Fatal(err)
			}
			LayerNorm(s.rows, s.cols, floats, nil, nil, weight, bias, 1e-5, wantY, wantMean, wantRstd)
			if narrow(rounded, wantY); !slices.Equal(y, rounded) || !slices.Equal(mean, wantMean) || !slices.Equal(rstd, wantRstd) {
				t.Errorf("%v of %v, centred %v: other bits than by way of a copy", s, dtype.Of[H](), centred)
			}
		}
	}
}
