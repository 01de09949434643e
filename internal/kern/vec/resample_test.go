package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// weighted is Σ w·x of the taps in order, each product and each sum rounded.
func weighted[T dtype.Float](count int, w func(t int) T, x func(t int) T) (sum T) {
	for t := range count {
		if t == 0 {
			sum = w(t) * x(t)
			continue
		}
		sum += T(w(t) * x(t))
	}
	return sum
}

func testCombine[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for vectors := 1; vectors < 9; vectors++ {
		for width := 1; width < 5; width++ {
			n, rows := vectors*Lanes[T](), 1+width+vectors%3
			taps := RowTaps[T]{Width: width, Weights: random[T](rng, rows*width)}
			at := make([]int, rows*width)
			for i := range at {
				at[i] = rng.IntN(90)
				taps.Last = max(taps.Last, at[i])
				taps.Offsets = append(taps.Offsets, OffsetBytes[T](at[i]))
			}
			for range rows {
				taps.Counts = append(taps.Counts, int64(rng.IntN(width+1)))
			}
			x, pitch, atEnd := random[T](rng, taps.Last+n), n+vectors%2, width%2 == 0
			first := min(rows-1, vectors%2)
			rows -= first
			want := make([]T, (rows-1)*pitch+n)
			for i := range rows {
				for j := range n {
					from := (first + i) * width
					want[i*pitch+j] = weighted(int(taps.Counts[first+i]), func(t int) T { return taps.Weights[from+t] }, func(t int) T { return x[at[from+t]+j] })
				}
			}
			taps.Counts, taps.Offsets, taps.Weights = guarded.Copy(t, taps.Counts, atEnd), guarded.Copy(t, taps.Offsets, atEnd), guarded.Copy(t, taps.Weights, atEnd)
			got := guarded.Slice[T](t, len(want), atEnd)
			Combine(got, pitch, guarded.Copy(t, x, atEnd), &taps, first, rows, vectors, make([]T, 90*rows), rng.IntN(90))
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d vectors, up to %d taps: got %v, want %v", rows, vectors, width, got, want)
			}
		}
	}
}

func TestCombine(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testCombine[float32])
		t.Run("float64", testCombine[float64])
	})
}

func testColumns[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	lanes := Lanes[T]()
	for to := 1; to < 4*lanes; to++ {
		for width := 1; width < 5; width++ {
			// Results read about every step'th element; a last tap is missing now and then.
			step, places := rng.Float64()*2.5, make([]int64, to*width)
			n := 0
			for i := range places {
				places[i] = int64(step*float64(i/width)) + rng.Int64N(3)
				n = max(n, int(places[i])+1)
			}
			if i := rng.IntN(4 * to); i < to && width > 1 {
				places[(i+1)*width-1] = -1
			}
			weights := random[T](rng, len(places))
			c := NewColumns(places, weights, width, to)
			done := make([]bool, to)
			for i := range done {
				done[i] = true
			}
			for _, r := range c.Rest() {
				for i := r[0]; i < r[1]; i++ {
					done[i] = false
				}
			}
			if step < 0.5 && width*to < 3*lanes && to >= lanes && slices.Min(places) >= 0 && slices.Contains(done, false) {
				t.Fatalf("%d of places %v: %v is left out", to, places, c.Rest())
			}
			rows, pitch, wide := 1+rng.IntN(9), max(n, c.Reach()), to+width%2
			x, atEnd := random[T](rng, rows*pitch), to%2 == 0
			got := guarded.Slice[T](t, (rows-1)*wide+to, atEnd)
			c.Run(got, wide, guarded.Copy(t, x, atEnd), pitch, rows)
			for i := range got {
				r, j := i/wide, i%wide
				var want T
				if j < to && done[j] {
					row := places[j*width:][:width]
					want = weighted(tapCount(row), func(t int) T { return weights[j*width+t] }, func(t int) T { return x[r*pitch+int(row[t])] })
				}
				// Where blocks overlap, one may have what another leaves out.
				if got[i] != want && (j >= to || done[j]) {
					t.Fatalf("%d rows of %d results of places %v: element %d of row %d is %v, want %v", rows, to, places, j, r, got[i], want)
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testColumns[float32])
		t.Run("float64", testColumns[float64])
	})
}
