package vec

import (
	"unsafe"

	"cresset/dtype"
)

// AddRows adds rows, so many and so far apart, to sums of their columns, and reports whether there is assembly; where not,
// nothing has happened. Elements of a column are added in order: those of float32 in runs of so many, in float32, whose
// sums are added in float64. The space of sums must hold whole vectors of columns, of which those beyond len(sums) are overwritten.
func AddRows[T dtype.Float](sums []float64, x []T, rows, stride, run int) bool {
	cols := len(sums)
	if TileRows() == 0 || cols > most {
		return false
	}
	if rows == 0 || cols == 0 {
		return true
	}
	lanes, size := Lanes[T](), sizeOf[T]()
	// These fail where an operand is too short.
	_, _ = x[(rows-1)*stride+cols-1], sums[:(cols+lanes-1)/lanes*lanes]
	step := max(1, most/cols/run) * run // whole runs, so that calls do not change the order
	for first := 0; first < rows; first += step {
		runAddRows[T](unsafe.Pointer(&addRowsCall{
			x: pointer(x, first*stride), sums: pointer(sums, 0), mask: maskOf(cols%lanes, size),
			rows: min(step, rows-first), row: stride * size, cols: cols, run: run,
		}))
	}
	return true
}

// AddHalfRows is AddRows of a half type, whose runs are added in float32, where amd64 has vectors and len(sums) is whole ones.
func AddHalfRows[H dtype.F16 | dtype.BF16](sums []float64, x []H, rows, stride, run int) bool {
	cols := len(sums)
	if current != AVX2 && current != AVX512 || cols == 0 || cols%Lanes[float32]() != 0 || cols > most || rows == 0 {
		return false
	}
	_ = x[(rows-1)*stride+cols-1] // This fails where x is too short.
	step := max(1, most/cols/run) * run
	for first := 0; first < rows; first += step {
		runHalfSums(isBF16[H](), unsafe.Pointer(&addRowsCall{
			x: unsafe.Pointer(&x[first*stride]), sums: pointer(sums, 0), rows: min(step, rows-first), row: 2 * stride, cols: cols, run: run,
		}))
	}
	return true
}
