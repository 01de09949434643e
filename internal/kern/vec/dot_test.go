package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// testDots compares with a product in float64: sums in lanes round otherwise than those in order.
func testDots[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, number := range microKernels(t, "dot", elemName[T]()) {
		rows, most := number&0xff, number>>8
		t.Run(fmt.Sprintf("%dx%d", rows, most), func(t *testing.T) {
			chosen := false
			for cols := 1; cols <= DotCols(rows); cols++ {
				if tile := (Tile[T]{Cols: cols}); tile.dotCols() != most {
					continue
				}
				chosen = true
				for k := 1; k <= 150; k++ {
					tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k + k%3, ColA: 1, RowB: k + k%2, RowC: cols + k%3}
					tile.several(rng)
					tile.draw(t, rng, (cols-1)*tile.RowB+k, k)
					tile.checkDot(t)
				}
			}
			if !chosen {
				t.Error("no tile takes it")
			}
		})
	}
}

// checkDot holds RunDot to the forward error of its sums.
func (tile *Tile[T]) checkDot(t *testing.T) {
	t.Helper()
	epsilon := map[int]float64{4: 0x1p-23, 8: 0x1p-52}[sizeOf[T]()]
	from, written := slices.Clone(tile.From), make([]bool, len(tile.C))
	before := slices.Clone(tile.C)
	tile.RunDot()
	for n := range max(tile.Count, 1) {
		for i := range tile.Rows {
			for j := range tile.Cols {
				want := 0.
				if from != nil {
					want = float64(from[n*tile.Step.From+i*tile.RowFrom+j])
				}
				size := math.Abs(want)
				for l := range tile.K {
					p := float64(tile.A[n*tile.Step.A+i*tile.RowA+l]) * float64(tile.B[n*tile.Step.B+j*tile.RowB+l])
					want, size = want+p, size+math.Abs(p)
				}
				at := n*tile.Step.C + i*tile.RowC + j
				got := float64(tile.C[at])
				if !same(got, want) && !(math.Abs(got-want) <= size*epsilon*8) {
					t.Fatalf("tile %d of %d rows, %d columns, %d steps: element %d, %d is %v, want %v", n, tile.Rows, tile.Cols, tile.K, i, j, got, want)
				}
				written[at] = true
			}
		}
	}
	for i, w := range written {
		if !w && !same(tile.C[i], before[i]) {
			t.Fatalf("%d tiles of %d rows, %d columns: wrote element %d between them", tile.Count, tile.Rows, tile.Cols, i)
		}
	}
}

func TestDots(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testDots[float32])
		t.Run("float64", testDots[float64])
	})
}

// TestPairDots compares with a product in float64, up to the last element of operands that end where memory does.
func TestPairDots(t *testing.T) {
	if !HasPairs() {
		t.Skip("this machine, at this level, does not multiply bfloat16")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(n int) []dtype.BF16 {
		x := make([]dtype.BF16, n)
		for i := range x {
			x[i] = dtype.ToBF16(float32(rng.NormFloat64()))
		}
		return guarded.Copy(t, x, false)
	}
	for rows := 2; rows <= PairDotRows; rows++ {
		for cols := 1; cols <= PairDotCols; cols++ {
			for k := 2; k <= 200; k += 2 {
				d := PairDots{Rows: rows, Cols: cols, K: k, RowA: k + k%3, RowB: k + k%5, RowC: cols + k%2, Count: 1 + k%3}
				d.Step = Steps{A: rows * d.RowA, C: rows * d.RowC}
				d.A, d.B = draw((d.Count*rows-1)*d.RowA+k), draw((cols-1)*d.RowB+k)
				d.C = guarded.Copy(t, make([]float32, (d.Count*rows-1)*d.RowC+cols), false)
				d.Run()
				for at, got := range d.C {
					i, j := at/d.RowC, at%d.RowC
					var want, size float64
					for l := 0; l < k && j < cols; l++ {
						p := float64(d.A[i*d.RowA+l].Float32()) * float64(d.B[j*d.RowB+l].Float32())
						want, size = want+p, size+math.Abs(p)
					}
					if !(math.Abs(float64(got)-want) <= size*0x1p-20) {
						t.Fatalf("%d rows, %d columns, %d steps: element %d, %d is %v, want %v", rows, cols, k, i, j, got, want)
					}
				}
			}
		}
	}
}
