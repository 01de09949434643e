package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestAMXPixels runs tiles of all heights at places of their own, from a bias or from sums, on whole numbers, whose sums are exact, between pages that must not be touched.
func TestAMXPixels(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(17, 18))
	for rows := 1; rows <= AMXRows; rows++ {
		k, tiles, outputs, atEnd := 1+rng.IntN(9), 1+rows%3, 1+rng.IntN(AMXCols), rows%2 == 0
		upper := (rows + 1) / 2
		tile := AMXPixels{Rows: rows, K: k, RowA: AMXSteps * (1 + rows%2), LowA: AMXSteps * (40 + rows%3)}
		for range k {
			tile.Taps = append(tile.Taps, int32(AMXSteps*rng.IntN(50)))
		}
		tile.LastTap = int(slices.Max(tile.Taps))
		plane := tiles*rows + 3
		for n := range tiles {
			tile.LastPlace = AMXPlace{A: int32(AMXSteps * 5 * n), B: int32(AMXCols * 3 * n), C: int32(n * rows)}
			tile.Places = append(tile.Places, tile.LastPlace)
		}
		pixel := func(i int) int {
			if i < upper {
				return i * tile.RowA
			}
			return tile.LowA + (i-upper)*tile.RowA
		}
		last := int(tile.LastPlace.A) + tile.LastTap + max(pixel(rows-1), pixel(upper-1)) + AMXSteps
		tile.A = guarded.Copy(t, halves(rng, last), atEnd)
		b := halves(rng, k*AMXSteps*AMXCols+2*int(tile.LastPlace.B))
		tile.B = guarded.Slice[float32](t, len(b)/2, atEnd)
		for i := range tile.B {
			tile.B[i] = math.Float32frombits(pairOf(b[2*i], b[2*i+1]))
		}
		tile.Sums, tile.StepSums = guarded.Slice[float32](t, tiles*AMXRows*AMXCols, atEnd), AMXRows*AMXCols
		bias := guarded.Slice[float32](t, AMXCols, atEnd)
		for j := range bias {
			bias[j] = float32(rng.IntN(100))
		}
		want := make([]float32, tiles*AMXRows*AMXCols)
		for n, p := range tile.Places {
			for i := range rows {
				for j := range AMXCols {
					sum := bias[j]
					for l, tap := range tile.Taps {
						for h, a := range tile.A[int(p.A)+int(tap)+pixel(i):][:AMXSteps] {
							sum += a.Float32() * b[(int(p.B)+(l*AMXSteps+h)/2*AMXCols+j)*2+h%2].Float32()
						}
					}
					want[(n*AMXRows+i)*AMXCols+j] = sum
				}
			}
		}
		check := func(name string, got []dtype.BF16) {
			t.Helper()
			for at, y := range got {
				j, i := at/plane, at%plane
				var value float32 // what lies between planes stays zero
				if i < tiles*rows {
					value = want[(i/rows*AMXRows+i%rows)*AMXCols+j]
				}
				if y != dtype.ToBF16(value) {
					t.Fatalf("%d rows, %d steps, %s: pixel %d of output %d is %v, want %v", rows, k, name, i, j, y.Float32(), value)
				}
			}
		}
		planes := func() []dtype.BF16 { return guarded.Slice[dtype.BF16](t, (outputs-1)*plane+tiles*rows, atEnd) }
		y := planes()
		tile.From = bias
		tile.RunPlanes(y, plane, outputs)
		check("from a bias", y)
		if k < 2 {
			continue
		}
		first, rest := tile, tile
		first.K = k / 2
		first.RunSums()
		rest.K, rest.Taps, rest.B = k-first.K, tile.Taps[first.K:], tile.B[first.K*AMXSteps/2*AMXCols:]
		rest.From, rest.RowFrom, rest.StepFrom = rest.Sums, AMXCols, rest.StepSums
		y = planes()
		rest.RunPlanes(y, plane, outputs)
		check("from sums", y)
	}
}

// TestAMXPixelsKeepNaN wants the same NaN for any, wherever among a tile's sums it is.
func TestAMXPixelsKeepNaN(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	for _, j := range []int{0, 15, 16, 31} {
		for _, bits := range []uint32{0x7fc00000, 0xffc12345, 0x7f800001, 0xff800000} {
			tile := AMXPixels{Rows: 32, K: 1, A: make([]dtype.BF16, 64*32), RowA: 32, LowA: 16 * 32, Taps: []int32{0}, Places: make([]AMXPlace, 2),
				B: make([]float32, 16*32), From: make([]float32, 32), Sums: make([]float32, 32*32)}
			tile.From[j] = math.Float32frombits(bits)
			tile.LastPlace = AMXPlace{A: 32 * 32, C: 32}
			tile.Places[1] = tile.LastPlace
			y := make([]dtype.BF16, 32*64)
			tile.RunPlanes(y, 64, 32)
			for at, got := range y {
				if want := dtype.ToBF16(tile.From[at/64]); got != want {
					t.Fatalf("%#x for output %d: pixel %d of output %d is %#x, want %#x", bits, j, at%64, at/64, got, want)
				}
			}
		}
	}
}

// TestChannelLines copies lines of all lengths between pages that must not be touched.
func TestChannelLines(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(19, 20))
	for pixels := 1; pixels <= 50; pixels++ {
		lines, atEnd := 1+pixels%3, pixels%2 == 0
		lineSrc, lineDst := pixels+pixels%4, (pixels+pixels%5)*AMXSteps
		plane := lines*lineSrc + 1
		src := guarded.Copy(t, halves(rng, (AMXSteps-1)*plane+(lines-1)*lineSrc+pixels), atEnd)
		dst := guarded.Slice[dtype.BF16](t, (lines-1)*lineDst+pixels*AMXSteps, atEnd)
		want := make([]dtype.BF16, len(dst))
		for i := range lines {
			for j := range pixels {
				for l := range AMXSteps {
					want[i*lineDst+j*AMXSteps+l] = src[l*plane+i*lineSrc+j]
				}
			}
		}
		ChannelLines(dst, lineDst, src, plane, lineSrc, lines, pixels)
		if !slices.Equal(dst, want) {
			t.Fatalf("%d lines of %d pixels: got %v, want %v", lines, pixels, dst, want)
		}
	}
}
