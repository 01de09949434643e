package kernels_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

// unlike are rows whose sums float32 gets wrong: one number again and again, sums in which nearly all cancels, numbers of all sizes, parts that overflow, squares
// that float32 is too small or too large for, and what is not finite.
func unlike(n int) map[string][]float32 {
	r, inf := rand.New(rand.NewPCG(1, uint64(n))), float32(math.Inf(1))
	of := func(value func(i int) float32) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = value(i)
		}
		return x
	}
	random := of(func(int) float32 { return float32(r.NormFloat64()) })
	with := func(v ...float32) []float32 { return append(v, random[len(v):]...) }
	return map[string][]float32{
		"random":     random,
		"the same":   of(func(int) float32 { return 0.1 }),
		"cancelling": of(func(i int) float32 { return random[i/2] * float32(1-2*(i%2)) * (1 + float32(i%2)/1024) }),
		"all sizes":  of(func(i int) float32 { return float32(math.Ldexp(float64(random[i]), i%40-20)) }),
		"large":      of(func(i int) float32 { return 3e38 * float32(1-2*(i/2%2)) }),
		"denormal":   of(func(i int) float32 { return random[i] * 1e-40 }),
		"tiny":       of(func(i int) float32 { return random[i] * 1e-25 }),
		"infinite":   with(1, inf),
		"both signs": with(-inf, 1, inf),
		"NaN":        with(float32(math.NaN())),
		"zeros":      of(func(int) float32 { return float32(math.Copysign(0, -1)) }),
	}
}

// TestSumsAreAsOfFloat64 holds sums, means, variances and norms of float32 to the bits of exact ones, rounded once: k additions are off by k·2**-47·Σ|v|, which
// decides only where a sum lies so near to the middle between two float32, as none does here.
func TestSumsAreAsOfFloat64(t *testing.T) {
	for _, n := range []int{3, 1000, 5000} {
		for name, x := range unlike(n) {
			sum, squares := exactly(x, func(v float64) float64 { return v }), exactly(x, func(v float64) float64 { return v * v })
			mean := sum / float64(n)
			spread := exactly(x, func(v float64) float64 { return (v - mean) * (v - mean) }) / float64(n)
			m := &machine{t: t}
			in, got := put(m, x), make([]float32, 1)
			out := put(m, got)
			check := func(what string, want float64) {
				t.Helper()
				if !same(got[0], float32(want)) {
					t.Errorf("%s of %d, %s: got %v, want %v", what, n, name, got[0], float32(want))
				}
			}
			for _, columns := range []bool{false, true} {
				reduce(m, kernelOf[float32]("sum", columns), columns, 1, uint64(n), 1, kernels.Reduction{In: in, Out: out})
				check("sum", sum)
				reduce(m, kernelOf[float32]("mean", columns), columns, 1, uint64(n), 1, kernels.Reduction{In: in, Out: out, Total: uint64(n)})
				check("mean", mean)
			}
			g, _ := kernels.RowGrid(1, uint64(n))
			p := kernels.Runs{Outer: 1, N: uint64(n), Inner: 1, Out: out, In: in, X: 2}
			launch(m, "norm_f32", g, p)
			check("norm", math.Sqrt(squares))
			p.X = 0
			launch(m, "std_f32", g, p)
			check("std", math.Sqrt(spread))
		}
	}
}

// exactly is Σ f(v), rounded to a float64 once.
func exactly(x []float32, f func(v float64) float64) float64 {
	sum, rest := new(big.Float).SetPrec(2000), 0.
	for _, v := range x {
		if term := f(float64(v)); math.IsInf(term, 0) || math.IsNaN(term) {
			rest += term
		} else {
			sum.Add(sum, big.NewFloat(term))
		}
	}
	s, _ := sum.Float64()
	return s + rest
}
