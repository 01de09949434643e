package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Columns are reduced side by side, a strip of them at a time, into an accumulator for each: nothing is gathered, and lines of
// cache are read as a whole. A column is never cut, and one thread takes all of it.

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

// totalColumns adds n rows, so far apart, to sums, which are zeros: in float64 throughout where a run overflows.
func totalColumns[S dtype.Number](sums []float64, rows []S, n, stride int) {
	addRows(sums, rows, n, stride)
	for i, sum := range sums {
		if !isFinite(sum) {
			sums[i] = sumWide(n, func(k int) float64 { return float64(rows[k*stride+i]) })
		}
	}
}

const columnRun = 15 // rows that are summed in float32, as few as those of a row (laneRun) with the sum of sums

// addRows adds n rows, so far apart, to sums. Behind the sums there is space up to a multiple of the vector length.
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
