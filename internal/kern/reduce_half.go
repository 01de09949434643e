package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// SumHalves is the Fold of Σ a over a half type, of which it sees the bits: sums are those of float32 (lanes.go, reduce_columns.go), and
// sum_rows_bf16/1024x1024 takes a third of the time that it takes over a copy in float32.
func SumHalves[H Half]() *Fold[int16, float64] {
	return &Fold[int16, float64]{row: sumHalf[H], rows: sumHalfRows[H], columns: totalHalves[H], join: plus, least: 2}
}

// FinishHalf rounds accumulators to a half type as to float32 before.
func FinishHalf[H Half](dst []H, accs []float64, _ int) {
	for i, acc := range accs {
		dst[i] = halfOf[H](float32(acc))
	}
}

// FinishHalfMean is FinishHalf of accumulators of n elements, by n.
func FinishHalfMean[H Half](dst []H, accs []float64, n int) {
	for i, acc := range accs {
		dst[i] = halfOf[H](float32(acc / float64(n)))
	}
}

func halfOf[H Half](x float32) H {
	var zero H
	if _, ok := any(zero).(dtype.F16); ok {
		return H(dtype.ToF16(x))
	}
	return H(dtype.ToBF16(x))
}

func floatOf[H Half](x H) float32 {
	if h, ok := any(x).(dtype.F16); ok {
		return h.Float32()
	}
	return dtype.BF16(x).Float32()
}

// halvesOf sees elements as a half type, of the same size and alignment.
func halvesOf[H Half](x []int16) []H {
	return unsafe.Slice((*H)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// sumHalfRows is sumRows.
func sumHalfRows[H Half](x []int16, n int, sums []float64) {
	var zero H
	loop := vec.SumBF16
	if _, ok := any(zero).(dtype.F16); ok {
		loop = vec.SumF16
	}
	inVectors := vec.HalfRows(loop, n, nil, sums, halvesOf[H](x))
	for r, sum := range sums {
		if !inVectors || !isFinite(sum) {
			wide := newScratch[float32](n)
			widen(wide.data, halvesOf[H](x[r*n:][:n]))
			sums[r] = sumPiece(wide.data)
			wide.release()
		}
	}
}

func sumHalf[H Half](x []int16) float64 {
	var sum [1]float64
	sumHalfRows[H](x, len(x), sum[:])
	return sum[0]
}

// totalHalves is totalColumns.
func totalHalves[H Half](sums []float64, rows []int16, n, stride int) {
	x := halvesOf[H](rows)
	if !vec.AddHalfRows(sums, x, n, stride, columnRun) {
		addHalves[H](sums, rows, n, stride)
	}
	for i, sum := range sums {
		if !isFinite(sum) {
			sums[i] = sumWide(n, func(k int) float64 { return float64(floatOf(x[k*stride+i])) })
		}
	}
}

// addHalves is addRows of runs of rows that are converted to float32 in a cache.
func addHalves[H Half](sums []float64, rows []int16, n, stride int) {
	cast := Cast(dtype.Float32, dtype.Of[H]())
	wide := newScratch[float32](columnRun * stripColumns)
	defer wide.release()
	for k := 0; k < n; k += columnRun {
		run := min(columnRun, n-k)
		for r := range run {
			to, from := wide.data[r*stripColumns:][:len(sums)], rows[(k+r)*stride:][:len(sums)]
			cast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), len(sums)) // both have so many
		}
		addRows(sums, wide.data, run, stripColumns)
	}
}
