package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// BenchmarkVectorLoops runs every loop on slices that fit into the L1 cache, with every level of this machine.
func BenchmarkVectorLoops(b *testing.B) {
	defer vec.Use(vec.Current())
	for _, level := range vec.Available() {
		vec.Use(level)
		benchmarkLoops(b, level, elementwiseLoops[float32](), 2000)
		benchmarkLoops(b, level, elementwiseLoops[float64](), 1000)
		benchmarkLoops(b, level, vectorLoopsF32(), 2000)
		benchmarkLoops(b, level, integerLoops[int32](), 2000)
		benchmarkLoops(b, level, integerLoops[int64](), 1000)
		benchmarkLoops(b, level, integerLoops[uint8](), 8000)
		benchmarkLoops(b, level, bareSteps(), 1000)
	}
}

// BenchmarkAddSizes is the cost of a call, and what memory lets through.
func BenchmarkAddSizes(b *testing.B) {
	defer vec.Use(vec.Current())
	for _, level := range vec.Available() {
		vec.Use(level)
		for _, n := range []int{4, 20, 100, 1000, 10_000, 100_000} {
			benchmarkLoops(b, level, []vectorLoop[float32]{binaryLoop(fmt.Sprint("Add", n), Add[float32])}, n)
		}
	}
}

// bareSteps are optimizers' steps without what compares them.
func bareSteps() []vectorLoop[float32] {
	return []vectorLoop[float32]{
		{"SGD", func(dst, a, b, _ []float32) { SGD(dst, a, b, op.SGD{LR: 1e-3, Momentum: 0.9}) }},
		{"Adam", func(dst, a, b, c []float32) {
			Adam(dst, a, b, c, op.Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Step: 3})
		}},
	}
}

func benchmarkLoops[T dtype.Number](b *testing.B, level vec.Level, loops []vectorLoop[T], n int) {
	rng := rand.New(rand.NewPCG(1, 1))
	dst, x, y, z := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	for i := range n {
		x[i], y[i], z[i] = T(rng.Float64()), T(rng.Float64()), T(rng.NormFloat64())
	}
	for _, l := range loops {
		b.Run(fmt.Sprintf("%s/%s/%v", l.name, dtype.Of[T]().Name(), level), func(b *testing.B) {
			for b.Loop() {
				l.run(dst, x, y, z)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gelem/s")
		})
	}
}
