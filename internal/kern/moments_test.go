package kern

import (
	"math"
	"slices"
	"testing"
)

// TestMomentsOfLargeNumbers takes a row of which not even the differences fit into float32.
func TestMomentsOfLargeNumbers(t *testing.T) {
	x := make([]float32, 32)
	x[0] = 3.4e38
	for i := range x[1:16] {
		x[1+i] = -1e38
	}
	checkMoments(t, x)
}

// TestMomentsWhereverSamplesLie takes rows of which the elements that are looked at first tell much or nothing.
func TestMomentsWhereverSamplesLie(t *testing.T) {
	const n = 96
	rows := map[string]func(i int) float32{
		"same":                  func(int) float32 { return 0.1 },
		"ramp":                  func(i int) float32 { return 1000 + float32(i) },
		"samples far away":      func(i int) float32 { return float32(i%7) + map[bool]float32{true: 1e6}[i%(n/samples) == 0] },
		"samples alone alike":   func(i int) float32 { return 1e4 + float32(i%(n/samples)) },
		"half of samples large": func(i int) float32 { return map[bool]float32{true: 3e38, false: 1}[i%(2*n/samples) == 0] },
	}
	for name, at := range rows {
		t.Run(name, func(t *testing.T) {
			x := make([]float32, n)
			for i := range x {
				x[i] = at(i)
			}
			checkMoments(t, x)
		})
	}
}

// checkMoments compares the moments of a row, alone and among others, with those that float64 gives.
func checkMoments(t *testing.T, x []float32) {
	t.Helper()
	var mean, variance float64
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	everyLevel(t, func(t *testing.T) {
		together := make([]rowMoments, 3)
		momentsRows(slices.Concat(x, x, x), len(x), together)
		for _, got := range append(together, momentsOf(x)) {
			if !(math.Abs(got.mean-mean) <= 1e-6*math.Abs(mean)) || !(math.Abs(got.variance-variance) <= 2e-6*variance+1e-30) {
				t.Errorf("got %+v, want {%v %v}", got, mean, variance)
			}
		}
	})
}
