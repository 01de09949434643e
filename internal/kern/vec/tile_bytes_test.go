package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/internal/kern/guarded"
)

// TestByteTiles compares sums of tiles of all heights with those in Go, beside guarded pages.
func TestByteTiles(t *testing.T) {
	if !HasByteTiles() {
		t.Skip("this machine, at this level, has no tiles of bytes")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	for rows := 1; rows <= AMXRows; rows++ {
		tile := ByteTile{Rows: rows, K: 1 + rows%3, Count: 2 - rows%2}
		all, length := rows*tile.Count, tile.K*ByteSteps
		tile.RowA = length + rows%5
		tile.A = guarded.Slice[int8](t, (all-1)*tile.RowA+length, rows%2 == 0)
		for i := range tile.A {
			tile.A[i] = int8(rng.Uint32())
		}
		tile.B = guarded.Slice[float32](t, length/4*AMXCols, rows%2 == 0)
		for i := range tile.B {
			tile.B[i] = math.Float32frombits(rng.Uint32())
		}
		tile.Sums = guarded.Slice[int32](t, max(all, (tile.Count-1)*rows+2)*AMXCols, rows%2 == 0)
		for _, tile.Fresh = range []bool{true, false} { // the second adds as much again
			tile.Run()
		}
		for i := range all {
			for j := range AMXCols {
				var want int32
				for l := range length {
					want += int32(tile.A[i*tile.RowA+l]) * int32(int8(math.Float32bits(tile.B[l/4*AMXCols+j])>>(l%4*8)))
				}
				if got := tile.Sums[i*AMXCols+j]; got != 2*want {
					t.Fatalf("%d rows: sum %d, %d is %d, want %d", rows, i, j, got, 2*want)
				}
			}
		}
	}
}
