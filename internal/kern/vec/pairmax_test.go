package vec

import (
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// testPairMax runs all numbers of columns up to some vectors, between guarded pages.
func testPairMax[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for cols := 1; cols <= 3*Lanes[T]()+1; cols++ {
		for short := range 2 { // the last window may lack its last column
			h := PairMax[T]{Rows: 1 + cols%3, Cols: cols, Lines: 1 + rng.IntN(3), Width: 2*cols - short, Border: cols%4 < 2, RowY: cols + cols%2}
			h.LineX = h.Width + 1 + rng.IntN(3)
			h.RowX = h.Lines*h.LineX + rng.IntN(3)
			if !h.Border {
				h.First = 1
			}
			h.check(t, rng, (cols+short)%2 == 0, cols%5 == 0)
		}
	}
}

func (h *PairMax[T]) check(t *testing.T, rng *rand.Rand, atEnd, nan bool) {
	t.Helper()
	x := random[T](rng, h.First+(h.Rows-1)*h.RowX+(h.Lines-1)*h.LineX+h.Width)
	for i := range x {
		if rng.IntN(3) == 0 {
			x[i] = T(rng.IntN(3) - 1) // ties
		}
	}
	if nan {
		x = special(rng, x)
	}
	h.X = guarded.Copy(t, x, atEnd)
	h.Y = guarded.Slice[T](t, (h.Rows-1)*h.RowY+h.Cols, atEnd)
	want, sawNaN := h.reference()
	if got := h.Largest(); got == sawNaN {
		t.Fatalf("%+v: got %v, NaN: %v", *h, got, sawNaN)
	}
	if sawNaN {
		return
	}
	for at, got := range h.Y {
		if !same(got, want[at]) {
			t.Fatalf("%+v: element %d of row %d is %v, want %v", *h, at%h.RowY, at/h.RowY, got, want[at])
		}
	}
}

// reference is the largest element of each window, and whether one is NaN.
func (h *PairMax[T]) reference() (y []T, nan bool) {
	y = make([]T, len(h.Y))
	for i := range h.Rows {
		for j := range h.Cols {
			first := 2 * j
			if j > 0 || !h.Border {
				first--
			}
			at := h.First + i*h.RowX
			best := h.X[at+first]
			for l := range h.Lines {
				for c := first; c < min(2*j+2, h.Width); c++ {
					v := h.X[at+l*h.LineX+c]
					if v > best {
						best = v
					}
					nan = nan || v != v
				}
			}
			y[i*h.RowY+j] = best
		}
	}
	return y, nan
}

func TestPairMax(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testPairMax[float32])
		t.Run("float64", testPairMax[float64])
	})
}
