package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/par"
)

// TestLongRowsAgree compares rows that are cut into pieces, and into calls of assembly, on every level.
func TestLongRowsAgree(t *testing.T) {
	t.Run("float32", longRowsAgree[float32])
	t.Run("float64", longRowsAgree[float64])
}

func longRowsAgree[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{piece + 5, 70_000} {
		a, b, c := finite[T](rng, n), finite[T](rng, n), finite[T](rng, n)
		for _, l := range rowLoops[T]() {
			want, got := make([]T, n), make([]T, n)
			withoutAsm(func() { l.run(want, a, b, c) })
			eachLevel(t, func(t *testing.T) {
				clear(got)
				l.run(got, a, b, c)
				if !slices.EqualFunc(got, want, sameBits[T]) {
					t.Errorf("%s of %d elements differs from the loop in Go", l.name, n)
				}
			})
		}
	}
}

func finite[T dtype.Float](rng *rand.Rand, n int) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = T(rng.NormFloat64())
	}
	return xs
}

// TestRowsDependOnNothingElse compares many rows, on any number of threads, with each row alone.
func TestRowsDependOnNothingElse(t *testing.T) {
	defer par.SetNumThreads(0)
	const rows, n = 70, 333
	rng := rand.New(rand.NewPCG(23, 24))
	x, w, b := finite[float32](rng, rows*n), finite[float32](rng, n), finite[float32](rng, n)
	ops := map[string]func(rows int, x, y []float32){
		"Softmax":    func(rows int, x, y []float32) { _ = Softmax(rows, n, 1, x, y) },
		"LogSoftmax": func(rows int, x, y []float32) { _ = LogSoftmax(rows, n, 1, x, y) },
		"LayerNorm": func(rows int, x, y []float32) {
			LayerNorm(rows, n, x, nil, nil, w, b, 1e-5, y, make([]float32, rows), make([]float32, rows))
		},
		"sums":     func(rows int, x, y []float32) { reduced(Sum[float32, float64](), y[:rows], x, rows, n, 1) },
		"extremes": func(rows int, x, y []float32) { _ = MaxMiddle(y[:rows], nil, x, rows, n, 1) },
	}
	for name, run := range ops {
		want, y := make([]float32, rows*n), make([]float32, n)
		for r := range rows {
			clear(y)
			run(1, x[r*n:][:n], y)
			if name == "sums" || name == "extremes" {
				want[r] = y[0]
				continue
			}
			copy(want[r*n:], y)
		}
		for _, threads := range []int{1, 2, 7} {
			t.Run(fmt.Sprint(name, threads), func(t *testing.T) {
				par.SetNumThreads(threads)
				got := make([]float32, rows*n)
				if run(rows, x, got); !slices.Equal(got, want) {
					t.Error("rows together differ from each alone")
				}
			})
		}
	}
}

// TestHugeRowsAgree compares rows that no cache holds with the same rows in parts that one does.
func TestHugeRowsAgree(t *testing.T) {
	const n, rows, part = 1024, hugeRows / 1024, 64
	rng := rand.New(rand.NewPCG(25, 26))
	x, w, b := finite[float32](rng, rows*n), finite[float32](rng, n), finite[float32](rng, n)
	got, want := make([]float32, len(x)), make([]float32, part*n)
	mean, rstd := make([]float32, rows), make([]float32, rows)
	ops := map[string]func(rows int, x, y []float32){
		"Softmax":          func(rows int, x, y []float32) { _ = Softmax(rows, n, 1, x, y) },
		"LogSoftmax":       func(rows int, x, y []float32) { _ = LogSoftmax(rows, n, 1, x, y) },
		"LayerNorm":        func(rows int, x, y []float32) { LayerNorm(rows, n, x, nil, nil, nil, nil, 1e-5, y, mean, rstd) },
		"LayerNorm affine": func(rows int, x, y []float32) { LayerNorm(rows, n, x, nil, nil, w, b, 1e-5, y, mean, rstd) },
		"BatchNorm": func(rows int, x, y []float32) {
			BatchNorm(ChannelShape{N: rows, C: 1, L: n}, x, w[:1], b[:1], w[1:2], b[1:2], y)
		},
	}
	check := func() {
		for name, run := range ops {
			run(rows, x, got)
			for lo := 0; lo < len(x); lo += len(want) {
				run(part, x[lo:lo+len(want)], want)
				if !slices.Equal(got[lo:lo+len(want)], want) {
					t.Errorf("%s: rows from %d on differ", name, lo/n)
					break
				}
			}
		}
	}
	eachLevel(t, func(*testing.T) { bothWays(check) })
}
