package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// testPixels runs both micro-kernels with taps of one channel and of several.
func testPixels[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 24 {
		count, channels, rows := 1+rng.IntN(40), 1+n%2*(PixelChannels-1), TileRows()
		cols := Lanes[T]() * (1 + n/2%2)
		taps := make([]int32, count)
		for l := range taps {
			taps[l] = int32(rng.IntN(60))
		}
		last := int(slices.Max(taps))
		k := count * channels
		tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: 1, ColA: 1 + rng.IntN(50), RowB: cols, RowC: cols + rng.IntN(3)}
		tile.Count, tile.Step = rng.IntN(4), Steps{A: rng.IntN(9), C: rows * tile.RowC}
		tile.draw(t, rng, k*cols, n/4)
		tile.A = guarded.Copy(t, special(rng, random[T](rng, tile.last(tile.Step.A)+last+(channels-1)*tile.ColA+rows)), n%3 == 0)
		taps = guarded.Copy(t, taps, n%3 > 0)
		// The reference has a matrix of what taps find.
		want := tile
		want.ColA, want.RowA, want.A = rows, 1, nil
		for i := range max(tile.Count, 1) {
			for _, at := range taps {
				for c := range channels {
					want.A = append(want.A, tile.A[i*tile.Step.A+int(at)+c*tile.ColA:][:rows]...)
				}
			}
		}
		want.Step.A = k * rows
		want.check(t, func(l int) int { return l * cols }, nil, func() { tile.RunPixels(taps, last, channels) })
	}
}

func TestPixels(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		if PixelSteps() == 0 {
			t.Skip("this level has no such tiles")
		}
		t.Run("float32", testPixels[float32])
		t.Run("float64", testPixels[float64])
	})
}

// testPlanes compares what tiles store to planes with the sums that they store to C: in a phase those of its own columns of B and elements of A.
func testPlanes[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 36 {
		count, channels, rows, lanes := 1+rng.IntN(40), 1+n%2*(PixelChannels-1), TileRows(), Lanes[T]()
		phases, shift, cols := 1+n/2%2, n/4%2, 2*lanes
		if phases == 1 {
			shift, cols = 0, lanes*(1+n/4%2)
		}
		taps := make([]int32, count)
		for l := range taps {
			taps[l] = int32(rng.IntN(60))
		}
		last := int(slices.Max(taps))
		tile := Tile[T]{Rows: rows, Cols: cols, K: count * channels, ColA: 1 + rng.IntN(50), RowC: cols, Count: 1 + rng.IntN(3)}
		tile.Step = Steps{A: rng.IntN(9), C: rows * cols, Next: phases * rows * sizeOf[T]()}
		all, atEnd := tile.Count*rows, n%3 == 0
		tile.A = guarded.Copy(t, special(rng, random[T](rng, tile.last(tile.Step.A)+last+(channels-1)*tile.ColA+rows+shift)), atEnd)
		tile.B, tile.From = guarded.Copy(t, random[T](rng, tile.K*cols), atEnd), guarded.Copy(t, random[T](rng, cols), atEnd)
		var sums [2][]T // of each phase
		for p := range phases {
			one := tile
			one.A, one.C = tile.A[p*shift:], make([]T, all*cols)
			one.RunPixels(taps, last, channels)
			sums[p] = one.C
		}
		tile.RowB = phases*all + rng.IntN(3)
		before := random[T](rng, (cols/phases-1)*tile.RowB+phases*all)
		tile.Next = guarded.Copy(t, before, atEnd)
		if phases == 1 {
			tile.RunPixels(taps, last, channels)
		} else {
			tile.RunPhases(taps, last, channels, shift)
		}
		for i, got := range tile.Next {
			plane, at, want := i/tile.RowB, i%tile.RowB, before[i]
			if at < phases*all {
				want = sums[at%phases][at/phases*cols+at%phases*lanes+plane]
			}
			if !same(got, want) {
				t.Fatalf("%d phases, %d columns apart: element %d of plane %d is %v, want %v", phases, shift, at, plane, got, want)
			}
		}
	}
}

func TestPixelsToPlanes(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		if !StoresPlanes() {
			t.Skip("this level has no such tiles")
		}
		t.Run("float32", testPlanes[float32])
		t.Run("float64", testPlanes[float64])
	})
}
