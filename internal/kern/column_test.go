package kern

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A columnFunc is a loop over rows of which each meets a number, in assembly or else in Go.
type columnFunc[T dtype.Float] struct {
	name string
	run  func(n int, numbers, dst, a []T)
}

func besideColumns[T dtype.Float]() []columnFunc[T] {
	of := func(name string, l vec.RowLoop, f func(x, v T) T) columnFunc[T] {
		return columnFunc[T]{name, func(n int, numbers, dst, a []T) {
			if BesideColumn(l, n, numbers, dst, a, false) {
				return
			}
			for i, x := range a {
				dst[i] = f(x, numbers[i/n])
			}
		}}
	}
	return []columnFunc[T]{
		of("AddColumn", vec.AddColumn, func(x, v T) T { return x + v }),
		of("SubColumn", vec.SubColumn, func(x, v T) T { return x - v }),
		of("SubFromColumn", vec.SubFromColumn, func(x, v T) T { return v - x }),
		of("MulColumn", vec.MulColumn, func(x, v T) T { return x * v }),
		of("DivColumn", vec.DivColumn, func(x, v T) T { return x / v }),
		of("DivIntoColumn", vec.DivIntoColumn, func(x, v T) T { return v / x }),
	}
}

// TestBesideColumnStreams compares results of non-temporal and of ordinary stores.
func TestBesideColumnStreams(t *testing.T) {
	const rows, n = 20, 192
	numbers, a := make([]float32, rows), make([]float32, rows*n)
	for i := range a {
		a[i], numbers[i/n] = float32(i), float32(i/n)/3
	}
	check := func() {
		ordinary, streamed := make([]float32, rows*n), make([]float32, rows*n)
		if done := BesideColumn(vec.SubColumn, n, numbers, ordinary, a, false); done != BesideColumn(vec.SubColumn, n, numbers, streamed, a, true) {
			t.Fatalf("there is a loop with non-temporal stores: %v; with ordinary ones: %v", !done, done)
		}
		if !slices.Equal(ordinary, streamed) {
			t.Error("a result depends on how it was written")
		}
	}
	eachLevel(t, func(*testing.T) { bothWays(check) })
}
