package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// tapsOf returns so many taps and the largest.
func tapsOf(rng *rand.Rand, count int) (taps []int32, last int) {
	for range count {
		taps = append(taps, int32(rng.IntN(70)))
	}
	return taps, int(slices.Max(taps))
}

func testSlides[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for blocks := range 4 {
		for count := 1; count < 12; count++ {
			taps, last := tapsOf(rng, count)
			n := blocks * SlideBlock[T]()
			x, w, bias := random[T](rng, last+n), random[T](rng, count), T(rng.NormFloat64())
			want := make([]T, n)
			for i := range want {
				want[i] = bias
				for l, tap := range taps {
					want[i] = fma(w[l], x[int(tap)+i], want[i])
				}
			}
			atEnd := count%2 == 0
			y := guarded.Slice[T](t, n, atEnd)
			Slide(y, guarded.Copy(t, x, atEnd), guarded.Copy(t, w, atEnd), guarded.Copy(t, taps, atEnd), last, bias)
			if !slices.Equal(y, want) {
				t.Fatalf("%d taps of %d elements: got %v, want %v", count, n, y, want)
			}
		}
	}
}

// fma rounds once, as vectors do.
func fma[T dtype.Float](x, y, z T) T {
	if isDouble[T]() {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	exact := math.FMA(float64(x), float64(y), 0) // of float32 the product is exact
	sum := exact + float64(z)
	if err := (exact - (sum - float64(z))) + (float64(z) - (sum - (sum - float64(z)))); err != 0 {
		// Round to odd, so that the second rounding sees what the first lost.
		if bits := math.Float64bits(sum); bits&1 == 0 {
			if (err > 0) == (sum > 0) {
				bits++
			} else {
				bits--
			}
			sum = math.Float64frombits(bits)
		}
	}
	return T(sum)
}

func TestSlides(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testSlides[float32])
		t.Run("float64", testSlides[float64])
	})
}

func testCorrelations[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for blocks := range 4 {
		for count := tapsTogether; count < 12; count += tapsTogether {
			taps, last := tapsOf(rng, count)
			n := blocks * SlideBlock[T]()
			x, y := random[T](rng, last+n), random[T](rng, n)
			sums := random[T](rng, count*CorrelateSums[T]())
			want := slices.Clone(sums)
			for i, v := range y {
				for l, tap := range taps {
					at := l*CorrelateSums[T]() + i%CorrelateSums[T]()
					want[at] = fma(v, x[int(tap)+i], want[at])
				}
			}
			atEnd := count%2 == 0
			got := guarded.Copy(t, sums, atEnd)
			Correlate(got, guarded.Copy(t, y, atEnd), guarded.Copy(t, x, atEnd), guarded.Copy(t, taps, atEnd), last)
			if !slices.Equal(got, want) {
				t.Fatalf("%d taps of %d elements: got %v, want %v", count, n, got, want)
			}
		}
	}
}

func TestCorrelations(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testCorrelations[float32])
		t.Run("float64", testCorrelations[float64])
	})
}

func testInterleave[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	for blocks := range 4 {
		n := blocks * SlideBlock[T]()
		a, b := random[T](rng, n), random[T](rng, n)
		var want []T
		for i := range a {
			want = append(want, a[i], b[i])
		}
		atEnd := blocks%2 == 0
		got := guarded.Slice[T](t, 2*n, atEnd)
		Interleave(got, guarded.Copy(t, a, atEnd), guarded.Copy(t, b, atEnd))
		if !slices.Equal(got, want) {
			t.Fatalf("%d elements: got %v, want %v", n, got, want)
		}
	}
}

func TestInterleave(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testInterleave[float32])
		t.Run("float64", testInterleave[float64])
	})
}
