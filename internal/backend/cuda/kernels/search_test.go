package kernels_test

import (
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestSearch(t *testing.T) {
	searches[float32](t)
	searches[float64](t)
	searches[int64](t)
	searches[int32](t)
	searches[uint8](t)
}

// searches looks for numbers, of which many are equal, in one line and in one for each line of values.
func searches[T dtype.Number](t *testing.T) {
	t.Helper()
	const extent, count, lines = 37, 40, 3
	m := &machine{t: t}
	sorted, values := make([]T, lines*extent), make([]T, lines*count)
	for i := range sorted {
		sorted[i] = T(i%extent/2 + i/extent)
	}
	for i := range values {
		values[i] = T(i * i % 23)
	}
	if nan := math.NaN(); dtype.Of[T]().IsFloat() {
		sorted[extent-1], values[5] = T(nan), T(nan)
	}
	for right, search := range []func([]int64, []T, []T){kern.SearchLeft[T], kern.SearchRight[T]} {
		for _, each := range []int{0, count} {
			got, want := make([]int64, len(values)), make([]int64, len(values))
			for line := range lines {
				first := 0
				if each > 0 {
					first = line * extent
				}
				search(want[line*count:(line+1)*count], sorted[first:first+extent], values[line*count:(line+1)*count])
			}
			p := kernels.Search{N: uint64(len(values)), Count: uint64(each), Extent: extent, Out: put(m, got), In: put(m, values), Sorted: put(m, sorted),
				Right: uint32(right)}
			launch(m, "search"+suffix[T](), kernels.Flat(p.N, few), p)
			compare(t, "search"+suffix[T](), got, want)
		}
	}
}
