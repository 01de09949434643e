package kern

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/par"
)

// tapsBetween returns taps of an axis: of each element up to width near its place in x, the last of some missing.
func tapsBetween[T dtype.Float](rng *rand.Rand, from, to, width int) AxisTaps[T] {
	a := AxisTaps[T]{Width: width}
	for i := range to {
		for t := range width {
			place := int64(min(i*from/to+t, from-1))
			if width > 1 && i%5 == 3 && t == width-1 || i == 7 {
				place = -1
			}
			a.Places, a.Weights = append(a.Places, place), append(a.Weights, T(rng.NormFloat64()))
		}
	}
	return a
}

// resampled is the definition: along the first axis, then along the second, then along the third.
func resampled[T dtype.Float](s *ResampleShape, taps [3]AxisTaps[T], x []T) []T {
	sizes := s.From
	for axis := range taps {
		a := &taps[axis]
		if a.Width == 0 {
			continue
		}
		inner := 1
		for _, n := range sizes[axis+1:] {
			inner *= n
		}
		outer := len(x) / (inner * sizes[axis])
		y := make([]T, outer*s.To[axis]*inner)
		for i := range y {
			o, at, j := i/(inner*s.To[axis]), i/inner%s.To[axis], i%inner
			places, weights := a.of(at)
			for t, p := range places {
				product := T(weights[t] * x[(o*sizes[axis]+int(p))*inner+j])
				if t == 0 {
					y[i] = product
				} else {
					y[i] += product
				}
			}
		}
		x, sizes[axis] = y, s.To[axis]
	}
	return x
}

func firstDifference[T dtype.Float](got, want []T) int {
	for i := range got {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

func testResample[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for _, c := range []struct {
		from, to [3]int
		width    [3]int
	}{
		{[3]int{1, 1, 9}, [3]int{1, 1, 30}, [3]int{0, 0, 2}},
		{[3]int{2, 3, 40}, [3]int{2, 3, 17}, [3]int{0, 0, 5}},
		{[3]int{3, 7, 9}, [3]int{3, 11, 9}, [3]int{0, 2, 0}},
		{[3]int{1, 14, 14}, [3]int{1, 28, 28}, [3]int{0, 2, 2}},
		{[3]int{2, 28, 28}, [3]int{2, 56, 57}, [3]int{0, 4, 4}},
		{[3]int{2, 33, 31}, [3]int{2, 16, 15}, [3]int{0, 3, 4}},
		{[3]int{1, 5, 3}, [3]int{1, 8, 7}, [3]int{0, 2, 2}},
		{[3]int{1, 30, 200}, [3]int{1, 61, 420}, [3]int{0, 2, 3}},
		{[3]int{4, 6, 17}, [3]int{9, 11, 35}, [3]int{2, 2, 2}},
		{[3]int{6, 5, 40}, [3]int{3, 5, 40}, [3]int{3, 0, 0}},
		{[3]int{1, 4, 4}, [3]int{1, 4, 0}, [3]int{0, 0, 1}},
	} {
		for _, planes := range []int{0, 1, 5} {
			s := &ResampleShape{planes, c.from, c.to}
			var taps [3]AxisTaps[T]
			for i, width := range c.width {
				if width > 0 {
					taps[i] = tapsBetween[T](rng, c.from[i], c.to[i], width)
				}
			}
			x := fill(rng, make([]T, planes*c.from[0]*c.from[1]*c.from[2]))
			want := resampled(s, taps, x)
			for _, threads := range []int{1, 3} {
				par.SetNumThreads(threads)
				got := make([]T, planes*c.to[0]*c.to[1]*c.to[2])
				if err := Resample(s, taps, x, got); err != nil {
					t.Fatal(err)
				}
				if i := firstDifference(got, want); i >= 0 {
					t.Fatalf("%d planes %v to %v by %v taps, %d threads: element %d is %v, want %v", planes, c.from, c.to, c.width, threads, i, got[i], want[i])
				}
			}
		}
	}
}

// TestResample wants the definition's bits on every level.
func TestResample(t *testing.T) {
	defer par.SetNumThreads(0)
	everyLevel(t, func(t *testing.T) {
		t.Run("float32", testResample[float32])
		t.Run("float64", testResample[float64])
	})
}
