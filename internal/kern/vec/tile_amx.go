package vec

import (
	"unsafe"

	"cresset/dtype"
)

// An AMXTile is a call of AMX's micro-kernels, which compute sums of products of bfloat16,
//
//	S[i, j] = From[i*RowFrom+j] + Σ A[i*RowA+l*ColA+h] · B[l, h, j]
//
// for Rows rows i, at most 32, 32 columns j, and K steps l of 32 elements h. B is a panel of pairs: [16*K, 32], as PairRows and PairColumns
// pack it. From is zero where it is nil.
//
// In each step the products of elements with even h are added in order to a sum from zero, with one rounding each, those of the others to another one; the two
// are added, and then to S. All of that is rounded to the nearest, with operands and results below 2**-126 taken for zero.
type AMXTile struct {
	Rows, K    int
	A          []dtype.BF16
	RowA, ColA int
	B          []float32
	From       []float32
	RowFrom    int
	Sums       []float32 // of 32 numbers a row, which each kernel overwrites
	RowSums    int       // how far rows of Sums are apart for RunSums alone, 0 for 32
	Count      int       // of tiles below each other, with A, From and Sums so many elements further from each to the next
	StepA      int
	StepFrom   int
	StepSums   int
	Panels     int // of such tiles side by side, if there are several, with B, From and Sums so many elements further from each to the next
	PanelB     int
	PanelFrom  int
	PanelSums  int
	Next       bool // prefetches what follows the steps in B, which is read next, and from each tile of C the next one
}

const (
	AMXRows  = 32 // rows that a tile has at most
	AMXCols  = 32 // its columns
	AMXSteps = 32 // elements of a step

	amxAhead = 4 * 64 // bytes of B that a step prefetches, as the micro-kernels have it
)

// RunSums computes the sums, of all columns.
func (t *AMXTile) RunSums() {
	apart := AMXCols
	if t.RowSums != 0 {
		apart = t.RowSums
	}
	c := t.call(apart)
	runSumsAMX(unsafe.Pointer(&c))
}

// RunFloats computes the sums, and c[i*rowC+j] = add[i*rowAdd+j] + S[i, j] for cols columns, without add where that is nil. From a tile to the next
// c and add move by Rows of their rows, from a panel to the next by 32 columns.
func (t *AMXTile) RunFloats(c []float32, rowC, cols int, add []float32, rowAdd int) {
	rows := t.Count * t.Rows
	_ = c[(rows-1)*rowC+cols-1] // fails where C is too short
	call := t.call(AMXCols)
	call.result(pointer(c, 0), 4, rowC, cols)
	if add != nil {
		_ = add[(rows-1)*rowAdd+cols-1]
		call.add, call.rowAdd, call.stepAdd = pointer(add, 0), 4*rowAdd, 4*t.Rows*rowAdd
		call.nextAdd = 4*AMXCols - t.Count*call.stepAdd
	}
	runFloatsAMX(unsafe.Pointer(&call))
}

// RunHalves computes the sums, and rounds them to c[i*rowC+j] as RunFloats does.
func (t *AMXTile) RunHalves(c []dtype.BF16, rowC, cols int) {
	_ = c[(t.Count*t.Rows-1)*rowC+cols-1]
	call := t.call(AMXCols)
	call.result(pointer(c, 0), 2, rowC, cols)
	runHalvesAMX(unsafe.Pointer(&call))
}

// result sets where results of so many bytes go.
func (c *amxCall) result(to unsafe.Pointer, size, row, cols int) {
	c.c, c.rowC, c.stepC, c.cols = to, size*row, size*c.rows*row, cols
	c.nextC = size*AMXCols - c.count*c.stepC
}

// call has sums whose rows are so far apart.
func (t *AMXTile) call(rowSums int) amxCall {
	last, panel := t.Count-1, max(t.Panels, 1)-1
	half := (t.Rows + 1) / 2
	// These fail where an operand is too short.
	_ = t.A[last*t.StepA+(t.Rows-1)*t.RowA+(t.K-1)*t.ColA+AMXSteps-1]
	_ = t.Sums[panel*t.PanelSums+last*t.StepSums+(t.Rows-1)*rowSums+AMXCols-1]
	c := amxCall{
		config: unsafe.Pointer(&amxConfigs[t.Rows]), a: pointer(t.A, 0), b: pointer(t.B, 0), sums: pointer(t.Sums, 0),
		k: t.K, rows: t.Rows, rowA: 2 * t.RowA, lowA: 2 * half * t.RowA, colA: 2 * t.ColA, rowFrom: -1, rowSums: 4 * rowSums, lowSums: 4 * half * rowSums,
		tiles: t.Count, stepA: 2 * t.StepA, stepSums: 4 * t.StepSums,
		panels: panel + 1, count: t.Count, nextA: -2 * t.Count * t.StepA, nextB: 4 * t.PanelB, nextSums: 4 * (t.PanelSums - t.Count*t.StepSums),
	}
	_ = t.B[panel*t.PanelB+t.K*AMXSteps/2*AMXCols-1]
	if t.Next {
		c.ahead = amxAhead
	}
	if t.Rows == 1 { // the lower half is the same row
		c.lowA, c.lowSums = 0, 0
	}
	if t.From != nil {
		_ = t.From[panel*t.PanelFrom+last*t.StepFrom+(t.Rows-1)*t.RowFrom+AMXCols-1]
		c.from, c.rowFrom, c.stepFrom, c.nextFrom = pointer(t.From, 0), 4*t.RowFrom, 4*t.StepFrom, 4*(t.PanelFrom-t.Count*t.StepFrom)
		if t.Rows > 1 {
			c.lowFrom = 4 * half * t.RowFrom
		}
	}
	return c
}

// An amxConfig says how many rows, and bytes of a row, each tile register has, as the processor reads it.
type amxConfig struct {
	palette, _ uint8
	_          [14]uint8
	bytes      [16]uint16
	rows       [16]uint8
}

// amxConfigs are those of tiles by their rows: the first four registers are sums of upper and lower rows, two are A's, two B's.
var amxConfigs = func() (all [AMXRows + 1]amxConfig) {
	for n := 1; n <= AMXRows; n++ {
		c, upper := &all[n], uint8(n+1)/2
		lower := max(uint8(n)-upper, 1)
		c.palette = 1
		for t, rows := range []uint8{upper, upper, lower, lower, upper, lower, 16, 16} {
			c.bytes[t], c.rows[t] = 64, rows
		}
	}
	return all
}()
