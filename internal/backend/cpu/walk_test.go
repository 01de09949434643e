package cpu

import (
	"slices"
	"testing"
)

func TestFillReachesEveryElement(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 100, chunk - 1, chunk, 3*chunk + 5} {
		s := make([]int32, n+1)
		fill(s[:n], 7)
		if i := slices.IndexFunc(s[:n], func(v int32) bool { return v != 7 }); i >= 0 || s[n] != 0 {
			t.Errorf("%d elements: the first that is not filled is %d, behind them stands %d", n, i, s[n])
		}
	}
}

func BenchmarkFill(b *testing.B) {
	s := make([]float32, 4096)
	b.SetBytes(int64(4 * len(s)))
	for b.Loop() {
		fill(s, 1)
	}
}
