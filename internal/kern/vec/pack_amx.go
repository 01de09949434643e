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
