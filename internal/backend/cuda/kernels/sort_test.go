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
	slowUnderRace(t)
	for _, descending := range []bool{false, true} {
		for _, s := range [][4]uint64{{1, 4097, 1, 4097}, {2, 5000, 3, 20}} {
			sorts[float32](t, s, descending)
			sorts[float64](t, s, descending)
			sorts[int64](t, s, descending)
			sorts[int32](t, s, descending)
			sorts[uint8](t, s, descending)
		}
	}
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
	for _, way := range []struct {
		name string
		sort func(m *machine, p kernels.Sort, suffix string)
	}{{"merging", merging[T]}, {"digits", digits[T]}, {"first ones", firstOnes[T]}} {
		if way.name == "first ones" && 4*k > n || way.name != "merging" && n < 1000 {
			continue
		}
		m, got, gotAt := &machine{t: t}, make([]T, len(want)), make([]int64, len(want))
		p := kernels.Sort{Outer: s[0], N: s[1], Inner: s[2], K: s[3], In: put(m, x), Out: put(m, got), Index: put(m, gotAt)}
		if descending {
			p.Descending = 1
		}
		way.sort(m, p, suffix[T]())
		name := fmt.Sprintf("sort%s of %v by %s, descending %v", suffix[T](), s, way.name, descending)
		compare(t, name, got, want)
		compare(t, name+", places", gotAt, wantAt)
	}
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

// merging launches the tiles and as many merges as there have to be.
func merging[T dtype.Number](m *machine, p kernels.Sort, suffix string) {
	lines, out, index := p.Outer*p.Inner, p.Out, p.Index
	p.Width = kernels.SortWidth(p.N)
	kernel, g, sorted := "sort_tiles", kernels.SortTilesGrid(lines, p.N), p.Width
	g.Blocks[0] = min(g.Blocks[0], few)
	for sorted < p.N {
		p.Index, p.Out, p.OutFrom = 0, put(m, make([]T, lines*p.N)), put(m, make([]uint32, lines*p.N))
		launch(m, kernel+suffix, g, p)
		p.In, p.InFrom, p.Width = p.Out, p.OutFrom, sorted
		kernel, g, sorted = "sort_merge", kernels.Flat(lines*p.N, few), 2*sorted
	}
	p.Out, p.Index = out, index
	launch(m, kernel+suffix, g, p)
}

// digits launches a pass for each byte.
func digits[T dtype.Number](m *machine, p kernels.Sort, suffix string) {
	lines, out, index, size := p.Outer*p.Inner, p.Out, p.Index, dtype.Of[T]().Size()
	for digit := range size {
		counts := 256 * ((p.N + kernels.RadixTile - 1) / kernels.RadixTile)
		p.Shift, p.Counts, p.Offsets = uint32(8*digit), put(m, make([]int32, lines*counts)), put(m, make([]int64, lines*counts))
		g := kernels.RadixGrid(lines, p.N)
		g.Blocks[0] = min(g.Blocks[0], few)
		launch(m, "radix_count"+suffix, g, p)
		scan := kernels.Scan{Outer: lines, N: counts, Inner: 1, In: p.Counts, Out: p.Offsets, Parts: 1, Part: counts}
		rows, _ := kernels.RowGrid(lines, counts)
		launch(m, "cumsum_rows_i32", rows, scan)
		p.Index, p.Out, p.OutFrom = 0, put(m, make([]T, lines*p.N)), put(m, make([]uint32, lines*p.N))
		if digit == size-1 {
			p.Out, p.Index = out, index
		}
		launch(m, "radix_scatter"+suffix, g, p)
		p.In, p.InFrom = p.Out, p.OutFrom
	}
}

// firstOnes leaves the first elements of three parts, and of one, and sorts them.
func firstOnes[T dtype.Number](m *machine, p kernels.Sort, suffix string) {
	lines, out, index := p.Outer*p.Inner, p.Out, p.Index
	p.Index = 0
	for _, parts := range []uint64{3, 1} {
		p.Parts, p.Part = parts, (p.N+parts-1)/parts
		p.Out, p.OutFrom = put(m, make([]T, lines*parts*p.K)), put(m, make([]uint32, lines*parts*p.K))
		launch(m, "top_parts"+suffix, kernels.Grid{Blocks: [3]uint32{uint32(lines * parts), 1, 1}, Threads: [3]uint32{256, 1, 1}}, p)
		p.In, p.InFrom, p.N = p.Out, p.OutFrom, parts*p.K
	}
	p.Out, p.Index = out, index
	merging[T](m, p, suffix)
}
