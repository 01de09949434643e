package kernels_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

func TestSorts(t *testing.T) {
	for _, s := range [][4]uint64{{3, 1, 2, 1}, {2, 5, 1, 5}, {40, 32, 3, 7}, {1, 1024, 2, 1024}, {1, 1025, 1, 1025}, {1, 3100, 1, 30}} {
		for _, descending := range []bool{false, true} {
			sorts[float32](t, s, descending)
			sorts[float64](t, s, descending)
			sorts[int64](t, s, descending)
			sorts[uint8](t, s, descending)
		}
	}
}

// sorts compares with a stable sort in Go, of numbers of which many are equal; s is outer, n, inner and k.
func sorts[T dtype.Number](t *testing.T, s [4]uint64, descending bool) {
	t.Helper()
	outer, n, inner, k := int(s[0]), int(s[1]), int(s[2]), int(s[3])
	x := make([]T, outer*n*inner)
	for i := range x {
		x[i] = T(20 + 20*math.Sin(float64(i*i)))
	}
	if nan := math.NaN(); dtype.Of[T]().IsFloat() {
		x[len(x)/2], x[len(x)-1] = T(nan), T(nan)
	}
	want, wantAt := make([]T, outer*k*inner), make([]int64, outer*k*inner)
	for o := range outer {
		for i := range inner {
			line := make([]int, n)
			for j := range line {
				line[j] = (o*n+j)*inner + i
			}
			slices.SortStableFunc(line, func(a, b int) int {
				if descending {
					a, b = b, a
				}
				return compareNumbers(x[a], x[b])
			})
			for j, at := range line[:k] {
				want[(o*k+j)*inner+i], wantAt[(o*k+j)*inner+i] = x[at], int64(at/inner%n)
			}
		}
	}
	got, gotAt := make([]T, len(want)), make([]int64, len(want))
	sortOnGPU(t, x, s, descending, got, gotAt)
	name := fmt.Sprintf("sort%s of %v, descending %v", suffix[T](), s, descending)
	compare(t, name, got, want)
	compare(t, name+", places", gotAt, wantAt)
}

// compareNumbers puts NaN above all numbers.
func compareNumbers[T dtype.Number](a, b T) int {
	switch {
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	case b != b:
		return -1
	}
	return cmp.Compare(a, b)
}

// sortOnGPU launches the tiles and as many merges as there have to be.
func sortOnGPU[T dtype.Number](t *testing.T, x []T, s [4]uint64, descending bool, out []T, index []int64) {
	t.Helper()
	m := &machine{t: t}
	p := kernels.Sort{Outer: s[0], N: s[1], Inner: s[2], K: s[3], In: put(m, x), Width: kernels.SortWidth(s[1])}
	if descending {
		p.Descending = 1
	}
	kernel, g, sorted := "sort_tiles", kernels.SortTilesGrid(s[0]*s[2], s[1]), p.Width
	g.Blocks[0] = min(g.Blocks[0], few)
	for sorted < s[1] {
		p.Out, p.OutFrom = put(m, make([]T, len(x))), put(m, make([]uint32, len(x)))
		launch(m, kernel+suffix[T](), g, p)
		p.In, p.InFrom, p.Width = p.Out, p.OutFrom, sorted
		kernel, g, sorted = "sort_merge", kernels.Flat(uint64(len(x)), few), 2*sorted
	}
	p.Out, p.Index = put(m, out), put(m, index)
	launch(m, kernel+suffix[T](), g, p)
}
