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
	tile.Sums = guarded.Slice[float32](t, max(all, (c.count-1)*c.rows+2)*AMXCols, c.atEnd)
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

func (c *amxCase) dims() [5]int {
	return [5]int{c.rows, c.cols, c.k, c.count, map[bool]int{true: 1}[c.atEnd]}
}
