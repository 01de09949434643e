package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestAMXTiles runs all three micro-kernels with all numbers of rows and columns, on whole numbers, whose sums are exact.
func TestAMXTiles(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(13, 14))
	for rows := 1; rows <= AMXRows; rows++ {
		for cols := 1; cols <= AMXCols; cols++ {
			if rows%5 != cols%5 {
				continue
			}
			c := amxCase{rows: rows, cols: cols, k: 1 + rng.IntN(3), count: 1 + cols%3, atEnd: cols%2 == 0}
			c.fill(t, rng)
			c.check(t)
		}
	}
}

// amxCase is tiles below each other and their operands.
type amxCase struct {
	rows, cols, k, count int
	atEnd                bool
	rowA                 int
	a                    []dtype.BF16
	b, from, add         []float32
	want                 []float32 // [rows, AMXCols] of each tile, without add
}

func (c *amxCase) fill(t *testing.T, rng *rand.Rand) {
	steps, all := c.k*AMXSteps, c.count*c.rows
	c.rowA = steps + c.cols%3
	c.a = guarded.Copy(t, halves(rng, (all-1)*c.rowA+steps), c.atEnd)
	b := halves(rng, steps*AMXCols)
	c.b = guarded.Slice[float32](t, len(b)/2, c.atEnd)
	for i := range c.b {
		c.b[i] = math.Float32frombits(pairOf(b[2*i], b[2*i+1]))
	}
	c.from, c.add = guarded.Slice[float32](t, all*AMXCols, c.atEnd), guarded.Slice[float32](t, (all-1)*c.cols+c.cols, c.atEnd)
	for _, s := range [][]float32{c.from, c.add} {
		for i := range s {
			s[i] = float32(rng.IntN(100))
		}
	}
	c.want = make([]float32, all*AMXCols)
	for i := range all {
		for j := range AMXCols {
			sum := c.from[i*AMXCols+j]
			for l := range steps {
				sum += c.a[i*c.rowA+l].Float32() * b[l/2*2*AMXCols+2*j+l%2].Float32()
			}
			c.want[i*AMXCols+j] = sum
		}
	}
}

func (c *amxCase) check(t *testing.T) {
	t.Helper()
	all := c.count * c.rows
	tile := AMXTile{
		Rows: c.rows, K: c.k, A: c.a, RowA: c.rowA, ColA: AMXSteps, B: c.b, From: c.from, RowFrom: AMXCols, Count: c.count,
		StepA: c.rows * c.rowA, StepFrom: c.rows * AMXCols, StepSums: c.rows * AMXCols,
	}
	tile.Sums = guarded.Slice[float32](t, all*AMXCols, c.atEnd)
	tile.RunSums()
	for i := range all * AMXCols {
		if tile.Sums[i] != c.want[i] {
			t.Fatalf("%+v: sum %d, %d is %v, want %v", c.dims(), i/AMXCols, i%AMXCols, tile.Sums[i], c.want[i])
		}
	}
	tile.StepSums = 0
	rowC := c.cols + c.rows%2
	floats := guarded.Slice[float32](t, (all-1)*rowC+c.cols, c.atEnd)
	tile.RunFloats(floats, rowC, c.cols, c.add, c.cols)
	halves := guarded.Slice[dtype.BF16](t, (all-1)*rowC+c.cols, c.atEnd)
	tile.RunHalves(halves, rowC, c.cols)
	for at, got := range floats {
		i, j := at/rowC, at%rowC
		var want, sum float32
		if j < c.cols {
			sum = c.want[i*AMXCols+j]
			want = sum + c.add[i*c.cols+j]
		}
		if got != want {
			t.Fatalf("%+v: element %d, %d of float32 is %v, want %v", c.dims(), i, j, got, want)
		}
		if half := dtype.ToBF16(sum); halves[at] != half {
			t.Fatalf("%+v: element %d, %d of bfloat16 is %v, want %v", c.dims(), i, j, halves[at].Float32(), half.Float32())
		}
	}
}

// TestAMXPanels wants of panels side by side what each gives by itself, NaN too.
func TestAMXPanels(t *testing.T) {
	if !HasAMX() {
		t.Skip("this machine, at this level, has no AMX")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	for _, rows := range []int{1, 2, 17, 32} {
		const k, count, panels, cols = 2, 2, 3, 2*AMXCols + 5
		const apart = panels * AMXCols
		size := k * AMXSteps / 2 * AMXCols
		all := count * rows
		tile := AMXTile{Rows: rows, K: k, A: halves(rng, all*k*AMXSteps), RowA: k * AMXSteps, ColA: AMXSteps, Count: count, StepA: rows * k * AMXSteps}
		b, from := make([]float32, panels*size), make([]float32, all*apart)
		for i := range b {
			b[i] = math.Float32frombits(pairOf(halves(rng, 1)[0], halves(rng, 1)[0]))
		}
		for i := range from {
			from[i] = float32(rng.IntN(100))
		}
		from[AMXCols+3] = math.Float32frombits(0xffc12345)
		wide := tile
		wide.B, wide.From, wide.RowFrom, wide.StepFrom = b, from, apart, rows*apart
		wide.Panels, wide.PanelB, wide.PanelFrom = panels, size, AMXCols
		floats, rounded := guarded.Slice[float32](t, all*cols, true), guarded.Slice[dtype.BF16](t, all*cols, true)
		wide.Sums = make([]float32, AMXRows*AMXCols)
		wide.RunFloats(floats, cols, cols, floats, cols)
		wide.RunHalves(rounded, cols, cols)
		wide.Sums, wide.RowSums, wide.StepSums, wide.PanelSums = guarded.Slice[float32](t, all*apart, true), apart, rows*apart, AMXCols
		wide.RunSums()
		for p := range panels {
			one := tile
			one.B, one.From, one.RowFrom, one.StepFrom = b[p*size:], from[p*AMXCols:], apart, rows*apart
			one.Sums, one.StepSums = make([]float32, all*AMXCols), rows*AMXCols
			one.RunSums()
			for at, want := range one.Sums {
				i, j := at/AMXCols, p*AMXCols+at%AMXCols
				same := func(got float32) bool { return math.Float32bits(got) == math.Float32bits(want) }
				if got := wide.Sums[i*apart+j]; !same(got) {
					t.Fatalf("%d rows: sum %d, %d is %v, want %v", rows, i, j, got, want)
				}
				if j >= cols {
					continue
				}
				if got := floats[i*cols+j]; !same(got) {
					t.Fatalf("%d rows: element %d, %d of float32 is %v, want %v", rows, i, j, got, want)
				}
				if got := rounded[i*cols+j]; got != dtype.ToBF16(want) {
					t.Fatalf("%d rows: element %d, %d of bfloat16 is %#x, want %#x", rows, i, j, got, dtype.ToBF16(want))
				}
			}
		}
	}
}

func (c *amxCase) dims() [5]int {
	return [5]int{c.rows, c.cols, c.k, c.count, map[bool]int{true: 1}[c.atEnd]}
}
