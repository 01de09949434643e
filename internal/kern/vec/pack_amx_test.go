package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestAMXPacking packs rows of A of both types, and rows of B of float32.
func TestAMXPacking(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	for n := 1; n <= 32; n++ {
		for _, k := range []int{1, 15, 16, 17, 32, 33, 95, 160, 291} {
			atEnd, row := (n+k)%2 == 0, k+n%3
			floats := make([]float32, (n-1)*row+k)
			half := make([]dtype.BF16, len(floats))
			for i := range floats {
				floats[i] = float32(rng.NormFloat64())
				half[i] = dtype.ToBF16(floats[i])
			}
			testAMXLines(t, guarded.Copy(t, floats, atEnd), half, row, n, k, atEnd)
			testAMXLines(t, guarded.Copy(t, half, atEnd), half, row, n, k, atEnd)
			if k == 1 {
				continue
			}
			pairs, row := k/2, n+k%3
			floats = guarded.Slice[float32](t, (2*pairs-1)*row+n, atEnd)
			for i := range floats {
				floats[i] = float32(rng.NormFloat64())
			}
			dst := guarded.Slice[float32](t, pairs*AMXCols, atEnd)
			RoundPairRows(dst, floats, row, pairs, n)
			for at, got := range dst {
				var want uint32
				if l, j := at/AMXCols, at%AMXCols; j < n {
					want = pairOf(dtype.ToBF16(floats[2*l*row+j]), dtype.ToBF16(floats[(2*l+1)*row+j]))
				}
				if math.Float32bits(got) != want {
					t.Fatalf("%d rows of %d: pair %d is %#x, want %#x", 2*pairs, n, at, math.Float32bits(got), want)
				}
			}
		}
	}
}

// TestPairPanels packs rows of B of bfloat16, for panels that are together or apart.
func TestPairPanels(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(17, 18))
	for cols := 1; cols <= 3*AMXCols+1; cols++ {
		for pairs := 1; pairs <= 3; pairs++ {
			atEnd, row, apart := cols%2 == 0, cols+pairs%2, pairs*AMXCols+cols%3
			panels := (cols + AMXCols - 1) / AMXCols
			src := guarded.Slice[dtype.BF16](t, (2*pairs-1)*row+cols, atEnd)
			for i := range src {
				src[i] = dtype.BF16(rng.Uint32())
			}
			dst := guarded.Slice[float32](t, (panels-1)*apart+pairs*AMXCols, atEnd)
			PairPanels(dst, apart, src, row, pairs, cols)
			for at, got := range dst {
				var want uint32
				panel, l, j := at/apart, at%apart/AMXCols, at%apart%AMXCols
				if j += panel * AMXCols; l < pairs && j < cols {
					want = pairOf(src[2*l*row+j], src[(2*l+1)*row+j])
				}
				if math.Float32bits(got) != want {
					t.Fatalf("%d columns, %d pairs: pair %d is %#x, want %#x", cols, pairs, at, math.Float32bits(got), want)
				}
			}
		}
	}
}

// TestHalfLines copies lines of planes, which may end where memory does, with zeros behind them.
func TestHalfLines(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	for cols := 1; cols <= 70; cols++ {
		for stride := 1; stride <= 2; stride++ {
			atEnd, reach := cols%2 == 0, stride*(cols-1)+1
			h := HalfLines{Planes: 1 + cols%2, Lines: 3, Cols: cols, Width: cols + cols%40, Stride: stride}
			h.LineSrc, h.LineDst = reach+cols%4, h.Width+cols%3
			h.PlaneSrc, h.PlaneDst = 3*h.LineSrc+5, 3*h.LineDst
			src := guarded.Slice[dtype.BF16](t, (h.Planes-1)*h.PlaneSrc+2*h.LineSrc+reach, atEnd)
			for i := range src {
				src[i] = dtype.BF16(i + 1)
			}
			dst := guarded.Slice[dtype.BF16](t, (h.Planes-1)*h.PlaneDst+2*h.LineDst+h.Width, atEnd)
			for i := range dst {
				dst[i] = 7
			}
			h.Copy(dst, src)
			for at, got := range dst {
				want := dtype.BF16(7)
				p, i, j := at/h.PlaneDst, at%h.PlaneDst/h.LineDst, at%h.LineDst
				if j < cols {
					want = src[p*h.PlaneSrc+i*h.LineSrc+stride*j]
				} else if j < h.Width {
					want = 0
				}
				if got != want {
					t.Fatalf("%+v: element %d is %d, want %d", h, at, got, want)
				}
			}
		}
	}
}

func testAMXLines[T float32 | dtype.BF16](t *testing.T, src []T, rounded []dtype.BF16, row, rows, k int, atEnd bool) {
	t.Helper()
	dst := guarded.Slice[dtype.BF16](t, (k+31)/32*32*rows, atEnd)
	for i := range dst {
		dst[i] = 1
	}
	AMXLines(dst, src, row, rows, k)
	for at, got := range dst {
		var want dtype.BF16
		if i, l := at/32%rows, at/32/rows*32+at%32; l < k {
			want = rounded[i*row+l]
		}
		if got != want {
			t.Fatalf("%d rows of %d elements of %T: element %d is %#x, want %#x", rows, k, src, at, got, want)
		}
	}
}
