package kern

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
)

// TestSortIsThatOfTheStandardLibrary compares lines of many lengths and distances with a stable sort of the elements.
func TestSortIsThatOfTheStandardLibrary(t *testing.T) {
	inf := math.Inf(1)
	odd := []float64{math.NaN(), -math.NaN(), inf, -inf, 0, math.Copysign(0, -1), math.MaxFloat32, -math.MaxFloat32, 5e-324, -5e-324, 1}
	sortsLines(t, func(r *rand.Rand) float32 { return float32(oddOr(r, odd)) })
	sortsLines(t, func(r *rand.Rand) float64 { return oddOr(r, odd) })
	sortsLines(t, func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) })
	sortsLines(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(32) })
	sortsLines(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	sortsLines(t, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	sortsLines(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
}

func oddOr(r *rand.Rand, odd []float64) float64 {
	if r.IntN(4) == 0 {
		return odd[r.IntN(len(odd))]
	}
	return r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))
}

func sortsLines[T dtype.Number](t *testing.T, draw func(r *rand.Rand) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, fewKeys, fewKeys + 1, 100, 1000} {
		for _, step := range []int{1, 3} {
			src := make([]T, n*step+1)
			for i := range src {
				src[i] = draw(r)
			}
			for _, descending := range []bool{false, true} {
				want := make([]int64, n)
				for i := range want {
					want[i] = int64(i)
				}
				slices.SortStableFunc(want, func(a, b int64) int { return inOrder(src[int(a)*step], src[int(b)*step], descending) })
				line, spare := make([]Ordered, n), make([]Ordered, n)
				Keys(line, src, step, descending)
				Sort(line, spare, int(unsafe.Sizeof(src[0])))
				for i := range want {
					if line[i].From != want[i] {
						t.Fatalf("%T, %d elements, step %d, descending %v: element %d comes from %d, want %d", src[0], n, step, descending, i, line[i].From, want[i])
					}
				}
			}
		}
	}
}

// inOrder compares two numbers, NaN being the largest.
func inOrder[T dtype.Number](a, b T, descending bool) int {
	if descending {
		a, b = b, a
	}
	switch {
	case a < b, b != b && a == a:
		return -1
	case b < a, a != a && b == b:
		return 1
	}
	return 0
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]float32, 1000)
	for i := range src {
		src[i] = float32(r.NormFloat64())
	}
	line, spare := make([]Ordered, len(src)), make([]Ordered, len(src))
	for b.Loop() {
		Keys(line, src, 1, false)
		Sort(line, spare, 4)
	}
	b.ReportMetric(float64(len(src)*b.N)/b.Elapsed().Seconds()/1e6, "Melem/s")
}
