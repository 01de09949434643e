package kern

import (
	"math/rand/v2"
	"testing"
)

// TestExtremesOfColumnsAreThoseOfRows compares what is found along columns with what is found in each as a row.
func TestExtremesOfColumnsAreThoseOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ outer, n, inner int }{{1, 1, 8}, {2, 5, 8}, {1, 70, 600}, {3, 9, 17}, {2, 4, 3}} {
		x := values[float32](rng, s.outer*s.n*s.inner)
		size := s.outer * s.inner
		most, least := make([]float32, size), make([]float32, size)
		mostAt, leastAt := make([]int64, size), make([]int64, size)
		_ = MaxMiddle(most, mostAt, x, s.outer, s.n, s.inner)
		_ = MinMiddle(least, leastAt, x, s.outer, s.n, s.inner)
		column := make([]float32, s.n)
		for i := range size {
			for k := range column {
				column[k] = x[(i/s.inner*s.n+k)*s.inner+i%s.inner]
			}
			if v, at := MaxRow(column); !sameBits(most[i], v) || mostAt[i] != at {
				t.Fatalf("%v, column %d: largest %v at %d, want %v at %d", s, i, most[i], mostAt[i], v, at)
			}
			if v, at := MinRow(column); !sameBits(least[i], v) || leastAt[i] != at {
				t.Fatalf("%v, column %d: smallest %v at %d, want %v at %d", s, i, least[i], leastAt[i], v, at)
			}
		}
	}
}
