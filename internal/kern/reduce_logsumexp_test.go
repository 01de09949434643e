package kern

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

func TestLogSumExpExtremes(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float32", logSumExpExtremes[float32])
		t.Run("float64", logSumExpExtremes[float64])
	})
}

func logSumExpExtremes[T dtype.Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for _, c := range []struct {
		row  []T
		want T
	}{
		{nil, -inf},
		{[]T{-inf, -inf}, -inf},
		{[]T{1, inf, -inf}, inf},
		{[]T{inf, nan}, nan},
		{[]T{-inf, nan}, nan},
		{[]T{-inf, 3}, 3},
		{[]T{-1e30}, -1e30},
		{[]T{1e30, 1e30, 0}, 1e30},
	} {
		if got := LogSumExpRow(c.row); !sameBits(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.row, got, c.want)
		}
	}
}

// TestLogSumExpLongRows compares rows on both sides of a piece with a sum of math.Exp.
func TestLogSumExpLongRows(t *testing.T) {
	t.Run("float32", logSumExpLongRows[float32])
	t.Run("float64", logSumExpLongRows[float64])
}

func logSumExpLongRows[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{1, 9, 1000, piece, 3*piece + 5} {
		x, dx, at := finite[T](rng, n), make([]T, n), make([]int, n)
		for i := range at {
			at[i] = i
		}
		want, got := logSumExp(x, at), LogSumExpRow(x)
		near(t, "log sum exp", 0, got, want, 4+math.Abs(want)) // a sum is off by 17/2 eps at most, and its exponentials by eps
		LogSumExpGrad(0.7, got, x, dx)
		for i, v := range dx {
			size := 0.7 * math.Exp(float64(x[i]-got))
			near(t, "its gradient", i, v, size, 3*size)
		}
	}
}
