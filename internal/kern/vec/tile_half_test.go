package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

func TestHalfTiles(t *testing.T) {
	if !HasHalves() {
		t.Skip("this machine does not widen half types as it reads them")
	}
	t.Run("float16", func(t *testing.T) { testHalfTiles(t, dtype.ToF16, dtype.F16.Float32) })
	t.Run("bfloat16", func(t *testing.T) { testHalfTiles(t, dtype.ToBF16, dtype.BF16.Float32) })
}

func testHalfTiles[H dtype.F16 | dtype.BF16](t *testing.T, to func(float32) H, from func(H) float32) {
	rng := rand.New(rand.NewPCG(7, 8))
	for k := 1; k <= 150; k++ {
		for _, s := range []struct {
			most, least, step int
			dots              bool
		}{{HalfStreamCols(), HalfStreamUnit, HalfStreamUnit, false}, {HalfDotCols, 1, 1, true}} {
			for cols := s.least; cols <= s.most; cols += s.step {
				count := 1
				if cols == s.most {
					count = 1 + k%3
				}
				tile := HalfTile[H]{Cols: cols, K: k, Add: k%2 == 0, Count: count, Step: Steps{B: s.most, C: s.most}}
				row := count*s.most + k%3
				if s.dots {
					row, tile.Step.B = k+k%3, s.most*(k+k%3)
				}
				tile.RowB = row
				elems := (count-1)*tile.Step.B + (k-1)*row + cols
				if s.dots {
					elems = (count-1)*tile.Step.B + (cols-1)*row + k
				}
				const behind = 16 // elements that no tile may write
				tile.A, tile.B, tile.C = make([]float32, k), make([]H, elems), make([]float32, (count-1)*s.most+cols+behind)
				for i := range tile.A {
					tile.A[i] = rng.Float32() - 0.5
				}
				for i := range tile.B {
					tile.B[i] = to(rng.Float32() - 0.5)
				}
				for i := range tile.C {
					tile.C[i] = 1
				}
				tile.Next = tile.B
				whole := tile.C
				tile.C = whole[:len(whole)-behind]
				if s.dots {
					tile.RunDots()
				} else {
					tile.RunStreams()
				}
				for at, got := range whole[len(tile.C):] {
					if got != 1 {
						t.Fatalf("dots %v, %d steps, %d columns: wrote %v, %d behind C", s.dots, k, cols, got, at)
					}
				}
				for at, got := range tile.C {
					want, size := 0., 1.
					if tile.Add {
						want = 1
					}
					for l, a := range tile.A {
						b := at/s.most*tile.Step.B + l*row + at%s.most
						if s.dots {
							b = at/s.most*tile.Step.B + at%s.most*row + l
						}
						p := float64(a) * float64(from(tile.B[b]))
						want, size = want+p, size+math.Abs(p)
					}
					if !(math.Abs(float64(got)-want) <= size*0x1p-20) {
						t.Fatalf("dots %v, %d steps, %d columns: C[%d] is %v, want %v", s.dots, k, cols, at, got, want)
					}
				}
			}
		}
	}
}
