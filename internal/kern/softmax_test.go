package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var axisShapes = []struct{ outer, axis, inner int }{
	{3, 5, 1}, {1, 1, 1}, {40, 101, 1}, {2, 3, 4}, {2, 7, 33}, {5, 1, 16}, {1, 300, 17}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0},
}

// eachLane calls visit with the indices along the middle axis of
// [outer, axis, inner], lane after lane.
func eachLane(outer, axis, inner int, visit func(at []int)) {
	at := make([]int, axis)
	for o := range outer {
		for i := range inner {
			for a := range at {
				at[a] = (o*axis+a)*inner + i
			}
			visit(at)
		}
	}
}

func logSumExp[T float32 | float64](x []T, at []int) float64 {
	largest, sum := math.Inf(-1), 0.0
	for _, i := range at {
		largest = max(largest, float64(x[i]))
	}
	for _, i := range at {
		sum += math.Exp(float64(x[i]) - largest)
	}
	return largest + math.Log(sum)
}

func near[T float32 | float64](t *testing.T, name string, i int, got T, want, size float64) {
	t.Helper()
	if diff := math.Abs(float64(got) - want); !(diff <= 8*epsilon[T]()*size) {
		t.Fatalf("%s[%d] = %v, want %v within 8 eps of %v", name, i, got, want, size)
	}
}

func testSoftmax[T float32 | float64](t *testing.T) {
	for _, s := range axisShapes {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			n := s.outer * s.axis * s.inner
			x, dy := fill(rnd, make([]T, n)), fill(rnd, make([]T, n))
			for i := range x {
				x[i] *= 20
			}
			y, logY, dx, logDx := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
			Softmax(s.outer, s.axis, s.inner, x, y)
			LogSoftmax(s.outer, s.axis, s.inner, x, logY)
			SoftmaxBackward(s.outer, s.axis, s.inner, dy, y, dx)
			LogSoftmaxBackward(s.outer, s.axis, s.inner, dy, logY, logDx)
			eachLane(s.outer, s.axis, s.inner, func(at []int) {
				lse := logSumExp(x, at)
				var sum, dot, size float64
				for _, i := range at {
					sum += float64(dy[i])
					dot += float64(dy[i]) * float64(y[i])
					size += math.Abs(float64(dy[i]))
				}
				for _, i := range at {
					v := float64(x[i])
					// The shift by the maximum rounds once, at most to 40 eps.
					near(t, "softmax", i, y[i], math.Exp(v-lse), 6*math.Exp(v-lse))
					near(t, "log softmax", i, logY[i], v-lse, math.Abs(v)+math.Abs(lse))
					near(t, "softmax dx", i, dx[i], float64(y[i])*(float64(dy[i])-dot), 2*float64(y[i]))
					near(t, "log softmax dx", i, logDx[i], float64(dy[i])-math.Exp(float64(logY[i]))*sum, 1+size)
				}
			})
		})
	}
}

func TestSoftmax(t *testing.T) {
	t.Run("float32", testSoftmax[float32])
	t.Run("float64", testSoftmax[float64])
}

func TestSoftmaxExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, row := range []struct{ x, want [3]float64 }{
		{[3]float64{1000, 1000, -1000}, [3]float64{0.5, 0.5, 0}},
		{[3]float64{-inf, 0, -inf}, [3]float64{0, 1, 0}},
		{[3]float64{-inf, -inf, -inf}, [3]float64{nan, nan, nan}},
		{[3]float64{inf, 0, 0}, [3]float64{nan, nan, nan}},
		{[3]float64{nan, 0, 0}, [3]float64{nan, nan, nan}},
	} {
		var got [3]float64
		Softmax(1, 3, 1, row.x[:], got[:])
		for i := range got {
			bothNaN := got[i] != got[i] && row.want[i] != row.want[i]
			if got[i] != row.want[i] && !bothNaN {
				t.Errorf("softmax(%v) = %v, want %v", row.x, got, row.want)
			}
		}
	}
}

func BenchmarkSoftmax(b *testing.B) {
	for _, s := range []struct{ outer, axis, inner int }{{64, 10, 1}, {512, 1000, 1}, {8, 1000, 64}} {
		n := s.outer * s.axis * s.inner
		x, y := fill(rand.New(rand.NewPCG(1, 2)), make([]float32, n)), make([]float32, n)
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			b.SetBytes(int64(8 * n))
			for b.Loop() {
				Softmax(s.outer, s.axis, s.inner, x, y)
			}
		})
	}
}

// TestExpBelow compares with math.Exp over every exponent of numbers that are not positive.
func TestExpBelow(t *testing.T) {
	var xs []float32
	for bits := uint32(1 << 31); bits <= math.Float32bits(-104); bits += 10_007 {
		xs = append(xs, math.Float32frombits(bits))
	}
	xs = append(xs, -103.9, -104, -105, float32(math.Inf(-1)), float32(math.NaN()))
	ys := make([]float32, len(xs))
	ExpBelow(ys, xs)
	for i, x := range xs {
		want := math.Exp(float64(x))
		ulp := math.Exp2(math.Max(math.Floor(math.Log2(want))-23, -149))
		if got := float64(ys[i]); math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 0.95*ulp {
			t.Fatalf("e**%v = %v, want %v", x, got, want)
		}
	}
}
