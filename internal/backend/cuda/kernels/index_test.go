package kernels_test

import (
	"cmp"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

const outer, extent, inner, indexes = 2, 11, 5, 40

func someIndexes() []int64 {
	index := make([]int64, indexes)
	for i := range index {
		index[i] = int64(i * i * 7 % extent)
	}
	return index
}

func TestTake(t *testing.T) {
	m := &machine{t: t}
	x, index := samples[float32](outer*extent*inner, 1), someIndexes()
	got, want := make([]float32, outer*indexes*inner), make([]float32, outer*indexes*inner)
	for o := range outer {
		kern.TakeRows(want[o*indexes*inner:(o+1)*indexes*inner], x[o*extent*inner:], index, inner)
	}
	fault := make([]kernels.Fault, 1)
	p := kernels.Rows{Outer: outer, Count: indexes, Extent: extent, Inner: inner, Out: put(m, got), In: put(m, x), Index: put(m, index),
		Report: kernels.Report{Word: put(m, fault), Tag: 9}}
	launch(m, "take_b32", kernels.Flat(uint64(len(got)), few), p)
	compare(t, "take", got, want)

	index[3] = extent
	launch(m, "take_b32", kernels.Flat(uint64(len(got)), few), p)
	if want := (kernels.Fault{Code: kernels.IndexFault, Tag: 9, Index: extent, Extent: extent, At: 3}); fault[0] != want {
		t.Errorf("got %+v, want %+v", fault[0], want)
	}
}

func TestAddRows(t *testing.T) {
	addRows[float32](t)
	addRows[int64](t)
}

func addRows[T dtype.Number](t *testing.T) {
	m := &machine{t: t}
	x, index := make([]T, outer*indexes*inner), someIndexes()
	for i := range x {
		x[i] = T(i*i%97) / 3
	}
	got, want := make([]T, outer*extent*inner), make([]T, outer*extent*inner)
	for o := range outer {
		kern.AddRows(want[o*extent*inner:], x[o*indexes*inner:], index, inner, 0, inner)
		clear(want[(o*extent+7)*inner:][:inner])
	}
	p := kernels.Rows{Outer: outer, Count: indexes, Extent: extent, Inner: inner, Out: put(m, got), In: put(m, x), Index: put(m, index), Skip: 7}
	launch(m, "add_rows"+suffix[T](), kernels.AddRowsGrid(outer*inner, 1), p)
	compare(t, "add_rows"+suffix[T](), got, want)
}

// TestLines gathers and adds along the middle axis of [2][extent][3], with an index that is shorter in the last.
func TestLines(t *testing.T) {
	const last, short, n = 3, 2, 9
	m := &machine{t: t}
	x, index := samples[float32](2*extent*last, 1), make([]int64, 2*n*short)
	for i := range index {
		index[i] = int64(i * 5 % extent)
	}
	got, want := make([]float32, 2*n*short), make([]float32, 2*n*short)
	sum, wantSum := make([]float32, 2*extent*last), make([]float32, 2*extent*last)
	for o := range 2 {
		for k := range short {
			kern.TakeLine(want[o*n*short+k:], x[o*extent*last+k:], index[o*n*short+k:], n, short, last, short)
			kern.AddLine(wantSum[o*extent*last+k:], want[o*n*short+k:], index[o*n*short+k:], n, last, short, short)
		}
	}
	p := kernels.Lines{Lines: 2 * short, N: n, Extent: extent, Out: put(m, got), In: put(m, x), Index: put(m, index), Rank: 2,
		Extents: [8]uint32{short, 2}, Steps: [3]int64{short, last, short},
		Strides: [3][8]int64{{1, n * short}, {1, extent * last}, {1, n * short}}}
	launch(m, "gather_b32", kernels.Flat(p.Lines*n, few), p)
	compare(t, "gather", got, want)

	p.Out, p.In, p.Steps = put(m, sum), put(m, want), [3]int64{last, short, short}
	p.Strides[0], p.Strides[1] = p.Strides[1], p.Strides[2]
	launch(m, "scatter_add_f32", kernels.Flat(p.Lines, few), p)
	compare(t, "scatter_add", sum, wantSum)

	sorted, places := make([]int64, 2*n*short), make([]int64, 2*n*short) // line by line
	for line := range 2 * short {
		at := places[line*n : (line+1)*n]
		key := func(i int64) int64 { return index[line/short*n*short+int(i)*short+line%short] }
		for i := range at {
			at[i] = int64(i)
		}
		slices.SortStableFunc(at, func(a, b int64) int { return cmp.Compare(key(a), key(b)) })
		for i, place := range at {
			sorted[line*n+i] = key(place)
		}
	}
	again := make([]float32, len(sum))
	p.Out, p.Sorted, p.Places = put(m, again), put(m, sorted), put(m, places)
	launch(m, "scatter_add_sorted_f32", kernels.Flat(p.Lines*n, few), p)
	compare(t, "scatter_add_sorted", again, wantSum)
}

func TestTriangles(t *testing.T) {
	const rows, cols = 5, 7
	for _, diagonal := range []int{-6, -1, 0, 2, 9} {
		m := &machine{t: t}
		x := samples[int64](2*rows*cols, 1)
		lower, upper := make([]int64, len(x)), make([]int64, len(x))
		got := make([]int64, len(x))
		for z := 0; z < len(x); z += rows * cols {
			kern.Lower(lower[z:z+rows*cols], x[z:], cols, 0, diagonal)
			kern.Upper(upper[z:z+rows*cols], x[z:], cols, 0, diagonal)
		}
		p := kernels.Triangle{N: uint64(len(x)), Rows: rows, Cols: cols, Out: put(m, got), In: put(m, x), Diagonal: int64(diagonal)}
		launch(m, "tril_b64", kernels.Flat(p.N, few), p)
		compare(t, "tril", got, lower)
		launch(m, "triu_b64", kernels.Flat(p.N, few), p)
		compare(t, "triu", got, upper)
	}
}
