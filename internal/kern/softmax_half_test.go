package kern

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/par"
)

// TestSoftmaxHalf compares softmaxes of half types and their gradients with those of the same numbers in float32, bit by bit.
func TestSoftmaxHalf(t *testing.T) {
	defer par.SetNumThreads(par.NumThreads())
	for _, threads := range []int{1, 3} {
		par.SetNumThreads(threads)
		everyLevel(t, func(t *testing.T) {
			t.Run("float16", testSoftmaxHalf[dtype.F16])
			t.Run("bfloat16", testSoftmaxHalf[dtype.BF16])
		})
	}
}

func testSoftmaxHalf[H Half](t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	for _, s := range [][2]int{{1, 1}, {3, 17}, {70, 300}, {150, 128}, {5, piece + 9}, {0, 4}, {4, 0}} {
		rows, n := s[0], s[1]
		a, b := softmaxOperand[H](t, rng, rows, n), softmaxOperand[H](t, rng, rows, n)
		for name, f := range map[string]struct {
			half HalfRows[H]
			wide func(a, b, out []float32) error
		}{
			"softmax":          {SoftmaxHalf[H], func(x, _, y []float32) error { return Softmax(rows, n, 1, x, y) }},
			"log softmax":      {LogSoftmaxHalf[H], func(x, _, y []float32) error { return LogSoftmax(rows, n, 1, x, y) }},
			"softmax grad":     {SoftmaxBackwardHalf[H], func(dy, y, dx []float32) error { return SoftmaxBackward(rows, n, 1, dy, y, dx) }},
			"log softmax grad": {LogSoftmaxBackwardHalf[H], func(dy, y, dx []float32) error { return LogSoftmaxBackward(rows, n, 1, dy, y, dx) }},
		} {
			got, want := guarded.Slice[H](t, rows*n, true), make([]H, rows*n)
			if err := f.half(rows, n, a, b, got); err != nil {
				t.Fatal(err)
			}
			wideA, wideB, wide := make([]float32, rows*n), make([]float32, rows*n), make([]float32, rows*n)
			widen(wideA, a)
			widen(wideB, b)
			if err := f.wide(wideA, wideB, wide); err != nil {
				t.Fatal(err)
			}
			if narrow(want, wide); !slices.Equal(got, want) {
				t.Errorf("%s of %v of %v: other bits than by way of a copy", name, s, dtype.Of[H]())
			}
		}
	}
}

// softmaxOperand has a row of what is no number, one of -Inf, and numbers.
func softmaxOperand[H Half](t *testing.T, rng *rand.Rand, rows, n int) []H {
	wide := make([]float32, rows*n)
	for i := range wide {
		wide[i] = float32(4 * rng.NormFloat64())
		switch r := i / n; {
		case r == 1 && i%3 == 0:
			wide[i] = float32(math.Inf(1))
		case r == 2:
			wide[i] = float32(math.Inf(-1))
		}
	}
	if rows > 3 && n > 0 {
		wide[3*n] = float32(math.NaN())
	}
	x := guarded.Slice[H](t, len(wide), true)
	narrow(x, wide)
	return x
}
