package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// testWindows runs every fold at every stride, over all numbers of columns up to some vectors, between guarded pages.
func testWindows[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, number := range microKernels(t, "window", elemName[T]()) {
		f, stride := windowFold(number>>8), number&0xff
		t.Run(fmt.Sprintf("fold %d, stride %d", f, stride), func(t *testing.T) {
			if stride > WindowStride() {
				t.Fatalf("no window is so far from the next: %d is the most", WindowStride())
			}
			for cols := 1; cols <= 3*Lanes[T]()+1; cols++ {
				w := Windows[T]{Rows: 1 + cols%3, Cols: cols, First: rng.IntN(5), RowX: 200, Stride: stride, RowY: cols + cols%2}
				for tap := int64(0); len(w.Taps) < 1+cols%9; tap += 1 + rng.Int64N(30) {
					w.Taps = append(w.Taps, tap)
				}
				w.check(t, rng, f, cols%2 == 0)
			}
		})
	}
}

func (w *Windows[T]) check(t *testing.T, rng *rand.Rand, f windowFold, atEnd bool) {
	t.Helper()
	last := w.First + (w.Rows-1)*w.RowX + (w.Cols-1)*w.Stride + int(w.Taps[len(w.Taps)-1])
	x := random[T](rng, last+1)
	for i := range x {
		if rng.IntN(3) == 0 {
			x[i] = T(rng.IntN(3) - 1) // ties
		}
	}
	w.X, w.Taps = guarded.Copy(t, special(rng, x), atEnd), guarded.Copy(t, w.Taps, atEnd)
	n := (w.Rows-1)*w.RowY + w.Cols
	w.Y = guarded.Slice[T](t, n, atEnd)
	index, count := guarded.Slice[int64](t, n, atEnd), T(len(w.Taps)+1)
	switch f {
	case largest:
		w.Largest()
	case largestAt:
		w.LargestAt(index)
	case mean:
		w.Mean(count)
	}
	for at, got := range w.Y {
		i, j := at/w.RowY, at%w.RowY
		var want T
		var wantAt int64
		if j < w.Cols {
			want, wantAt = w.reference(f, w.First+i*w.RowX+j*w.Stride, count)
		}
		if !same(got, want) || index[at] != wantAt {
			t.Fatalf("%d × %d windows of %v: element %d, %d is %v from %d, want %v from %d", w.Rows, w.Cols, w.Taps, i, j, got, index[at], want, wantAt)
		}
	}
}

// reference is the fold of the window that starts at an element of X, and where it found it.
func (w *Windows[T]) reference(f windowFold, start int, count T) (y T, at int64) {
	if f == mean {
		for _, tap := range w.Taps {
			y += w.X[start+int(tap)]
		}
		return y / count, 0
	}
	y = w.X[start]
	at = int64(start)
	for _, tap := range w.Taps {
		if v := w.X[start+int(tap)]; v > y || v != v {
			y, at = v, int64(start)+tap
		}
	}
	if f == largest {
		return y, 0
	}
	return y, at
}

func TestWindows(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		if WindowStride() == 0 {
			t.Skip("this level has no windows")
		}
		t.Run("float32", testWindows[float32])
		t.Run("float64", testWindows[float64])
	})
}
