package vec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

func testAddRows[T dtype.Float](t *testing.T) {
	const run = 3
	rng := rand.New(rand.NewPCG(11, 12))
	for cols := 1; cols <= 300; cols += 1 + cols/70 {
		for _, rows := range []int{0, 1, 3, 5, 7} {
			stride := cols + rng.IntN(3)
			x := random[T](rng, max(rows-1, 0)*stride+cols)
			space := random[float64](rng, cols+64)
			want := slices.Clone(space[:cols])
			for j := range want {
				for first := 0; first < rows; first += run {
					var sum T
					for i := first; i < min(first+run, rows); i++ {
						if isDouble[T]() {
							want[j] += float64(x[i*stride+j])
							continue
						}
						sum += x[i*stride+j]
					}
					want[j] += float64(sum)
				}
			}
			if !AddRows(space[:cols], guarded.Copy(t, x, cols%2 == 0), rows, stride, run) {
				t.Fatal("there is no assembly")
			}
			if got := space[:cols]; !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d columns: got %v, want %v", rows, cols, got, want)
			}
		}
	}
}

func TestAddRows(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testAddRows[float32])
		t.Run("float64", testAddRows[float64])
	})
}

func TestAddHalfRows(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float16", func(t *testing.T) { testAddHalfRows(t, dtype.ToF16, dtype.F16.Float32) })
		t.Run("bfloat16", func(t *testing.T) { testAddHalfRows(t, dtype.ToBF16, dtype.BF16.Float32) })
	})
}

// testAddHalfRows compares with AddRows of the same elements in float32.
func testAddHalfRows[H dtype.F16 | dtype.BF16](t *testing.T, to func(float32) H, from func(H) float32) {
	const run = 3
	rng := rand.New(rand.NewPCG(13, 14))
	for cols := 8; cols <= 200; cols += 8 {
		for _, rows := range []int{1, 3, 5, 7} {
			stride := cols + rng.IntN(3)
			wide := random[float32](rng, (rows-1)*stride+cols)
			x := make([]H, len(wide))
			for i, v := range wide {
				x[i] = to(v)
				wide[i] = from(x[i])
			}
			got := random[float64](rng, cols+64)[:cols]
			want := append(make([]float64, 0, cols+64), got...)
			if !AddHalfRows(got, guarded.Copy(t, x, cols%16 == 0), rows, stride, run) {
				if current == AVX2 || current == AVX512 && cols%16 == 0 {
					t.Fatal("there is no assembly")
				}
				continue
			}
			AddRows(want, wide, rows, stride, run)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d columns: got %v, want %v", rows, cols, got, want)
			}
		}
	}
}
