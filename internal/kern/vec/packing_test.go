package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// testPacking copies rows and columns between guarded pages.
func testPacking[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	lanes := Lanes[T]()
	for n := 1; n <= 2*lanes; n++ {
		for _, k := range []int{1, 3, lanes - 1, lanes, lanes + 1, 40} {
			atEnd, row, whole := (n+k)%2 == 0, n+n%3, (n+lanes-1)/lanes*lanes
			src := guarded.Copy(t, random[T](rng, (k-1)*row+n), atEnd)
			dst := guarded.Slice[T](t, (k-1)*2*lanes+whole, atEnd)
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
			src = guarded.Copy(t, random[T](rng, (n-1)*row+k), atEnd)
			dst = guarded.Slice[T](t, (k-1)*n+lanes, atEnd)
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

// pairOf is two numbers of 16 bits, as PairTile takes them.
func pairOf(x, y dtype.BF16) uint32 { return uint32(x) | uint32(y)<<16 }

// halves are whole numbers of one digit: products of them and their sums are exact, in whatever order.
func halves(rng *rand.Rand, n int) []dtype.BF16 {
	x := make([]dtype.BF16, n)
	for i := range x {
		x[i] = dtype.ToBF16(float32(rng.IntN(19) - 9))
	}
	return x
}

// needPairs skips a test where there is nothing that multiplies pairs of bfloat16.
func needPairs(t *testing.T) {
	if !HasPairs() {
		t.Skip("this machine, at this level, does not multiply bfloat16")
	}
}

// TestPairPacking makes pairs of rows and of columns.
func TestPairPacking(t *testing.T) {
	needPairs(t)
	rng := rand.New(rand.NewPCG(9, 10))
	for n := 1; n <= 32; n++ {
		for _, pairs := range []int{1, 2, 15, 16, 17, 40} {
			atEnd, row, whole := (n+pairs)%2 == 0, n+n%3, (n+15)/16*16
			src := guarded.Copy(t, halves(rng, (2*pairs-1)*row+n), atEnd)
			dst := guarded.Slice[float32](t, (pairs-1)*32+whole, atEnd)
			PairRows(dst, 32, src, row, pairs, n)
			for l := range pairs {
				for j := range n {
					if got, want := math.Float32bits(dst[l*32+j]), pairOf(src[2*l*row+j], src[(2*l+1)*row+j]); got != want {
						t.Fatalf("%d rows of %d: pair %d, %d is %#x, want %#x", pairs, n, l, j, got, want)
					}
				}
			}
			if n > 16 || pairs < 16 {
				continue
			}
			row = 2*pairs + n%3
			src = guarded.Copy(t, halves(rng, (n-1)*row+2*pairs), atEnd)
			dst = guarded.Slice[float32](t, (pairs-1)*n+16, atEnd)
			PairColumns(dst, n, src, row, n, pairs)
			for l := range pairs {
				for i := range n {
					if got, want := math.Float32bits(dst[l*n+i]), pairOf(src[i*row+2*l], src[i*row+2*l+1]); got != want {
						t.Fatalf("%d columns of %d: pair %d, %d is %#x, want %#x", pairs, n, l, i, got, want)
					}
				}
			}
		}
	}
}

// TestPairTiles runs every micro-kernel of bfloat16 with all numbers of columns.
func TestPairTiles(t *testing.T) {
	needPairs(t)
	rng := rand.New(rand.NewPCG(11, 12))
	for _, rows := range microKernels(t, "tile", "BF16") {
		for cols := 1; cols <= 32; cols++ {
			k, atEnd, count := 1+rng.IntN(100), cols%2 == 0, 1+cols%3
			a, b := halves(rng, 2*count*k*rows), halves(rng, 2*k*32)
			tile := PairTile{
				Rows: rows, Cols: cols, K: k, A: guarded.Slice[float32](t, count*k*rows, atEnd), B: guarded.Slice[float32](t, k*32, atEnd), RowB: 32,
				RowC: cols + cols%3, C: guarded.Slice[dtype.BF16](t, (count*rows-1)*(cols+cols%3)+cols, atEnd), Count: count,
			}
			tile.Step = Steps{A: k * rows, C: rows * tile.RowC, Next: k}
			tile.Next = tile.B
			for i := range tile.A {
				tile.A[i] = math.Float32frombits(pairOf(a[2*i], a[2*i+1]))
			}
			for i := range tile.B {
				tile.B[i] = math.Float32frombits(pairOf(b[2*i], b[2*i+1]))
			}
			tile.Run()
			for at, got := range tile.C {
				i, j := at/tile.RowC, at%tile.RowC
				var sum float32
				for l := range k {
					for half := range 2 {
						sum += a[2*(i/rows*k*rows+l*rows+i%rows)+half].Float32() * b[2*(l*32+j%32)+half].Float32()
					}
				}
				want := dtype.ToBF16(sum)
				if j >= cols {
					want = 0
				}
				if got != want {
					t.Fatalf("%d rows, %d columns, %d steps: element %d, %d is %v, want %v", rows, cols, k, i, j, got.Float32(), want.Float32())
				}
			}
		}
	}
}
