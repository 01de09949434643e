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
