package vec

import (
	"unsafe"

	"cresset/dtype"
)

// AMXLines packs k elements of each of some rows of A for AMX: dst[(l*rows+i)*32+h] = src[i*rowSrc+l*32+h], and zeros behind the last element of a row up to a whole
// step. It rounds float32 to bfloat16, and takes numbers below 2**-126 for zero there.
func AMXLines[T float32 | dtype.BF16](dst []dtype.BF16, src []T, rowSrc, rows, k int) {
	steps := (k + AMXSteps - 1) / AMXSteps
	_, _ = src[(rows-1)*rowSrc+k-1], dst[steps*rows*AMXSteps-1]
	size := int(unsafe.Sizeof(src[0]))
	c := amxCall{a: unsafe.Pointer(&src[0]), c: pointer(dst, 0), rowA: size * rowSrc, rows: rows, k: steps, cols: k - (steps-1)*AMXSteps}
	if size == 4 {
		packFloatsAMX(unsafe.Pointer(&c))
		return
	}
	packHalvesAMX(unsafe.Pointer(&c))
}

// RoundPairRows is PairRows for float32, which it rounds to bfloat16 with numbers below 2**-126 taken for zero, into rows of 32 pairs: it writes zeros behind cols.
func RoundPairRows(dst, src []float32, rowSrc, pairs, cols int) {
	_, _ = src[(2*pairs-1)*rowSrc+cols-1], dst[pairs*AMXCols-1]
	c := amxCall{a: pointer(src, 0), c: pointer(dst, 0), rowA: 4 * rowSrc, k: pairs, cols: cols}
	packPairsAMX(unsafe.Pointer(&c))
}

// PairPanels is PairRows for columns of several panels of 32, so many pairs apart. It writes zeros behind cols in the last one.
func PairPanels(dst []float32, panel int, src []dtype.BF16, rowSrc, pairs, cols int) {
	panels := (cols + AMXCols - 1) / AMXCols
	_, _ = src[(2*pairs-1)*rowSrc+cols-1], dst[(panels-1)*panel+pairs*AMXCols-1]
	const atOnce = 1 << 9 // pairs, since Go cannot preempt assembly
	c := amxCall{rowA: 2 * rowSrc, panels: panels, nextC: 4 * panel, cols: cols - (panels-1)*AMXCols}
	for l := 0; l < pairs; l += atOnce {
		c.a, c.c, c.k = pointer(src, 2*l*rowSrc), pointer(dst, l*AMXCols), min(atOnce, pairs-l)
		packPanelsAMX(unsafe.Pointer(&c))
	}
}

// HalfLines are lines of planes of bfloat16, copied each element or every second one: dst[p*PlaneDst+i*LineDst+j] = src[p*PlaneSrc+i*LineSrc+Stride*j] for so many planes p,
// lines i and columns j, with zeros behind them up to Width.
type HalfLines struct {
	Planes, Lines, Cols, Width int
	Stride                     int // 1 or 2
	PlaneDst, LineDst          int
	PlaneSrc, LineSrc          int
}

// Copy copies them.
func (h *HalfLines) Copy(dst, src []dtype.BF16) {
	_ = src[(h.Planes-1)*h.PlaneSrc+(h.Lines-1)*h.LineSrc+h.Stride*(h.Cols-1)]
	_ = dst[(h.Planes-1)*h.PlaneDst+(h.Lines-1)*h.LineDst+h.Width-1]
	c := amxCall{a: pointer(src, 0), c: pointer(dst, 0), rowA: 2 * h.LineSrc, rowC: 2 * h.LineDst, stepA: 2 * h.PlaneSrc, stepC: 2 * h.PlaneDst,
		count: h.Planes, rows: h.Lines, k: (h.Cols - 1) / AMXCols}
	c.cols, c.rowSums = h.Cols-c.k*AMXCols, h.Width-c.k*AMXCols
	if h.Stride == 2 {
		copySecondAMX(unsafe.Pointer(&c))
		return
	}
	copyHalvesAMX(unsafe.Pointer(&c))
}
