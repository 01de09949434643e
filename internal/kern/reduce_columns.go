package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Columns are reduced side by side, a strip of them at a time: row after row is added to a strip of accumulators, so that memory
// is read in order and nothing is gathered.

const stripColumns = 512 // whose accumulators stay in the L1 cache

// forStrips calls visit for all strips of columns of [outer][n][inner], with where a strip begins in it and in [outer][inner],
// and how many columns it has.
func forStrips(outer, n, inner int, visit func(from, to, count int)) {
	strips := ceilDiv(inner, stripColumns)
	par.For(outer*strips, max(1, piece/max(n*min(inner, stripColumns), 1)), func(lo, hi int) {
		for s := lo; s < hi; s++ {
			o, first := s/strips, s%strips*stripColumns
			from := o*n*inner + first
			if n == 0 {
				from = 0 // there are no rows to be a strip of
			}
			visit(from, o*inner+first, min(stripColumns, inner-first))
		}
	})
}

// sumFloatColumns writes the sum of each column of n floats over a divisor. Elements of a column are added in order: those
// of float32 in runs of columnRun, in float32, whose sums are added in float64. Where a run overflows, all are.
func sumFloatColumns[D, S dtype.Number](dst []D, src []S, outer, n, inner int, divisor float64) {
	forStrips(outer, n, inner, func(from, to, count int) {
		var space [stripColumns]float64
		sums := space[:count]
		totalColumns(sums, src[from:], n, inner)
		for i, sum := range sums {
			dst[to+i] = D(sum / divisor)
		}
	})
}

// totalColumns adds n rows, so far apart, to sums, which are zeros: in float64 throughout where a run overflows.
func totalColumns[S dtype.Number](sums []float64, rows []S, n, stride int) {
	addRows(sums, rows, n, stride)
	for i, sum := range sums {
		if !isFinite(sum) {
			sums[i] = sumWide(n, func(k int) float64 { return float64(rows[k*stride+i]) })
		}
	}
}

const columnRun = 15 // rows

// addRows adds n rows, so far apart, to sums, which end where whole vectors have space.
func addRows[S dtype.Number](sums []float64, rows []S, n, stride int) {
	length := n
	switch x := any(rows).(type) {
	case []float32:
		if vec.AddRows(sums, x, n, stride, columnRun) {
			return
		}
		length = columnRun
	case []float64:
		if vec.AddRows(sums, x, n, stride, columnRun) {
			return
		}
		length = 1
	}
	var space [stripColumns]S
	run := space[:len(sums)]
	for k := 0; k < n; {
		clear(run)
		for end := min(k+length, n); k < end; k++ {
			for i, v := range rows[k*stride:][:len(run)] {
				run[i] += v
			}
		}
		for i, v := range run {
			sums[i] += float64(v)
		}
	}
}
