package kernels_test

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

// TestVectorsAndTheirRest adds as many elements as make whole vectors or leave a rest, by threads that have none, one or several.
func TestVectorsAndTheirRest(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 1023, 1024, 256*4*few*2 + 7, 5000} {
		vectorsAdd[float32](t, n)
		vectorsAdd[float64](t, n)
		vectorsAdd[int64](t, n)
		vectorsAdd[int32](t, n)
		vectorsAdd[uint8](t, n)
	}
}

func vectorsAdd[T dtype.Number](t *testing.T, n int) {
	t.Helper()
	m := &machine{t: t}
	a, b, got, want := samples[T](n, 1), samples[T](n, 2), make([]T, n), make([]T, n)
	kern.Add(want, a, b)
	p := kernels.Elementwise{N: uint64(n), Out: put(m, got), In: [3]uint64{put(m, a), put(m, b)}, Lanes: uint32(16 / dtype.Of[T]().Size())}
	name := "add" + suffix[T]()
	launch(m, name, kernels.VectorGrid(p.N/uint64(p.Lanes), few), p)
	compare(t, fmt.Sprintf("%s of %d", name, n), got, want)

	whole, flags := make([]bool, n), make([]bool, n)
	kern.Lt(whole, a, b)
	p.Out = put(m, flags)
	launch(m, "lt"+suffix[T](), kernels.VectorGrid(p.N/uint64(p.Lanes), few), p)
	compare(t, fmt.Sprintf("lt%s of %d", suffix[T](), n), flags, whole)
}

// TestVectorsOfRows adds a row and a column to a matrix, and a constant to every second row of one.
func TestVectorsOfRows(t *testing.T) {
	const rows, columns = 37, 24
	m := &machine{t: t}
	a, row, column := samples[float32](rows*columns, 1), samples[float32](columns, 2), samples[float32](rows, 3)
	got, want := make([]float32, rows*columns), make([]float32, rows*columns)
	p := kernels.Elementwise{N: rows * columns, Out: put(m, got), In: [3]uint64{put(m, a), put(m, row)}, Lanes: 4, Rank: 2,
		Extents: [8]uint32{columns, rows}, Strides: [4][8]int64{{1, columns}, {1, columns}, {1, 0}}}
	run := func(name string, of func(r, c int) float32) {
		for i := range want {
			want[i] = of(i/columns, i%columns)
		}
		launch(m, "add_f32", kernels.VectorGrid(p.N/4, few), p)
		compare(t, name, got, want)
	}
	run("a row", func(r, c int) float32 { return a[r*columns+c] + row[c] })
	p.In[1], p.Strides[2] = put(m, column), [8]int64{0, 1}
	run("a column", func(r, c int) float32 { return a[r*columns+c] + column[r] })
	clear(got)
	p.N, p.Extents[1], p.In[1], p.Constants[1] = p.N/2-columns/2, rows/2, 0, 0x3f800000
	for k := range p.Strides[:2] {
		p.Strides[k][1] = 2 * columns
	}
	run("every second row", func(r, c int) float32 {
		if r%2 == 1 || r == rows-1 {
			return 0
		}
		return a[r*columns+c] + 1
	})
}

// TestHalves computes in float32 what the CPU does, and rounds once.
func TestHalves(t *testing.T) {
	x, y := samples[float32](count, 1), samples[float32](count, 2)
	for i := range x {
		x[i], y[i] = max(-1e5, min(x[i], 1e5)), max(-1e5, min(y[i], 1e5))
	}
	halfSums(t, x, y, dtype.ToF16, dtype.F16.Float32)
	halfSums(t, x, y, dtype.ToBF16, dtype.BF16.Float32)
}

func halfSums[H dtype.F16 | dtype.BF16](t *testing.T, x, y []float32, narrow func(float32) H, wide func(H) float32) {
	t.Helper()
	var a, b, want []H
	for i := range x {
		a, b = append(a, narrow(x[i])), append(b, narrow(y[i]))
		want = append(want, narrow(wide(a[i])+wide(b[i])))
	}
	m := &machine{t: t}
	name := "add" + suffix[H]()
	for _, lanes := range []uint32{1, 8} {
		got := make([]H, count)
		p := kernels.Elementwise{N: count, Out: put(m, got), In: [3]uint64{put(m, a), put(m, b)}, Lanes: lanes}
		launch(m, name, kernels.VectorGrid(count/uint64(lanes), few), p)
		if !slices.EqualFunc(got, want, func(a, b H) bool { return a == b || wide(a) != wide(a) && wide(b) != wide(b) }) {
			t.Errorf("%s, %d at once: got %v, want %v", name, lanes, got[:8], want[:8])
		}
	}
}

// TestTranspose copies matrices that fill tiles and do not, of elements of every size.
func TestTranspose(t *testing.T) {
	transposed[uint8](t, "b8")
	transposed[dtype.F16](t, "b16")
	transposed[float32](t, "b32")
	transposed[int64](t, "b64")
}

func transposed[T dtype.Element](t *testing.T, size string) {
	t.Helper()
	for _, s := range [][3]int{{1, 32, 32}, {3, 70, 45}, {2, 16, 129}} {
		g, _ := kernels.TransposeGrid(uint64(s[2]), uint64(s[1]), uint64(s[0]))
		transposedBy[T](t, "transpose_"+size, g, s)
	}
	bytes := dtype.Of[T]().Size()
	for _, s := range [][3]int{{1, 128, 128}, {2, 80, 144}, {3, 208, 64}} {
		g, ok := kernels.TransposeVectorsGrid(uint64(s[2]), uint64(s[1]), uint64(s[0]), uint64(bytes))
		if !ok {
			t.Fatalf("%v has no grid", s)
		}
		transposedBy[T](t, "transpose_vectors_"+size, g, s)
	}
}

// transposedBy copies so many matrices of rows and columns.
func transposedBy[T dtype.Element](t *testing.T, kernel string, g kernels.Grid, s [3]int) {
	t.Helper()
	count, rows, columns := s[0], s[1], s[2]
	x, got, want := make([]T, count*rows*columns), make([]T, count*rows*columns), make([]T, count*rows*columns)
	words := samples[int64](len(x), 1)
	for i := range x {
		*(*uint8)(unsafe.Pointer(&x[i])) = uint8(words[i]) // every element has a first byte, whose bits are as good as any
	}
	for b := range count {
		for r := range rows {
			for c := range columns {
				want[(b*rows+r)*columns+c] = x[(b*columns+c)*rows+r]
			}
		}
	}
	m := &machine{t: t}
	launch(m, kernel, g, kernels.Elementwise{N: uint64(len(x)), Out: put(m, got), In: [3]uint64{put(m, x)}, Rank: 3,
		Extents: [8]uint32{uint32(columns), uint32(rows), uint32(count)},
		Strides: [4][8]int64{{1, int64(columns), int64(rows * columns)}, {int64(rows), 1, int64(rows * columns)}}})
	compare(t, kernel, got, want)
}
