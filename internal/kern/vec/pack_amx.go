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

// EverySecond copies every second element of rows: dst[i*rowDst+j] = src[i*rowSrc+2*j] for j < cols.
func EverySecond(dst []dtype.BF16, rowDst int, src []dtype.BF16, rowSrc, rows, cols int) {
	_, _ = src[(rows-1)*rowSrc+2*(cols-1)], dst[(rows-1)*rowDst+cols-1]
	if (rows-1)*rowSrc+2*cols > len(src) { // the last element is read with the one behind it, where there is one
		rows--
		for j := range cols {
			dst[rows*rowDst+j] = src[rows*rowSrc+2*j]
		}
	}
	c := amxCall{rowA: 2 * rowSrc, rowC: 2 * rowDst, rows: rows}
	for j := 0; j < cols && rows > 0; j += AMXCols {
		c.a, c.c, c.cols = pointer(src, 2*j), pointer(dst, j), cols-j
		everySecondAMX(unsafe.Pointer(&c))
	}
}
