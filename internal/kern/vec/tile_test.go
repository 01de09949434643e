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

// reference is Run in plain Go, each element rounded as the assembly rounds it, with row l of B where rowB says.
func reference[T dtype.Float](t *Tile[T], rowB func(l int) int, bias []T) {
	for n := range max(t.Count, 1) {
		one := *t
		one.A, one.B, one.C = t.A[n*t.Step.A:], t.B[n*t.Step.B:], t.C[n*t.Step.C:]
		if t.From != nil {
			one.From = t.From[n*t.Step.From:]
		}
		referenceOne(&one, rowB, bias)
	}
}

func referenceOne[T dtype.Float](t *Tile[T], rowB func(l int) int, bias []T) {
	for i := range t.Rows {
		for j := range t.Cols {
			var sum T
			for l := range t.K {
				sum = fused(t.A[i*t.RowA+l*t.ColA], t.B[rowB(l)+j], sum)
			}
			if bias != nil {
				sum += bias[i]
			}
			if t.From != nil {
				sum += t.From[i*t.RowFrom+j]
			}
			t.C[i*t.RowC+j] = sum
		}
	}
}

func fused[T dtype.Float](x, y, z T) T {
	if isDouble[T]() {
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

// special makes a few elements what sums keep: infinities, NaN, zeros of both signs, numbers below the normal ones.
func special[T dtype.Float](rng *rand.Rand, x []T) []T {
	tiny := 0x1p-149
	if isDouble[T]() {
		tiny = 0x1p-1074
	}
	all := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), tiny, -3 * tiny}
	for range len(x)/40 + rng.IntN(2) {
		if len(x) > 0 {
			x[rng.IntN(len(x))] = T(all[rng.IntN(len(all))])
		}
	}
	return x
}

// same reports whether two numbers have the same bits, all NaN among themselves.
func same[T dtype.Float](x, y T) bool {
	return x != x && y != y || math.Float64bits(float64(x)) == math.Float64bits(float64(y))
}

// several makes a tile up to three, below each other or beside each other.
func (tile *Tile[T]) several(rng *rand.Rand) {
	tile.Count = rng.IntN(4)
	tile.Step = Steps{A: rng.IntN(3), B: rng.IntN(3), C: tile.Rows * tile.RowC, From: rng.IntN(2) * tile.Cols, Next: rng.IntN(100)}
	if rng.IntN(2) == 0 {
		tile.Step.C, tile.RowC = tile.Cols+rng.IntN(2), tile.RowC+tile.last(tile.Cols+1)
	}
}

// draw gives tiles with these sizes and distances operands between guarded pages; every third adds nothing, every third a
// row, every third what C holds.
func (tile *Tile[T]) draw(t *testing.T, rng *rand.Rand, sizeB, kind int) {
	atEnd := kind%2 == 0
	tile.A = guarded.Copy(t, special(rng, random[T](rng, tile.last(tile.Step.A)+(tile.Rows-1)*tile.RowA+(tile.K-1)*tile.ColA+1)), atEnd)
	tile.B = guarded.Copy(t, special(rng, random[T](rng, tile.last(tile.Step.B)+sizeB)), atEnd)
	tile.C = guarded.Copy(t, random[T](rng, tile.last(tile.Step.C)+(tile.Rows-1)*tile.RowC+tile.Cols), atEnd)
	tile.Next = tile.B
	switch kind % 3 {
	case 1:
		tile.From, tile.RowFrom = guarded.Copy(t, random[T](rng, tile.last(tile.Step.From)+tile.Cols), atEnd), 0
	case 2:
		tile.From, tile.RowFrom, tile.Step.From = tile.C, tile.RowC, tile.Step.C
	}
}

// check compares what run computes with the reference, C's elements between the rows too.
func (tile *Tile[T]) check(t *testing.T, rowB func(l int) int, bias []T, run func()) {
	t.Helper()
	want := *tile
	want.C = slices.Clone(tile.C)
	if tile.From != nil && tile.RowFrom > 0 {
		want.From = want.C
	}
	reference(&want, rowB, bias)
	run()
	for i, got := range tile.C {
		if !same(got, want.C[i]) {
			t.Fatalf("%d tiles of %d rows, %d columns, %d steps: element %d is %v, want %v", tile.Count, tile.Rows, tile.Cols, tile.K, i, got, want.C[i])
		}
	}
}

// testTiles runs every micro-kernel with all numbers of columns for which it is chosen.
func testTiles[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, number := range microKernels(t, "tile", elemName[T]()) {
		rows, vectors := number&0xff, number>>8
		t.Run(fmt.Sprintf("%dx%d", rows, vectors), func(t *testing.T) {
			chosen := false
			for cols := 1; cols <= TileCols[T](rows); cols++ {
				k := 1 + rng.IntN(100)
				tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k, ColA: 1, RowB: cols + rng.IntN(3), RowC: cols + rng.IntN(3)}
				if tile.vectors() != vectors {
					continue
				}
				chosen = true
				if cols%2 == 0 {
					tile.RowA, tile.ColA = 1, rows+cols%3
				}
				tile.several(rng)
				tile.draw(t, rng, (k-1)*tile.RowB+cols, cols)
				tile.check(t, func(l int) int { return l * tile.RowB }, nil, tile.Run)
			}
			if !chosen {
				t.Error("no tile takes it")
			}
		})
	}
}

func TestTiles(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testTiles[float32])
		t.Run("float64", testTiles[float64])
	})
}

// testPanels runs every micro-kernel on whole tiles of a packed B, with A packed and with A's rows apart.
func testPanels[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, number := range microKernels(t, "tile", elemName[T]()) {
		rows, cols := number&0xff, number>>8*Lanes[T]()
		for _, k := range []int{1, 3, 4, 49, 51, 52, 75} {
			for _, packed := range []bool{true, false} {
				tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k + k%3, ColA: 1, RowB: cols, RowC: cols + k%3}
				if packed {
					tile.RowA, tile.ColA = 1, rows
				}
				tile.several(rng)
				tile.draw(t, rng, k*cols, k)
				tile.check(t, func(l int) int { return l * tile.RowB }, nil, tile.Run)
			}
		}
	}
}

func TestTilesOfPanels(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testPanels[float32])
		t.Run("float64", testPanels[float64])
	})
}

// testTaps runs every micro-kernel whose rows of B a table names with all numbers of columns for which it is chosen.
func testTaps[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, number := range microKernels(t, "tap", elemName[T]()) {
		rows, vectors := number&0xff, number>>8
		for cols := 1; cols <= TileCols[T](rows); cols++ {
			k := 1 + rng.IntN(100)
			tile := Tile[T]{Rows: rows, Cols: cols, K: k, RowA: k + k%3, ColA: 1, RowC: cols + k%4}
			if tile.vectors() != vectors {
				continue
			}
			taps := make([]int32, k)
			for l := range taps {
				taps[l] = int32(rng.IntN(60))
			}
			last := int(slices.Max(taps))
			for range TapsAhead {
				taps = append(taps, int32(rng.Uint32()))
			}
			tile.several(rng)
			tile.draw(t, rng, last+cols, k+rows)
			taps = guarded.Copy(t, taps, k%2 == 0)
			var bias []T
			if k%5 > 1 {
				bias = guarded.Copy(t, random[T](rng, rows), k%2 == 0)
			}
			tile.check(t, func(l int) int { return int(taps[l]) }, bias, func() { tile.RunTaps(taps, last, bias) })
		}
	}
}

func TestTaps(t *testing.T) {
	eachTileLevel(t, func(t *testing.T) {
		t.Run("float32", testTaps[float32])
		t.Run("float64", testTaps[float64])
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
