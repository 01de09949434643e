package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
)

// eachTileLevel runs f with every level that has tiles.
func eachTileLevel(t *testing.T, f func(t *testing.T)) {
	defer Use(Current())
	for _, l := range Available() {
		Use(l)
		if TileRows() == 0 {
			continue
		}
		t.Run(l.String(), f)
	}
}

// reference is Run in plain Go, each element rounded as the assembly rounds it.
func reference[T dtype.Float](t *Tile[T]) {
	for i := range t.Rows {
		for j := range t.Cols {
			var sum T
			for l := range t.K {
				sum = fused(t.A[i*t.RowA+l*t.ColA], t.B[l*t.RowB+j], sum)
			}
			if t.From != nil {
				sum += t.From[i*t.RowFrom+j]
			}
			t.C[i*t.RowC+j] = sum
		}
	}
}

func fused[T dtype.Float](x, y, z T) T {
	if sizeOf[T]() == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	// The product is exact in float64; rounding the sum to odd first makes the second rounding the only one.
	p := float64(x) * float64(y)
	s := p + float64(z)
	b := s - p
	err := (p - (s - b)) + (float64(z) - b)
	if bits := math.Float64bits(s); err != 0 && bits&1 == 0 && !math.IsInf(s, 0) {
		if (err > 0) == (s > 0) {
			s = math.Float64frombits(bits + 1)
		} else {
			s = math.Float64frombits(bits - 1)
		}
	}
	return T(s)
}

func random[T dtype.Float](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

func testTiles[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for rows := 1; rows <= TileRows(); rows++ {
		for cols := 1; cols <= TileCols[T](rows); cols++ {
			k := 1 + rng.IntN(40)
			tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k, ColA: 1, RowB: cols + rng.IntN(3), RowC: cols + rng.IntN(3)}
			if cols%2 == 0 {
				tile.RowA, tile.ColA = 1, rows+cols%3
			}
			tile.A = random[T](rng, (rows-1)*tile.RowA+(k-1)*tile.ColA+1)
			tile.B = random[T](rng, (k-1)*tile.RowB+cols)
			tile.C = random[T](rng, (rows-1)*tile.RowC+cols+1)
			tile.Next = tile.B
			switch cols % 3 {
			case 1:
				tile.From, tile.RowFrom = random[T](rng, cols), 0
			case 2:
				tile.From, tile.RowFrom = tile.C, tile.RowC
			}
			want := tile
			want.C = append([]T(nil), tile.C...)
			if cols%3 == 2 {
				want.From = want.C
			}
			reference(&want)
			tile.Run()
			for i, got := range tile.C {
				if math.Float64bits(float64(got)) != math.Float64bits(float64(want.C[i])) {
					t.Fatalf("%d rows, %d columns, %d steps: element %d is %v, want %v", rows, cols, k, i, got, want.C[i])
				}
			}
		}
	}
}

func TestTiles(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testTiles[float32])
		t.Run("float64", testTiles[float64])
	})
}

// testDots compares with a product in float64: sums in lanes round otherwise than those in order.
func testDots[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	epsilon := map[int]float64{4: 0x1p-23, 8: 0x1p-52}[sizeOf[T]()]
	for rows := 1; rows <= DotRows(); rows++ {
		for cols := 1; cols <= DotCols(rows); cols++ {
			for k := 1; k <= 70; k++ {
				tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k + k%3, RowB: k + k%2, RowC: cols + k%3}
				tile.A, tile.B = random[T](rng, (rows-1)*tile.RowA+k), random[T](rng, (cols-1)*tile.RowB+k)
				tile.C = random[T](rng, (rows-1)*tile.RowC+cols+1)
				switch k % 3 {
				case 1:
					tile.From = random[T](rng, cols)
				case 2:
					tile.From, tile.RowFrom = tile.C, tile.RowC
				}
				before := append([]T(nil), tile.C...)
				from := append([]T(nil), tile.From...)
				tile.RunDot()
				for at, got := range tile.C {
					i, j := at/tile.RowC, at%tile.RowC
					want, bound := float64(before[at]), 0.
					if i < rows && j < cols {
						want = 0
						if from != nil {
							want = float64(from[i*tile.RowFrom+j])
						}
						bound = math.Abs(want)
						for l := range k {
							p := float64(tile.A[i*tile.RowA+l]) * float64(tile.B[j*tile.RowB+l])
							want, bound = want+p, bound+math.Abs(p)
						}
						bound *= epsilon * 8
					}
					if !(math.Abs(float64(got)-want) <= bound) {
						t.Fatalf("%d rows, %d columns, %d steps: element %d, %d is %v, want %v", rows, cols, k, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestDots(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testDots[float32])
		t.Run("float64", testDots[float64])
	})
}

func testPacking[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	lanes := Lanes[T]()
	for n := 1; n <= 2*lanes; n++ {
		for _, k := range []int{1, 3, lanes - 1, lanes, lanes + 1, 40} {
			row := n + n%3
			src, dst := random[T](rng, (k-1)*row+n), make([]T, k*2*lanes)
			GatherRows(dst, 2*lanes, src, row, k, n)
			for l := range k {
				for j := range n {
					if dst[l*2*lanes+j] != src[l*row+j] {
						t.Fatalf("%d rows of %d: element %d, %d is %v, want %v", k, n, l, j, dst[l*2*lanes+j], src[l*row+j])
					}
				}
			}
			if n > lanes {
				continue
			}
			row = k + n%3
			src, dst = random[T](rng, (n-1)*row+k), make([]T, (k-1)*n+lanes)
			Transpose(dst, n, src, row, n, k)
			for l := range k {
				for i := range n {
					if dst[l*n+i] != src[i*row+l] {
						t.Fatalf("%d columns of %d: element %d, %d is %v, want %v", k, n, l, i, dst[l*n+i], src[i*row+l])
					}
				}
			}
		}
	}
}

func TestPacking(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testPacking[float32])
		t.Run("float64", testPacking[float64])
	})
}

func BenchmarkTile(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const k = 256
	for _, s := range [][2]int{{1, 128}, {2, 64}, {3, 64}, {4, 32}, {6, 32}, {8, 32}, {12, 32}, {13, 32}, {14, 32}, {14, 16}} {
		rows, cols := min(s[0], TileRows()), min(s[1], TileCols[float32](s[0]))
		b.Run(fmt.Sprintf("%v/%dx%d", current, rows, cols), func(b *testing.B) {
			t := Tile[float32]{Rows: rows, Cols: cols, K: k, A: random[float32](rng, rows*k), RowA: 1, ColA: rows,
				B: random[float32](rng, k*cols), RowB: cols, C: make([]float32, rows*cols), RowC: cols}
			t.Next = t.B
			for b.Loop() {
				t.Run()
			}
			b.ReportMetric(float64(2*rows*cols*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
