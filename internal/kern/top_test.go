package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
)

// TestTopIsTheStartOfSort compares what Top and Select find, on every level, with the start of sorted lines: of numbers of which some are
// odd, of few numbers that repeat, and of lines that begin or end with the best.
func TestTopIsTheStartOfSort(t *testing.T) {
	nan := math.NaN()
	odd := []float64{nan, -nan, math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	findsFirst(t, func(r *rand.Rand) float32 { return float32(oddOr(r, odd)) })
	findsFirst(t, func(r *rand.Rand) float64 { return oddOr(r, odd) })
	findsFirst(t, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) })
	findsFirst(t, func(r *rand.Rand) float32 { return float32([]float64{nan, 1}[r.IntN(100)/99]) })
	findsFirst(t, func(r *rand.Rand) float64 { return max(r.NormFloat64(), 0) })
	findsFirst(t, func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) })
	findsFirst(t, func(r *rand.Rand) int32 { return int32(r.IntN(3)) })
	findsFirst(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	findsFirst(t, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	findsFirst(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
}

func findsFirst[T dtype.Number](t *testing.T, draw func(r *rand.Rand) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, topLanes, 2 * topLanes, 1000, topBlock + 1, 3 * topBlock} {
		for _, step := range []int{1, 3} {
			src := make([]T, n*step+1)
			for i := range src {
				src[i] = draw(r)
			}
			for _, descending := range []bool{false, true} {
				line, spare := make([]Ordered, n), make([]Ordered, n)
				Keys(line, src, step, descending)
				want := slices.Clone(line)
				slices.SortStableFunc(want, compareKeys)
				for _, k := range []int{1, 5, topFirst, topFirst + 1, n / 2, n - 1, n} {
					if k < 1 || k > n {
						continue
					}
					name := fmt.Sprintf("%T, %d of %d elements, step %d, descending %v", src[0], k, n, step, descending)
					selected := slices.Clone(line)
					Select(selected, spare, k, int(unsafe.Sizeof(src[0])))
					Sort(selected[:k], spare, int(unsafe.Sizeof(src[0])))
					differsAt(t, name+" by Select", selected[:k], want)
					if step == 1 {
						sorted := make([]T, n)
						for i, s := range want {
							sorted[i] = src[s.From]
						}
						findsInOrder(t, name, sorted, k, descending)
					}
					eachLevel(t, func(t *testing.T) {
						best := make([]Ordered, k)
						Top(best, src, n, step, descending)
						differsAt(t, name, best, want)
					})
				}
			}
		}
	}
}

// findsInOrder looks for the first elements of a line that is sorted, the same way and the other way round.
func findsInOrder[T dtype.Number](t *testing.T, name string, sorted []T, k int, descending bool) {
	t.Helper()
	for _, turned := range []bool{false, true} {
		want := make([]Ordered, len(sorted))
		Keys(want, sorted, 1, descending != turned)
		slices.SortStableFunc(want, compareKeys)
		best := make([]Ordered, k)
		Top(best, sorted, len(sorted), 1, descending != turned)
		differsAt(t, fmt.Sprintf("%s in order, turned %v", name, turned), best, want)
	}
}

func differsAt(t *testing.T, name string, got, want []Ordered) {
	t.Helper()
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}
