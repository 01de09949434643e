package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/par"
)

var columnShapes = []struct{ outer, n, inner int }{
	{1, 1, 64}, {2, 5, 65}, {1, 15, 77}, {3, 16, 71}, {1, 61, 300}, {2, 31, 513}, {1, 300, 1030},
}

// columnMaps are the maps of columns, with the operands x and dy.
func columnMaps[T dtype.Float](outer, n, inner int, x, dy []T) map[string][]T {
	m := map[string][]T{"log sum exp": make([]T, outer*inner), "shifts": make([]T, 2*outer*inner)}
	for _, name := range []string{"softmax", "log softmax", "softmax dx", "log softmax dx"} {
		m[name] = make([]T, len(x))
	}
	_ = Softmax(outer, n, inner, x, m["softmax"])
	_ = LogSoftmax(outer, n, inner, x, m["log softmax"])
	_ = SoftmaxBackward(outer, n, inner, dy, m["softmax"], m["softmax dx"])
	_ = LogSoftmaxBackward(outer, n, inner, dy, m["log softmax"], m["log softmax dx"])
	_ = Reduce(m["log sum exp"], x, outer, n, inner, LogSumExpRow[T])
	_ = SoftmaxShifts(outer, n, inner, x, m["shifts"])
	return m
}

func scaled[T dtype.Float](rng *rand.Rand, n int, scale float64) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(scale * rng.NormFloat64())
	}
	return x
}

// TestSoftmaxOfColumnsIsThatOfRows compares columns with the same columns as rows, whose sums have another order.
func TestSoftmaxOfColumnsIsThatOfRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float32", softmaxOfColumnsIsThatOfRows[float32])
		t.Run("float64", softmaxOfColumnsIsThatOfRows[float64])
	})
}

func softmaxOfColumnsIsThatOfRows[T float32 | float64](t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for _, s := range columnShapes {
		size := s.outer * s.n * s.inner
		x, dy := scaled[T](rng, size, 10), scaled[T](rng, size, 1)
		got := columnMaps(s.outer, s.n, s.inner, x, dy)
		row, dyRow := make([]T, s.n), make([]T, s.n)
		column := 0
		eachLane(s.outer, s.n, s.inner, func(at []int) {
			sizes := 0.0
			for k, i := range at {
				row[k], dyRow[k] = x[i], dy[i]
				sizes += math.Abs(float64(dy[i]))
			}
			want := columnMaps(1, s.n, 1, row, dyRow)
			lse := float64(want["log sum exp"][0])
			near(t, "log sum exp", column, got["log sum exp"][column], lse, 4+math.Abs(lse))
			if first := got["shifts"][2*column]; first != want["shifts"][0] {
				t.Fatalf("largest of column %d: %v, want %v", column, first, want["shifts"][0])
			}
			second := float64(want["shifts"][1])
			near(t, "shift", column, got["shifts"][2*column+1], second, 4+second)
			for k, i := range at {
				y := float64(want["softmax"][k])
				near(t, "softmax", i, got["softmax"][i], y, 3*y)
				near(t, "softmax dx", i, got["softmax dx"][i], float64(want["softmax dx"][k]), (4+3*sizes)*y)
				near(t, "log softmax", i, got["log softmax"][i], float64(want["log softmax"][k]), 4+math.Abs(lse))
				e := math.Exp(float64(want["log softmax"][k]))
				near(t, "log softmax dx", i, got["log softmax dx"][i], float64(want["log softmax dx"][k]), 1+(4+math.Abs(lse))*sizes*e)
			}
			column++
		})
	}
}

// TestSoftmaxOfColumnsKeepsBits compares numbers of threads, and levels of instructions.
func TestSoftmaxOfColumnsKeepsBits(t *testing.T) {
	t.Run("float32", softmaxOfColumnsKeepsBits[float32])
	t.Run("float64", softmaxOfColumnsKeepsBits[float64])
}

func softmaxOfColumnsKeepsBits[T dtype.Float](t *testing.T) {
	defer par.SetNumThreads(par.NumThreads())
	rng := rand.New(rand.NewPCG(83, 84))
	for _, s := range columnShapes {
		size := s.outer * s.n * s.inner
		x, dy := scaled[T](rng, size, 10), scaled[T](rng, size, 1)
		par.SetNumThreads(1)
		want := columnMaps(s.outer, s.n, s.inner, x, dy)
		for _, threads := range []int{1, 2, 7} {
			par.SetNumThreads(threads)
			t.Run(fmt.Sprint(s, threads), func(t *testing.T) {
				everyLevel(t, func(t *testing.T) {
					for name, y := range columnMaps(s.outer, s.n, s.inner, x, dy) {
						for i, v := range y {
							if !sameBits(v, want[name][i]) {
								t.Fatalf("%s[%d] = %v, want the bits of %v", name, i, v, want[name][i])
							}
						}
					}
				})
			})
		}
	}
}

// TestSoftmaxOfColumnsExtremes puts columns that are no softmax, or barely one, beside others.
func TestSoftmaxOfColumnsExtremes(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float32", softmaxOfColumnsExtremes[float32])
		t.Run("float64", softmaxOfColumnsExtremes[float64])
	})
}

func softmaxOfColumnsExtremes[T dtype.Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	kinds := []struct {
		x, soft, log [3]T
		lse          T
	}{
		{[3]T{0, 0, -inf}, [3]T{0.5, 0.5, 0}, [3]T{-math.Ln2, -math.Ln2, -inf}, math.Ln2},
		{[3]T{-inf, -inf, -inf}, [3]T{nan, nan, nan}, [3]T{nan, nan, nan}, -inf},
		{[3]T{1, inf, -inf}, [3]T{nan, nan, nan}, [3]T{nan, nan, nan}, inf},
		{[3]T{inf, nan, 1}, [3]T{nan, nan, nan}, [3]T{nan, nan, nan}, nan},
		{[3]T{-inf, 3, nan}, [3]T{nan, nan, nan}, [3]T{nan, nan, nan}, nan},
		{[3]T{-inf, 3, -inf}, [3]T{0, 1, 0}, [3]T{-inf, 0, -inf}, 3},
		{[3]T{1e30, 1e30, -1e30}, [3]T{0.5, 0.5, 0}, [3]T{-math.Ln2, -math.Ln2, -2e30}, 1e30},
	}
	const inner = 100
	x := make([]T, 3*inner)
	for i := range x {
		x[i] = kinds[i%inner%len(kinds)].x[i/inner]
	}
	got := columnMaps(1, 3, inner, x, make([]T, len(x)))
	for i := range x {
		k, r := kinds[i%inner%len(kinds)], i/inner
		if v := got["softmax"][i]; !sameBits(v, k.soft[r]) {
			t.Errorf("softmax of %v: %v at %d, want %v", k.x, v, r, k.soft[r])
		}
		if v := got["log softmax"][i]; !sameBits(v, k.log[r]) {
			t.Errorf("log softmax of %v: %v at %d, want %v", k.x, v, r, k.log[r])
		}
		if v := got["log sum exp"][i%inner]; !sameBits(v, k.lse) {
			t.Errorf("log sum exp of %v: %v, want %v", k.x, v, k.lse)
		}
	}
}

// TestSoftmaxGradOfColumnsOverflows has gradients whose sum is a number though a run of it in float32 is not.
func TestSoftmaxGradOfColumnsOverflows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		const n, inner, huge = 4, 70, 3e38
		dy, y, dx := make([]float32, n*inner), make([]float32, n*inner), make([]float32, n*inner)
		for i := range dy {
			dy[i], y[i] = [n]float32{huge, huge, -huge, -huge}[i/inner], 1
		}
		_ = SoftmaxBackward(1, n, inner, dy, y, dx)
		for i, v := range dx {
			if v != dy[i] {
				t.Fatalf("softmax dx[%d] = %v, want %v", i, v, dy[i])
			}
		}
		clear(y)
		_ = LogSoftmaxBackward(1, n, inner, dy, y, dx)
		for i, v := range dx {
			if v != dy[i] {
				t.Fatalf("log softmax dx[%d] = %v, want %v", i, v, dy[i])
			}
		}
	})
}
