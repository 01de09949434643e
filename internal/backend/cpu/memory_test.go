package cpu

import (
	"slices"
	"testing"
	"unsafe"
)

func TestFillReachesEveryElement(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 100, 1023, 1024, 3*1024 + 5} {
		s := make([]int32, n+1)
		fill(s[:n], 7)
		if i := slices.IndexFunc(s[:n], func(v int32) bool { return v != 7 }); i >= 0 || s[n] != 0 {
			t.Errorf("%d elements: the first that is not filled is %d, behind them stands %d", n, i, s[n])
		}
	}
}

// TestCopyMatrix copies between all strides, without touching what is between and behind.
func TestCopyMatrix(t *testing.T) {
	for _, steps := range [][2]int{{1, 1}, {1, 0}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}} {
		for _, cols := range []int{1, 2, 7, 8, 9, 16, 17, 28} {
			// Rows end where the memory does, and gaps between them stay as they are.
			extent := func(step int) int { return (cols-1)*step + 1 }
			checkCopy(t, strides{extent(steps[0]) + 2, steps[0]}, strides{extent(steps[1]) + 1, steps[1]}, 3, cols)
			checkCopy(t, strides{cols, 1}, strides{0, steps[1]}, 3, cols)
			checkCopy(t, strides{cols + 1, 1}, strides{1, 13}, 11, cols)
			checkCopy(t, strides{1, 13}, strides{cols + 1, 1}, 11, cols)
		}
	}
}

func checkCopy(t *testing.T, to, from strides, rows, cols int) {
	checkCopyOf[uint8](t, to, from, rows, cols)
	checkCopyOf[int16](t, to, from, rows, cols)
	checkCopyOf[int32](t, to, from, rows, cols)
	checkCopyOf[int64](t, to, from, rows, cols)
}

func checkCopyOf[T interface {
	uint8 | int16 | int32 | int64
}](t *testing.T, to, from strides, rows, cols int) {
	span := func(s strides) int { return (rows-1)*s.row + (cols-1)*s.step + 1 }
	src, got := make([]T, span(from)), make([]T, span(to))
	for i := range src {
		src[i] = T(i%100 + 1)
	}
	want := slices.Clone(got)
	for r := range rows {
		for i := range cols {
			want[r*to.row+i*to.step] = src[r*from.row+i*from.step]
		}
	}
	copyMatrix(int(unsafe.Sizeof(src[0])), unsafe.Pointer(&got[0]), to, unsafe.Pointer(&src[0]), from, rows, cols)
	if !slices.Equal(got, want) {
		t.Errorf("%T, %d x %d, strides %v from %v: got %v, want %v", src[0], rows, cols, to, from, got, want)
	}
}

func BenchmarkFill(b *testing.B) {
	s := make([]float32, 4096)
	b.SetBytes(int64(4 * len(s)))
	for b.Loop() {
		fill(s, 1)
	}
}
