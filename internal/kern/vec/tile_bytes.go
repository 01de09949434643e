package vec

import "unsafe"

// A ByteTile is a call of AMX's micro-kernel for bytes, which computes exact sums of products,
//
//	Sums[i*32+j] = Sums[i*32+j] + Σ A[i*RowA+64*l+h] · B[l, h, j]
//
// for Rows rows i, at most 32, 32 columns j, and K steps l of 64 bytes h. B is a panel of words that each have four bytes of a column, which follow each other: [16*K, 32]. Where
// Fresh, sums start from zero.
type ByteTile struct {
	Rows, K int
	A       []int8
	RowA    int
	B       []float32
	Sums    []int32 // of one row of A, which is a tile by itself, it has two rows
	Fresh   bool
	Count   int // of tiles below each other
}

// ByteSteps is how many bytes a step of a ByteTile has, ByteCols how many columns ByteResults takes.
const ByteSteps, ByteCols = 64, 16

// Run computes the sums.
func (t *ByteTile) Run() {
	all, half := t.Count*t.Rows, (t.Rows+1)/2
	// These fail where an operand is too short.
	_, _, _ = t.A[(all-1)*t.RowA+t.K*ByteSteps-1], t.B[t.K*ByteSteps/4*AMXCols-1], t.Sums[((t.Count-1)*t.Rows+max(t.Rows, 2))*AMXCols-1]
	c := amxCall{
		config: unsafe.Pointer(&amxConfigs[t.Rows]), a: pointer(t.A, 0), b: pointer(t.B, 0), sums: pointer(t.Sums, 0), from: pointer(t.Sums, 0),
		k: t.K, rows: t.Rows, rowA: t.RowA, lowA: half * t.RowA, colA: ByteSteps, rowFrom: 4 * AMXCols, lowFrom: 4 * half * AMXCols, lowSums: 4 * half * AMXCols,
		tiles: t.Count, rowSums: 4 * AMXCols, stepA: t.Rows * t.RowA, stepFrom: 4 * t.Rows * AMXCols, stepSums: 4 * t.Rows * AMXCols,
	}
	if t.Rows == 1 { // the lower half, which nobody reads, is the same row
		c.lowA = 0
	}
	if t.Fresh {
		c.from, c.rowFrom, c.stepFrom = nil, -1, 0
	}
	runByteSumsAMX(unsafe.Pointer(&c))
}

// ByteResults are what sums of ByteTile stand for: y[i*16+j] = Σ Sums[d][i*32+j] · 256**d · (Step[j] · Scale[i]) + Bias[i] for one or three digits d, in float64 and
// rounded to float32 before the bias, which may be nil, is added.
type ByteResults struct {
	Rows        int
	Sums        [QuantDigits][]int32 // the second and third are nil where there is one digit
	Step        *[ByteCols]float64
	Scale, Bias []float32
	Y           []float32
}

// Run computes the results.
func (r *ByteResults) Run() {
	last := (r.Rows-1)*AMXCols + ByteCols - 1
	_, _, _ = r.Sums[0][last], r.Scale[r.Rows-1], r.Y[r.Rows*ByteCols-1]
	c := byteResultsCall{high: pointer(r.Sums[0], 0), step: unsafe.Pointer(r.Step), scale: pointer(r.Scale, 0), y: pointer(r.Y, 0), rows: r.Rows}
	if r.Sums[1] != nil {
		_, _ = r.Sums[1][last], r.Sums[2][last]
		c.high, c.middle, c.low = pointer(r.Sums[2], 0), pointer(r.Sums[1], 0), pointer(r.Sums[0], 0)
	}
	if r.Bias != nil {
		_ = r.Bias[r.Rows-1]
		c.bias = pointer(r.Bias, 0)
	}
	runByteResultsAMX(unsafe.Pointer(&c))
}
